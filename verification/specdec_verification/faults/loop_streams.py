"""Slips in the draws of a serving loop: whose stream is read, from where, and how often."""

import numpy as np

from specdec_core.draws import Draw, Draws
from specdec_core.rules import Verification
from specdec_verification.faults import path_slips as path
from specdec_verification.faults.path_slips import SlippedPathRule
from specdec_verification.testbed.lanes import Judged, Lines, Seat
from specdec_verification.testbed.outcomes import RequestState
from specdec_verification.testbed.steps import BY_TOKEN_REJECTION, ByRule
from specdec_verification.testbed.streams import Line, Streams

SHARED = -1
"""The seed of the stream that requests without a seed should not have."""


class StandingLine:
    """Draws of one place of a stream, again and again, as after a reset."""

    def __init__(self, streams: Streams, seed: int) -> None:
        self.index = 0
        self._streams = streams
        self._seed = seed

    def uniform(self) -> Draw:
        """Return the stream's first draw."""
        self.index += 1
        return self._streams.at((self._seed, 0))


def reset_at_each_draw(seat: Seat, state: RequestState, streams: Streams) -> Lines:
    """Set the generator back to its seed before each draw of the verification."""
    seed = seat.request.seed
    if seed is None:
        return one_line(streams, None, state.draws)
    return Lines(Line(streams, None, state.draws), StandingLine(streams, seed))


def shared_by_unseeded(seat: Seat, state: RequestState, streams: Streams) -> Lines:
    """Give every request without a seed the same stream from its start."""
    seed = SHARED if seat.request.seed is None else seat.request.seed
    return one_line(streams, seed, state.draws)


def seed_ignored(seat: Seat, state: RequestState, streams: Streams) -> Lines:
    """Draw from the generator that has no seed."""
    return one_line(streams, None, state.draws)


def seed_in_single_precision(seat: Seat, state: RequestState, streams: Streams) -> Lines:
    """Make a single-precision number of the seed."""
    seed = seat.request.seed
    return one_line(streams, None if seed is None else int(np.float32(seed)), state.draws)


def seed_of_lane(seat: Seat, state: RequestState, streams: Streams) -> Lines:
    """Take the seed that stands at the lane's number, among the seeds of all requests."""
    return one_line(streams, seat.case.requests[seat.lane].seed, state.draws)


def both_from_the_seed(seat: Seat, state: RequestState, streams: Streams) -> Lines:
    """Start the draft's generator and the verifier's from the same seed."""
    seed = seat.request.seed
    return Lines(Line(streams, seed, state.draws), Line(streams, seed, state.draws))


def draft_restarted(seat: Seat, state: RequestState, streams: Streams) -> Lines:
    """Build the draft's generator anew in every round."""
    return Lines(Line(streams, SHARED, 0), Line(streams, seat.request.seed, state.draws))


def one_line(streams: Streams, seed: int | None, index: int) -> Lines:
    """Return one line for draft and verification."""
    line = Line(streams, seed, index)
    return Lines(line, line)


def verified_after_discarded_draw(judged: Judged, draws: Draws) -> Verification:
    """Draw for a draft that is not there."""
    if not judged.lane.length:
        draws.uniform()
    return BY_TOKEN_REJECTION(judged, draws)


def verified_with_constant_noise(judged: Judged, draws: Draws) -> Verification:
    """Leave the noise of a request without a seed unfilled where another one has a seed."""
    seat = judged.lane.seat
    seeded = any(seat.case.requests[number].seed is not None for number in seat.open)
    if seat.request.seed is None and seeded:
        rule = SlippedPathRule("recovered_likeliest", recover_with=path.recover_likeliest)
        return ByRule(rule)(judged, draws)
    return BY_TOKEN_REJECTION(judged, draws)
