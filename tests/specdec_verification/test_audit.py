"""Someone's own program: followed where it can be, and told plainly where it cannot."""

import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specdec_core.distributions import Row, residual
from specdec_core.draws import Draws
from specdec_core.errors import (
    InvalidInstanceError,
    InvalidParameterError,
    MissingContextError,
    NondeterminismError,
    OpaqueDrawError,
)
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.rules import Verification, play_round
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.sampling import sample
from specdec_verification.audit import audit_program, load_program
from specdec_verification.exact_law import check_exact_law
from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.subjects.exact import Execution


@pytest.fixture
def audited(biased: Instance, labels: Labels) -> Callable[..., CheckResult]:
    """Return the audit of a program: target (1/4, 3/4), then (1/2, 1/2) or (1, 0)."""

    def audit(
        emit: Callable[[Instance, Draws], Any],
        instance: Instance = biased,
        max_paths: int = 1000,
    ) -> CheckResult:
        return audit_program(emit, instance, labels, Execution(max_paths))

    return audit


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Return how a program is written into a file; `sys.path` and `sys.modules` are put back."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))

    def write(text: str, name: str = "program.py") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def first_token(instance: Instance, draws: Draws) -> int:
    return sample(instance.target(()), draws.uniform())


def lazily(instance: Instance, draws: Draws) -> Iterator[int]:
    yield first_token(instance, draws)


def tried_until_kept(kept: tuple[Fraction, Fraction]) -> Callable[[Instance, Draws], list[int]]:
    """Return a program that tosses a fair coin until its side is kept."""

    def emit(instance: Instance, draws: Draws) -> list[int]:
        while True:
            token = int(draws.uniform() >= Fraction(1, 2))
            if draws.uniform() < kept[token]:
                return [token]

    return emit


@pytest.mark.parametrize(
    ("kept", "verdict"),
    [
        ((Fraction(1, 6), Fraction(1, 2)), Verdict.INCONCLUSIVE),  # in the ratio 1 to 3
        ((Fraction(1, 6), Fraction(1, 3)), Verdict.FAILED),
    ],
    ids=["right", "wrong"],
)
def test_a_loop_that_need_not_end_is_followed_by_weight(
    kept: tuple[Fraction, Fraction], verdict: Verdict, audited: Callable[..., CheckResult]
) -> None:
    found = audited(tried_until_kept(kept), max_paths=10**6)
    assert (found.verdict, found.total_variation) == (verdict, None)
    missing = float(found.detail.split("paths of probability ")[1].split(" ")[0])
    assert 0 < missing < 0.07


def test_a_bare_except_does_not_end_a_path_that_is_abandoned(
    audited: Callable[..., CheckResult],
) -> None:
    kept = tried_until_kept((Fraction(1, 6), Fraction(1, 2)))

    def stubborn(instance: Instance, draws: Draws) -> list[int]:
        try:
            return kept(instance, draws)
        except:  # noqa: E722  (that is the point)
            return [7]

    found = audited(stubborn, max_paths=10**6)
    assert found.verdict is Verdict.INCONCLUSIVE


def test_a_program_that_never_ends_is_inconclusive(audited: Callable[..., CheckResult]) -> None:
    found = audited(tried_until_kept((Fraction(0), Fraction(0))), max_paths=10**6)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "paths of probability 1 were not followed" in found.detail


@pytest.mark.parametrize(
    "emit",
    [
        lambda instance, draws: [first_token(instance, draws)],
        lambda instance, draws: (first_token(instance, draws),),
        lambda instance, draws: [np.int64(first_token(instance, draws))],
        lambda instance, draws: np.array([first_token(instance, draws)]),
        lambda instance, draws: Verification((first_token(instance, draws),), None),
        lambda instance, draws: Verification((), first_token(instance, draws)),
        lazily,
    ],
    ids=[
        "list",
        "tuple",
        "numpy_ints",
        "array",
        "accepted",
        "recovered",
        "generator",
    ],
)
def test_a_right_program_passes_in_whatever_it_returns(
    emit: Callable[[Instance, Draws], Any], audited: Callable[..., CheckResult]
) -> None:
    result = audited(emit)
    assert (result.verdict, result.total_variation) == (Verdict.PASSED, 0)
    assert result.detail == "equal: 2 sequences, 2 paths"


