"""Slips in the books of a serving loop: where an answer ends, and what is said about it."""

from dataclasses import replace
from fractions import Fraction

from specdec_core.draws import Draws
from specdec_core.models import Context
from specdec_core.rules import Verification
from specdec_verification.testbed.lanes import Judged
from specdec_verification.testbed.outcomes import Counters
from specdec_verification.testbed.requests import Limits
from specdec_verification.testbed.steps import BY_TOKEN_REJECTION, counted, row_probs
from specdec_verification.testbed.stops import Cut, Finish, cut, ended


def end_seen_at_last_token(limits: Limits, answer: Context, run: Context) -> Cut:
    """Look for an end at the last token of the run only."""
    return Cut(run, ended(limits, answer + run))


def end_seen_and_run_kept(limits: Limits, answer: Context, run: Context) -> Cut:
    """End the answer where it ends, and keep the tokens behind."""
    return Cut(run, cut(limits, answer, run).finish)


def sequence_within_run(limits: Limits, answer: Context, run: Context) -> Cut:
    """Look for stop sequences in the run alone."""
    alone = cut(replace(limits, stop_tokens=frozenset()), (), run)
    whole = cut(replace(limits, stop_sequences=()), answer, run)
    return alone if alone.finish is Finish.STOP_SEQUENCE else whole


def first_token_skipped(limits: Limits, answer: Context, run: Context) -> Cut:
    """Begin to look at the second token of a run."""
    if len(run) < 2:
        return Cut(run, ended(replace(limits, stop_sequences=()), answer + run))
    without_first = cut(limits, answer + run[:1], run[1:])
    return Cut(run[:1] + without_first.tokens, without_first.finish)


def sequence_before_token(limits: Limits, answer: Context, run: Context) -> Cut:
    """Look for stop sequences before stop tokens."""
    found = cut(limits, answer, run)
    sequences = replace(limits, stop_tokens=frozenset())
    if found.finish and ended(sequences, answer + found.tokens) is Finish.STOP_SEQUENCE:
        return replace(found, finish=Finish.STOP_SEQUENCE)
    return found


def budget_charged_first(limits: Limits, answer: Context, run: Context) -> Cut:
    """Drop a run that does not fit into what is left of the budget."""
    if len(answer) + len(run) > limits.max_new_tokens:
        return Cut((), Finish.LENGTH)
    return cut(limits, answer, run)


def probs_of_whole_run(
    judged: Judged, verification: Verification, kept: Cut
) -> tuple[Fraction, ...]:
    """Report what was cut away too."""
    return row_probs(judged, verification.tokens)


def probs_of_stale_rows(
    judged: Judged, verification: Verification, kept: Cut
) -> tuple[Fraction, ...]:
    """Near the length limit, read each token's probability one row late."""
    lane = judged.lane
    left = lane.seat.request.limits.max_new_tokens - len(lane.before.tokens)
    if left > lane.length:
        return row_probs(judged, kept.tokens)
    late = (*judged.target_rows[1:], judged.target_rows[-1])
    return row_probs(replace(judged, target_rows=late), kept.tokens)


def successes_counted(judged: Judged, verification: Verification, kept: Cut) -> Counters:
    """Count every draft token that would pass alone, behind a refused one too."""
    lane = judged.lane
    triples = zip(lane.proposal.tokens, judged.target_rows, judged.draft_rows, strict=False)
    passing = sum(p[token] >= q[token] for token, p, q in triples)
    accepted = lane.before.counters.accepted + passing
    return replace(counted(judged, verification, kept), accepted=accepted)


def bonus_counted(judged: Judged, verification: Verification, kept: Cut) -> Counters:
    """Count the token that the target added among the accepted ones."""
    accepted = judged.lane.before.counters.accepted + len(kept.tokens)
    return replace(counted(judged, verification, kept), accepted=accepted)


def one_less_counted(judged: Judged, verification: Verification, kept: Cut) -> Counters:
    """Count one accepted token less than were emitted, whatever the run ended with."""
    accepted = judged.lane.before.counters.accepted + len(kept.tokens) - 1
    return replace(counted(judged, verification, kept), accepted=accepted)


def whole_run_counted(judged: Judged, verification: Verification, kept: Cut) -> Counters:
    """Count what was emitted before the stop is applied."""
    emitted = judged.lane.before.counters.emitted + len(verification.tokens)
    return replace(counted(judged, verification, kept), emitted=emitted)


def bonus_dropped(judged: Judged, draws: Draws) -> Verification:
    """Draw the bonus token, and return none after a draft that was kept whole."""
    verification = BY_TOKEN_REJECTION(judged, draws)
    if 0 < judged.lane.length == len(verification.accepted):
        return replace(verification, final=None)
    return verification
