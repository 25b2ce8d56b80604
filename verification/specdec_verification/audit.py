"""Someone's own program, audited: the exact law of what it emits against the target's.

The program is a function of an instance and of `draws`, and returns the tokens that it emits; it
asks ``draws.uniform()`` for every random number, and compares it with thresholds or hands it to
`specdec_core.sampling.sample`.  A run that raises, or returns something that is no list of tokens,
is a result of its own, with its exact probability: dropping such runs would condition the law.
"""

import importlib.util
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError, SpecdecError
from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.models import Context
from specdec_core.parameters import require_token
from specdec_core.rules import Verification
from specdec_grids.paths import Exploration, exact_law
from specdec_verification.exact_law import MAX_PATHS, judge
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

Emit = Callable[[Instance, Draws], Any]
"""What is audited: from an instance and draws to the tokens emitted, or a `Verification`."""


@dataclass(frozen=True, slots=True)
class Malfunction:
    """A run that emitted no tokens: what happened instead."""

    reason: str


def load_program(place: str) -> Emit:
    """Return the function that ``FILE.py:NAME`` stands for.

    Raises
    ------
    InvalidParameterError
        If the file does not exist or does not import, or has no such function.
    """
    file, colon, name = place.rpartition(":")
    if not colon or not name.isidentifier():
        raise InvalidParameterError(f"{place!r}: expected FILE.py:NAME")
    program = getattr(_module(Path(file)), name, None)
    if not callable(program):
        raise InvalidParameterError(f"{file} has no function {name!r}")
    return program  # type: ignore[no-any-return]


def _module(path: Path) -> Any:  # noqa: ANN401  (a module has whatever its author gave it)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InvalidParameterError(f"{path}: no Python file of that name")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))  # so that the file can import its neighbours
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the file raises, it does not import
        raise InvalidParameterError(f"{path} does not import: {error!r}") from error
    finally:
        sys.path.pop(0)
    return module


def audit_program(
    emit: Emit, instance: Instance, labels: Labels, *, max_paths: int = MAX_PATHS
) -> CheckResult:
    """Check the law of what a program emits against the target's joint law.

    Every run's tokens are completed with the target's conditional probabilities to the length of
    the longest run.

    Parameters
    ----------
    emit : callable
        From an instance and draws to tokens or a `Verification`; deterministic but for the draws.
    instance : Instance
        With rows for every context that the program and the completion can reach.
    labels : Labels
        What the result is called.
    max_paths : int
        Past it, the audit is inconclusive, unless what was followed fails already.

    Raises
    ------
    OpaqueDrawError, NondeterminismError
        If the program cannot be followed; the message says where.
    """
    found = exact_law(lambda draws: _tokens(emit, instance, draws), max_paths=max_paths)
    broken = [outcome for outcome in found.law if isinstance(outcome, Malfunction)]
    if broken:
        return _malfunctioned(broken, found, labels)
    emitted = {
        tokens: prob for tokens, prob in found.law.probs.items() if isinstance(tokens, tuple)
    }
    horizon = max(map(len, emitted))
    return judge(Exploration(Law(emitted), found.paths, found.missing), instance, horizon, labels)


def _tokens(emit: Emit, instance: Instance, draws: Draws) -> Context | Malfunction:
    try:
        emitted = emit(instance, draws)
    except SpecdecError:
        raise  # of our own making: the program cannot be followed, or the instance does not do
    except Exception as error:  # whatever else the program raises is a result of this path
        return Malfunction(f"raised {error!r}")
    return _checked(emitted, instance.vocab_size)


def _checked(emitted: Any, vocab_size: int) -> Context | Malfunction:  # noqa: ANN401
    tokens = emitted.tokens if isinstance(emitted, Verification) else emitted
    if isinstance(tokens, str) or not isinstance(tokens, Iterable):
        return Malfunction(f"returned {tokens!r}, expected a sequence of tokens")
    tokens = tuple(tokens)
    if not tokens:
        return Malfunction("emitted no token, expected at least one")
    try:
        for token in tokens:
            require_token(token, vocab_size, "emitted")
    except SpecdecError as error:
        return Malfunction(str(error))
    return tuple(map(int, tokens))


def _malfunctioned(
    broken: list[Malfunction], found: Exploration[Context | Malfunction], labels: Labels
) -> CheckResult:
    mass: Fraction = Law({outcome: found.law[outcome] for outcome in broken}).mass
    worst = max(broken, key=found.law.__getitem__)
    return CheckResult(
        check="exact_law",
        labels=labels,
        verdict=Verdict.FAILED,
        evidence=Evidence.EXACT_LAW,
        total_variation=None,
        size=found.paths,
        detail=(
            f"runs of probability {mass} emitted no tokens; "
            f"the likeliest, of probability {found.law[worst]}, {worst.reason}"
        ),
    )
