"""Each claim holds of a right round, and breaks where the one thing that it says is untrue."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from specdec_core.distributions import Row, point_mass
from specdec_core.draws import ReplayedDraws
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.claims import NAMES, broken
from specdec_verification.testbed.loop import Played, ServingLoop, start
from specdec_verification.testbed.outcomes import Answer, RequestState
from specdec_verification.testbed.requests import Constraints
from specdec_verification.testbed.stops import Finish
from specdec_verification.testbed.streams import Place, Streams

HALVES = Row([Fraction(1, 2), Fraction(1, 2)])

DRAWS = [0.5, 0.0, 0.0, 0.5, 0.75, 0.0, 0.0, 0.0]
"""The first request drafts 1 and refuses it; the second, with a seed, keeps its first."""


@pytest.fixture
def longer(case: ServingCase) -> ServingCase:
    """Return the case with room for another round."""
    return replace(
        case,
        requests=tuple(
            replace(request, limits=replace(request.limits, max_new_tokens=9))
            for request in case.requests
        ),
    )


@pytest.fixture
def played(longer: ServingCase) -> tuple[Played, list[Place]]:
    streams = Streams(ReplayedDraws(DRAWS))
    return ServingLoop().play(longer, start(longer), streams), streams.taken


def with_seeded(played: Played, change: Callable[[RequestState], RequestState]) -> Played:
    return replace(played, states=(played.states[0], change(played.states[1])))


def test_a_right_round_breaks_nothing(
    longer: ServingCase, played: tuple[Played, list[Place]]
) -> None:
    assert broken(longer, *played) == frozenset()


@pytest.mark.parametrize(
    ("names", "change"),
    [
        (
            {"counters"},
            lambda s: replace(s, counters=replace(s.counters, rounds=2)),
        ),
        (
            {"counters"},
            lambda s: replace(s, counters=replace(s.counters, accepted=s.counters.accepted + 1)),
        ),
        ({"probs"}, lambda s: replace(s, probs=(Fraction(1, 3), *s.probs[1:]))),
        ({"probs"}, lambda s: replace(s, probs=s.probs[:-1])),
        ({"state"}, lambda s: replace(s, history=(*s.history, 0))),
        ({"state"}, lambda s: replace(s, target_state=(s.target_state + 1) % 3)),
        ({"state"}, lambda s: replace(s, grammar_state=1)),
        (set(), lambda s: replace(s, draft_state=(s.draft_state + 1) % 3)),
        ({"seed"}, lambda s: replace(s, draws=s.draws + 1)),
        (
            {"progress", "probs", "counters"},
            lambda s: replace(s, answer=Answer((), Finish.LENGTH)),
        ),
        ({"tokens"}, lambda s: replace(s, answer=Answer((2,), None))),
    ],
)
def test_what_is_untrue_breaks_its_claim(
    names: set[str],
    change: Callable[[RequestState], RequestState],
    longer: ServingCase,
    played: tuple[Played, list[Place]],
) -> None:
    round_, taken = played
    assert broken(longer, with_seeded(round_, change), taken) == names


def test_a_draw_of_another_breaks_the_seed(
    longer: ServingCase, played: tuple[Played, list[Place]]
) -> None:
    round_, taken = played
    assert broken(longer, round_, [*taken, (7, 2)]) == {"seed"}
    assert broken(longer, round_, [*taken, (8, 0)]) == {"seed"}


def test_a_written_table_breaks_the_rows(
    longer: ServingCase, played: tuple[Played, list[Place]]
) -> None:
    round_, taken = played
    assert broken(longer, replace(round_, rows_kept=False), taken) == {"rows"}


def test_a_bonus_that_is_not_emitted_breaks_its_claim(longer: ServingCase) -> None:
    streams = Streams(ReplayedDraws([0.0] * 8))
    right = ServingLoop().play(longer, start(longer), streams)
    first, second = right.states
    assert [len(state.tokens) for state in right.states] == [2, 3]
    short = replace(
        second,
        answer=Answer(second.tokens[:-1], None),
        probs=second.probs[:-1],
        history=second.tokens[:-1],
        target_state=longer.target.after(0, second.tokens[:-1]),
        counters=replace(second.counters, emitted=2),
    )
    assert broken(longer, replace(right, states=(first, short)), streams.taken) == {"bonus"}


def test_an_answer_that_plain_decoding_never_comes_to_has_no_right_probabilities(
    longer: ServingCase,
) -> None:
    """Token 0 is banned, and nothing else can follow it."""
    target = replace(longer.target, rows=(HALVES, point_mass(0, 2), point_mass(0, 2)))
    banned = Constraints(banned=frozenset({0}))
    right = replace(longer, target=target)
    case = replace(
        right, requests=tuple(replace(request, constraints=banned) for request in right.requests)
    )
    streams = Streams(ReplayedDraws([0.0] * 8))
    played = ServingLoop().play(right, start(right), streams)
    assert broken(right, played, streams.taken) == frozenset()
    assert broken(case, _served_as(case, played), streams.taken) == {"probs"}


def _served_as(case: ServingCase, played: Played) -> Played:
    lanes = [replace(lane, seat=replace(lane.seat, case=case)) for lane in played.lanes]
    return replace(played, lanes=tuple(lanes))


def test_names_are_those_of_the_claims() -> None:
    assert NAMES == ("progress", "bonus", "tokens", "counters", "probs", "state", "seed", "rows")