def test_a_program_that_plays_a_rule_has_the_rules_law(
    audited: Callable[..., CheckResult], toy: Callable[[int], Instance], labels: Labels
) -> None:
    result = audited(
        lambda instance, draws: play_round(TokenRejectionBonus(), instance, draws), toy(1)
    )
    assert result == check_exact_law(TokenRejectionBonus(), toy(1), labels)


def test_runs_of_unequal_length_are_completed_to_the_longest(
    audited: Callable[..., CheckResult],
) -> None:
    def emit(instance: Instance, draws: Draws) -> list[int]:
        token = first_token(instance, draws)
        return [1, 0] if token == 1 else [0]

    assert audited(emit).detail == "equal: 3 sequences, 2 paths"


def test_a_wrong_program_fails_by_its_exact_distance(audited: Callable[..., CheckResult]) -> None:
    result = audited(lambda instance, draws: [int(draws.uniform() < Fraction(1, 2))])
    assert (result.verdict, result.total_variation) == (Verdict.FAILED, Fraction(1, 4))
    assert result.detail == "first difference at prefix '0': expected 1/4, got 1/2"


def one_in_eight(wrong: Callable[[], Any]) -> Callable[[Instance, Draws], Any]:
    """Return a program that goes wrong with probability 1/8."""

    def emit(instance: Instance, draws: Draws) -> Any:  # noqa: ANN401
        return wrong() if draws.uniform() < 0.125 else [0]

    return emit


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (None, "returned None, expected a sequence of tokens"),
        (1, "returned 1, expected a sequence of tokens"),
        ("01", "returned '01', expected a sequence of tokens"),
        (b"\x00", r"returned b'\x00', expected a sequence of tokens"),
        ({0: 1}, "returned {0: 1}, expected a sequence of tokens"),
        ({0}, "returned {0}, expected a sequence of tokens"),
        ([], "emitted no token, expected at least one"),
        (Verification((), None), "emitted no token, expected at least one"),
        ([0, 2], "emitted: token 2, expected 0 to 1"),
        ([-1], "emitted: token -1, expected 0 to 1"),
        ([0.0], "emitted: token 0.0 (float), expected an integer"),
        ([True], "emitted: token True (bool), expected an integer"),
        ([None], "emitted: token None (NoneType), expected an integer"),
        ([[0]], "emitted: token [0] (list), expected an integer"),
        (Verification((0,), 5), "emitted: token 5, expected 0 to 1"),
    ],
)
def test_junk_fails_with_its_exact_probability(
    returned: object, reason: str, audited: Callable[..., CheckResult]
) -> None:
    result = audited(one_in_eight(lambda: returned))
    assert (result.verdict, result.total_variation, result.size) == (Verdict.FAILED, None, 2)
    assert result.detail == (
        f"runs of probability 1/8 went wrong; the likeliest, of probability 1/8, {reason}"
    )


def leave() -> None:
    sys.exit(0)


def fall_short() -> Iterator[int]:
    yield 0
    raise ValueError("late")


def no_residual() -> Row:
    row = Row([Fraction(1), Fraction(0)])
    return residual(row, row)


@pytest.mark.parametrize(
    ("wrong", "raised"),
    [
        (lambda: [][0], "IndexError('list index out of range')"),
        (leave, "SystemExit(0)"),
        (fall_short, "ValueError('late')"),
        (no_residual, "ZeroResidualError('the target nowhere exceeds the draft, so there is no"),
        (lambda: Row([0.5]), "InvalidDistributionError('row sums to 0.5, not 1"),
        (lambda: np.array(0), "TypeError('iteration over a 0-d array')"),
        (lambda: Verification(None, 0), "TypeError("),  # type: ignore[arg-type]
    ],
    ids=["index", "exit", "generator", "residual", "row", "array", "verification"],
)
def test_a_run_that_raises_fails_with_its_exact_probability(
    wrong: Callable[[], Any], raised: str, audited: Callable[..., CheckResult]
) -> None:
    result = audited(one_in_eight(wrong))
    assert result.verdict is Verdict.FAILED
    assert f"of probability 1/8, raised {raised}" in result.detail


