import random
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from specdec_verification.subjects.holders import Swap, existing, methods_of
from specdec_verification.subjects.patching import patched


class Owner:
    """Is held, and holds."""

    def __init__(self, name: str) -> None:
        self.name = name

    def method(self) -> "Owner":
        """Return itself."""
        return self


class Slotted:
    """Holds in a slot."""

    __slots__ = ("held",)

    def __init__(self, held: Owner) -> None:
        self.held = held


class Pair(NamedTuple):
    """Holds, and cannot be changed."""

    held: Owner


def names(held: list[Any]) -> set[str]:
    """Return what is held: a variable of the test itself would be swapped too."""
    return {one.name for one in held}


def test_a_swap_reaches_whatever_can_be_changed() -> None:
    old = Owner("old")
    holder, module, slotted = Owner("holder"), ModuleType("holder"), Slotted(old)
    holder.held = module.held = old  # type: ignore[attr-defined]

    class Shared:
        """Holds for all of its instances."""

        held = old

    listed, table, pair = [1, old], {"held": old}, Pair(old)

    def closure(by_default: Any = old, *, by_name: Any = old) -> list[Any]:  # noqa: ANN401
        return [old, by_default, by_name]

    def all_held() -> list[Any]:
        inside = [holder.held, module.held, Shared.held, Shared().held, slotted.held]
        return [*closure(), *inside, listed[1], table["held"]]

    with patched([], [Swap(old, Owner("new"))]):
        assert names(all_held()) == {"new"}
        assert pair.held.name == "old"
    assert names(all_held()) == {"old"}


def test_a_tuple_that_holds_is_replaced_where_it_is_held() -> None:
    table = {"held": (Owner("one"), Owner("old"))}
    with patched([], [Swap(table["held"][1], Owner("new"))]):
        assert names(list(table["held"])) == {"one", "new"}
    assert names(list(table["held"])) == {"one", "old"}


def test_nothing_is_swapped_for_nothing() -> None:
    with patched([], []):
        pass


def test_a_swap_is_undone_after_an_error() -> None:
    listed = [Owner("old")]

    def fail() -> None:
        with patched([], [Swap(listed[0], Owner("new"))]):
            assert names(listed) == {"new"}
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert names(listed) == {"old"}


def test_bound_methods_are_found_in_python_and_in_c() -> None:
    owner, generator = Owner("owner"), random.Random(3)
    held = [owner.method, generator.random, Owner("other").method]
    assert methods_of([owner, generator], held) == held[:2]
    assert generator in existing({random.Random})
    assert owner not in existing({random.Random})
