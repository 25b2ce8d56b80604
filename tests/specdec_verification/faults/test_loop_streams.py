import pytest

from specdec_core.draws import ReplayedDraws
from specdec_verification.faults import loop_streams as slips
from specdec_verification.faults.loop_cases import LARGE_SEEDS, SEEDED, UNDRAFTED, UNSEEDED_PAIR
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.lanes import Seat
from specdec_verification.testbed.loop import ServingLoop, start
from specdec_verification.testbed.streams import Streams


def streams() -> Streams:
    return Streams(ReplayedDraws([0.25, 0.5, 0.75]))


def seat(case: ServingCase, lane: int = 0) -> Seat:
    return Seat(case, tuple(range(len(case.requests))), lane)


def test_a_reset_line_stands() -> None:
    line = slips.StandingLine(streams(), 7)
    assert [line.uniform(), line.uniform(), line.index] == [0.25, 0.25, 2]


def test_a_reset_needs_a_seed() -> None:
    lines = slips.reset_at_each_draw(seat(UNSEEDED_PAIR), start(UNSEEDED_PAIR)[0], streams())
    assert lines.draft is lines.verify


def test_requests_without_a_seed_read_one_stream() -> None:
    source, states = streams(), start(UNSEEDED_PAIR)
    first = slips.shared_by_unseeded(seat(UNSEEDED_PAIR, 0), states[0], source)
    second = slips.shared_by_unseeded(seat(UNSEEDED_PAIR, 1), states[1], source)
    assert first.draft.uniform() == second.draft.uniform() == 0.25


def test_two_large_seeds_become_one() -> None:
    source, states = streams(), start(LARGE_SEEDS)
    for lane in range(2):
        lines = slips.seed_in_single_precision(seat(LARGE_SEEDS, lane), states[lane], source)
        assert lines.verify.uniform() == 0.25


def test_draft_and_verifier_share_their_first_draw() -> None:
    lines = slips.both_from_the_seed(seat(SEEDED), start(SEEDED)[0], streams())
    assert lines.draft.uniform() == lines.verify.uniform() == 0.25


@pytest.mark.parametrize(("number", "taken"), [(0, 4), (1, 3)])
def test_only_a_round_without_a_draft_draws_once_more(number: int, taken: int) -> None:
    """One draw and one thrown away; or a draft token, its test, and the token added."""
    case = (UNDRAFTED, SEEDED)[number]
    loop = ServingLoop(verify_with=slips.verified_after_discarded_draw)
    source = Streams(ReplayedDraws([0.25] * 4))
    states = start(case)
    while len(source.taken) < taken:
        states = loop.play(case, states, source).states
    assert states[0].draws == taken
