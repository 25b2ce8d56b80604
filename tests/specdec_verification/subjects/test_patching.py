import gc
import sys
from fractions import Fraction
from types import ModuleType
from typing import Any, NoReturn

import numpy as np
import pytest

from specdec_verification.subjects.exact import exact_law
from specdec_verification.subjects.holders import Swap
from specdec_verification.subjects.patching import Attribute, patched


class Owner:
    """Has a function to replace."""

    def one(self) -> int:
        return 1


HELD = Owner.one


def test_a_patch_reaches_every_module_and_is_undone() -> None:
    def fail() -> None:
        with patched([Attribute(Owner, "one", lambda self: 2)]):
            assert Owner().one() == HELD(Owner()) == 2
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert Owner().one() == HELD(Owner()) == 1


def test_a_patch_of_something_inherited_leaves_nothing_behind() -> None:
    class Child(Owner):
        pass

    with patched([Attribute(Child, "one", lambda self: 2)]):
        assert Child().one() == 2
    assert "one" not in vars(Child)
    assert Child().one() == 1


def no_search(*objects: object) -> NoReturn:
    raise AssertionError("memory was searched")


def test_what_modules_alone_hold_is_found_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    holder: Any = ModuleType("holder")
    monkeypatch.setitem(sys.modules, "holder", holder)
    monkeypatch.setattr(gc, "get_referrers", no_search)
    holder.rng = np.random.default_rng(3)
    assert exact_law(lambda: bool(holder.rng.random() < 0.25)).law[True] == Fraction(1, 4)
    assert type(holder.rng) is np.random.Generator


def test_what_others_hold_as_well_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "get_referrers", no_search)
    listed = [Owner()]
    with (
        pytest.raises(AssertionError, match="was searched"),
        patched([], [Swap(listed[0], Owner())]),
    ):
        pass