def test_the_line_that_raised_is_named(audited: Callable[..., CheckResult]) -> None:
    line = fall_short.__code__.co_firstlineno + 2
    assert audited(one_in_eight(fall_short)).detail.endswith(
        f"ValueError('late') at {__file__}:{line}"
    )


def test_the_likeliest_of_several_faults_is_told(audited: Callable[..., CheckResult]) -> None:
    def emit(instance: Instance, draws: Draws) -> Any:  # noqa: ANN401
        draw = draws.uniform()
        if draw < 0.25:
            return []
        return [7] if draw < 0.75 else [1]

    assert audited(emit).detail == (
        "runs of probability 3/4 went wrong; "
        "the likeliest, of probability 1/2, emitted: token 7, expected 0 to 1"
    )


def test_a_fault_among_the_paths_followed_fails_though_more_are_left(
    audited: Callable[..., CheckResult],
) -> None:
    assert audited(one_in_eight(list), max_paths=1).verdict is Verdict.FAILED


def test_too_many_paths_are_inconclusive(audited: Callable[..., CheckResult]) -> None:
    def emit(instance: Instance, draws: Draws) -> list[int]:
        while draws.uniform() >= 0.5:
            pass
        return [first_token(instance, draws)]

    result = audited(emit, max_paths=10)
    assert (result.verdict, result.size) == (Verdict.INCONCLUSIVE, 10)
    assert result.detail.startswith("paths of probability 0.0312 were not followed (limit reached")


@pytest.mark.parametrize(
    ("read", "operation"),
    [(int, "int"), (float, "float"), (bool, "bool"), (round, "round"), (hash, "hash")],
)
def test_a_draw_that_is_read_is_an_error_at_the_users_line(
    read: Callable[[Any], Any], operation: str, audited: Callable[..., CheckResult]
) -> None:
    def emit(instance: Instance, draws: Draws) -> list[int]:
        return [int(read(draws.uniform()))]

    line = emit.__code__.co_firstlineno + 1
    with pytest.raises(OpaqueDrawError, match=f"{operation} of a draw at {__file__}:{line}: a sym"):
        audited(emit)


def test_a_draw_that_is_read_is_an_error_though_the_program_catches_it(
    audited: Callable[..., CheckResult],
) -> None:
    def emit(instance: Instance, draws: Draws) -> list[int]:
        try:
            return [int(draws.uniform() * 2)]
        except TypeError:
            return [0]

    with pytest.raises(OpaqueDrawError, match="int of a draw at "):
        audited(emit)


def test_state_of_ones_own_is_an_error(audited: Callable[..., CheckResult]) -> None:
    thresholds = iter([0.5, 0.25])

    def emit(instance: Instance, draws: Draws) -> list[int]:
        return [int(draws.uniform() < next(thresholds))]

    with pytest.raises(NondeterminismError, match="randomness or state of its own"):
        audited(emit)


def ask_for_more(instance: Instance, draws: Draws) -> list[int]:
    return [0, 0, instance.target((0, 0)).index(0)]


def emit_too_much(instance: Instance, draws: Draws) -> list[int]:
    return [0] * 9


def ask_for_width(instance: Instance, draws: Draws) -> list[int]:
    return [0] * instance.integer("width", minimum=1)


@pytest.mark.parametrize(
    ("emit", "error"),
    [
        (ask_for_more, MissingContextError),
        (emit_too_much, MissingContextError),
        (ask_for_width, InvalidParameterError),
    ],
)
def test_what_the_instance_lacks_is_no_verdict(
    emit: Callable[[Instance, Draws], list[int]],
    error: type[Exception],
    audited: Callable[..., CheckResult],
) -> None:
    with pytest.raises(error):
        audited(emit)


