import io
import random
from fractions import Fraction

from rich.console import Console

from specdec_verification.subjects.exact import Execution, exact_law
from specdec_verification.subjects.watching import unwatched, watching


def test_every_path_is_told_with_the_mass_covered() -> None:
    told: list[tuple[int, float]] = []
    exact_law(
        lambda: random.random() < 0.25,
        Execution(watch=lambda paths, covered: told.append((paths, covered))),
    )
    assert told == [(1, 0.25), (2, 1.0)]


def test_a_terminal_gets_a_bar() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    with watching(console) as watch:
        watch(3, 0.5)
        watch(6, 1.0)
    assert isinstance(console.file, io.StringIO)
    assert "6 paths" in console.file.getvalue()


def test_elsewhere_nothing_is_shown() -> None:
    with watching(Console(file=io.StringIO())) as watch:
        assert watch is unwatched


def test_being_watched_changes_nothing() -> None:
    found = exact_law(lambda: random.choice("ab")).law
    assert found["a"] == Fraction(1, 2)
