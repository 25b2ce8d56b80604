"""Hypothesis strategies for serving cases: every setting that a request can have.

One token is always possible, so that no mask leaves a row empty: it is never banned, never a stop
token, the grammar always allows it, and the target always gives it weight.  Cases shrink towards
a single request that asks for nothing; sizes do not shrink, for a case of one token shows little.

Sizes are bounded by what a law costs: the paths of one round are the product of those of its lanes.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from specdec_core.distributions import Row
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.grammar import Grammar
from specdec_verification.testbed.recurrent import RecurrentModel
from specdec_verification.testbed.requests import Constraints, Limits, Penalties, Request, Sampling
from specdec_verification.testbed.stages import unit

Setting = TypeVar("Setting")

FACTORS = (Fraction(1, 2), Fraction(2), Fraction(2, 3), Fraction(3))
"""Bias and penalty factors."""

TEMPERATURES = (Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(0))

LONGEST = {1: 4, 2: 3, 3: 2}
"""Answer by the number of requests."""


@st.composite
def serving_cases(draw: DrawFn, max_requests: int = 3) -> ServingCase:
    """Return cases of one to three requests over two or three tokens.

    Three requests have answers of two tokens at most, a single one of up to four; drafts have up
    to two, of three requests only the first's.
    """
    size = draw(st.integers(1, max_requests))
    vocab_size = draw(st.integers(2, 3))
    longest = LONGEST[size]
    known = draw(st.sampled_from(range(vocab_size, 0, -1)))
    draft_ids = draw(st.permutations(range(vocab_size)))[:known]
    others = (1, 0) if size == 3 else (1, 2, 0)
    gammas = [draw(st.sampled_from((1, 2, 0) if n == 0 else others)) for n in range(size)]
    seeds = [draw(st.sampled_from((None, number))) for number in range(size)]
    return ServingCase(
        target=draw(models(vocab_size)),
        draft=draw(models(len(draft_ids))),
        draft_ids=tuple(draft_ids),
        requests=tuple(
            draw(requests(vocab_size, longest, gamma, seed))
            for gamma, seed in zip(gammas, seeds, strict=True)
        ),
    )


@st.composite
def models(draw: DrawFn, vocab_size: int) -> RecurrentModel:
    """Return recurrent models of up to five states; the last token always has weight."""
    states = draw(st.sampled_from((3, 5, 1)))
    rows = draw(st.lists(rows_over(vocab_size), min_size=states, max_size=states))
    return RecurrentModel(tuple(rows), stride=draw(st.sampled_from((1, 2))))


def rows_over(vocab_size: int) -> SearchStrategy[Row]:
    """Return exact rows of small weights; the last token's is not zero."""
    some = st.sampled_from((1, 2, 3, 4, 0))
    return st.tuples(*[some] * (vocab_size - 1), st.integers(1, 4)).map(
        lambda weights: unit([Fraction(weight) for weight in weights])
    )


@st.composite
def requests(draw: DrawFn, vocab_size: int, longest: int, gamma: int, seed: int | None) -> Request:
    """Return requests with any settings; seed and draft length are given."""
    token = st.integers(0, vocab_size - 1)
    return Request(
        limits=draw(limits(vocab_size, longest)),
        gamma=gamma,
        prompt=tuple(draw(st.lists(token, max_size=2))),
        seed=seed,
        sampling=draw(samplings(vocab_size)),
        penalties=draw(PENALTIES),
        constraints=draw(constraints(vocab_size)),
        grammar=draw(st.one_of(st.none(), grammars(vocab_size))),
    )


def samplings(vocab_size: int) -> SearchStrategy[Sampling]:
    """Return temperatures and filters, each asked for or not."""
    return st.builds(
        Sampling,
        temperature=_perhaps(TEMPERATURES),
        top_k=_perhaps(range(vocab_size, 0, -1)),
        top_p=_perhaps([Fraction(n, 8) for n in range(8, 3, -1)]),
        min_p=_perhaps([Fraction(n, 8) for n in range(6)]),
    )


PENALTIES = st.builds(
    Penalties,
    repetition=st.integers(1, 2),
    presence=st.sampled_from((Fraction(1), *FACTORS)),
    frequency=st.sampled_from((Fraction(1), *FACTORS)),
)


def constraints(vocab_size: int) -> SearchStrategy[Constraints]:
    """Return biases, bans and least lengths; the last token is never banned."""
    factors = st.lists(st.sampled_from(FACTORS), min_size=vocab_size, max_size=vocab_size)
    return st.builds(
        Constraints,
        bias=st.one_of(st.just(()), factors.map(tuple)),
        banned=_perhaps(range(vocab_size - 1)).map(_only),
        min_new_tokens=st.integers(0, 2),
    )


def limits(vocab_size: int, longest: int) -> SearchStrategy[Limits]:
    """Return caps, stop tokens and stop sequences; the last token is no stop token."""
    token = st.integers(0, vocab_size - 1)
    sequence = st.lists(token, min_size=1, max_size=2).map(tuple)
    return st.builds(
        Limits,
        max_new_tokens=st.sampled_from(range(longest, 0, -1)),
        stop_tokens=_perhaps(range(vocab_size - 1)).map(_only),
        stop_sequences=st.lists(sequence, max_size=1).map(tuple),
    )


def grammars(vocab_size: int) -> SearchStrategy[Grammar]:
    """Return automata of two states; the last token is always allowed."""
    move = st.integers(0, 1)
    state = st.tuples(*[st.one_of(move, move, st.none())] * (vocab_size - 1), move)
    return st.tuples(state, state).map(Grammar)


def _perhaps(values: Sequence[Setting]) -> SearchStrategy[Setting | None]:
    """Return nothing three times out of four: all settings at once leave no token but one."""
    return st.sampled_from((*[None] * (3 * len(values)), *values))


def _only(token: int | None) -> frozenset[int]:
    return frozenset(() if token is None else (token,))