def test_one_draft_of_several_is_no_verdict(audited: Callable[..., CheckResult]) -> None:
    model = ConstantModel(Row([Fraction(1)]))
    with pytest.raises(InvalidInstanceError):
        audited(lambda instance, draws: instance.draft, Instance(model, (model, model)))


def test_a_function_is_loaded_from_a_file(
    written: Callable[..., Path], audited: Callable[..., CheckResult]
) -> None:
    path = written("def emit(instance, draws):\n    return [0]\n")
    assert load_program(f"{path}:emit")(None, None) == [0]  # type: ignore[arg-type]


def test_a_path_may_hold_colons(written: Callable[..., Path]) -> None:
    path = written("emit = list", "a:b/program.py")
    assert load_program(f"{path}:emit") is list


def test_a_file_finds_its_neighbours_at_import_and_later(written: Callable[..., Path]) -> None:
    written("token = 1\n", "neighbour_at_import.py")
    written("token = 2\n", "neighbour_later.py")
    path = written(
        "import sys\n"
        "sys.path.insert(0, 'elsewhere')\n"
        "import neighbour_at_import\n"
        "def emit(instance, draws):\n"
        "    import neighbour_later\n"
        "    return [neighbour_at_import.token, neighbour_later.token]\n"
    )
    emit = load_program(f"{path}:emit")
    assert emit(None, None) == [1, 2]  # type: ignore[arg-type]
    load_program(f"{path}:emit")
    assert sys.path.count(str(path.parent)) == 1


def test_a_file_may_define_dataclasses_and_be_called_as_a_library_is(
    written: Callable[..., Path],
) -> None:
    import json

    path = written(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class State:\n"
        "    token: int\n",
        "json.py",
    )
    assert load_program(f"{path}:State")(0).token == 0  # type: ignore[arg-type,call-arg]
    assert sys.modules["json"] is json


@pytest.mark.parametrize("place", ["", "program.py", ":emit", "program.py:", "program.py:a b"])
def test_a_place_that_names_no_function_is_refused(place: str) -> None:
    with pytest.raises(InvalidParameterError):
        load_program(place)


@pytest.mark.parametrize("name", ["missing.py", "missing", "."])
def test_a_file_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(InvalidParameterError, match="no Python file of that name"):
        load_program(f"{name}:emit")


def test_a_file_that_is_no_python_file_is_refused(written: Callable[..., Path]) -> None:
    path = written("def emit(): ...", "program.txt")
    with pytest.raises(InvalidParameterError, match="no Python file of that name"):
        load_program(f"{path}:emit")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("import nothing_of_that_name", "ModuleNotFoundError"),
        ("def emit(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit(0)", r"SystemExit\(0\)"),
    ],
)
def test_a_file_that_does_not_import_is_refused(
    text: str, error: str, written: Callable[..., Path]
) -> None:
    path = written(text)
    with pytest.raises(InvalidParameterError, match=f"program.py does not import: {error}"):
        load_program(f"{path}:emit")
    assert "_audited_program" not in sys.modules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"program\.py has no 'emit'"),
        ("other = list", r"program\.py has no 'emit'"),
        ("emit = 1", r"program\.py:emit is 1, expected a function"),
        ("emit = None", r"program\.py:emit is None, expected a function"),
    ],
)
def test_a_name_that_is_no_function_is_refused(
    text: str, message: str, written: Callable[..., Path]
) -> None:
    path = written(text)
    with pytest.raises(InvalidParameterError, match=message):
        load_program(f"{path}:emit")


def test_a_run_that_does_not_end_is_a_malfunction(biased: Instance, labels: Labels) -> None:
    def emit(instance: Instance, draws: Draws) -> list[int]:
        while draws.uniform() < Fraction(1, 4):
            time.sleep(10)
        return [1]

    result = audit_program(emit, biased, labels, Execution(max_run_seconds=0.05))
    assert result.verdict is Verdict.FAILED
    assert result.detail.startswith("runs of probability 1/4 went wrong")
    assert result.detail.endswith("did not end in time")
