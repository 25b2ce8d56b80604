"""What several test files of the subjects share."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from scipy import stats

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import Context, TableModel
from specdec_grids.generated import contexts
from specdec_grids.trails import Trail
from specdec_grids.walking import walk
from specdec_verification.subjects import exact, runs
from specdec_verification.subjects.libraries import available
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.replays import numbers_of
from specdec_verification.subjects.running import current, replacing
from specdec_verification.subjects.streams import StreamDraws, continuous

DRAWN = 2_000
"""Outcomes drawn by the unreplaced functions, to be compared with the exact law."""


@pytest.fixture(scope="session")
def law() -> Callable[..., dict[Hashable, Fraction]]:
    """Return the exact law of a callable, as a dictionary; nothing is missing."""

    def found(emit: exact.Emit, execution: exact.Execution = exact.DEFAULT) -> Any:  # noqa: ANN401
        exploration = exact.exact_law(emit, execution)
        assert exploration.missing == 0
        return dict(exploration.law.probs)

    return found


@pytest.fixture(scope="session")
def uniform() -> Callable[[], Symbol]:
    """Return a new uniform of the run at hand: a symbol even while a path is replayed."""

    def drawn() -> Symbol:
        draws = current()
        return Symbol(draws.draw(draws.unseeded("tests"), 0, "uniform"), 1, 0)

    return drawn


@pytest.fixture(scope="session")
def replays() -> Callable[[Callable[[], Any]], None]:
    """Return a check that every path, run again with numbers of its own, ends the same way."""

    def check(emit: Callable[[], Any]) -> None:
        with replacing(available()):
            trail: Trail[Any] = Trail()
            draws = StreamDraws(trail, continuous)
            for outcome, _ in walk(lambda _: runs.run_once(emit, draws), trail, draws):
                assert runs.replay(emit, numbers_of(trail, draws.of_this_run())) == outcome

    return check


@pytest.fixture(scope="session")
def agrees() -> Callable[[Callable[[], Any], Mapping[Hashable, Fraction]], None]:
    """Return a G-test, at 1e-9, of the unreplaced callable against an exact law."""

    def check(emit: Callable[[], Any], expected: Mapping[Hashable, Fraction]) -> None:
        counts = Counter(runs.frozen(emit()) for _ in range(DRAWN))
        assert set(counts) <= set(expected)
        observed = [counts[outcome] for outcome in expected]
        means = [DRAWN * float(prob) for prob in expected.values()]
        if len(means) > 1:
            found = stats.power_divergence(observed, means, lambda_="log-likelihood")
            assert found.pvalue > 1e-9

    return check


@pytest.fixture(scope="session")
def dense_instance() -> Callable[[int, int], Instance]:
    """Return instances without zeros, by ``V`` and gamma; their rows depend on the context."""

    def row(vocab_size: int, context: Context, shift: int) -> Row:
        parts = [
            1 + ((shift + 1) * token + shift + 3 * sum(context)) % 5 for token in range(vocab_size)
        ]
        return Row(Fraction(part, sum(parts)) for part in parts)

    def instance(vocab_size: int, gamma: int) -> Instance:
        target, draft = (
            TableModel(
                {key: row(vocab_size, key, shift) for key in contexts(vocab_size, gamma + 1)}
            )
            for shift in (2, 3)
        )
        return Instance(target, (draft,), {"gamma": gamma})

    return instance
