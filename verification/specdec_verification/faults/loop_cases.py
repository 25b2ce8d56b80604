"""Cases that show the faults of a serving loop: one setting each, and small enough to follow.

All are over three tokens; the target has five states and the draft three, so that rows differ from
position to position and a row that is read at another place is another row.
"""

from fractions import Fraction

from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.grammar import Grammar
from specdec_verification.testbed.recurrent import RecurrentModel
from specdec_verification.testbed.requests import Constraints, Limits, Penalties, Request, Sampling
from specdec_verification.testbed.stages import unit

SIXTHS = ((3, 2, 1), (1, 1, 4), (1, 4, 1), (2, 1, 3), (4, 1, 1))
QUARTERS = ((1, 1, 2), (2, 1, 1), (1, 2, 1))


def model(weights: tuple[tuple[int, ...], ...], stride: int) -> RecurrentModel:
    """Return a model whose rows are proportional to integer weights."""
    return RecurrentModel(tuple(unit([Fraction(w) for w in row]) for row in weights), stride)


TARGET = model(SIXTHS, stride=2)
DRAFT = model(QUARTERS, stride=1)


def served(*requests: Request) -> ServingCase:
    """Return a case of these requests, with equal vocabularies."""
    return ServingCase(TARGET, DRAFT, (0, 1, 2), requests)


HALF = Fraction(1, 2)

PLAIN = served(Request(Limits(3), gamma=2))
"""Nothing asked for."""

LONGER = served(Request(Limits(4), gamma=1, prompt=(1,)))
"""Three rounds or more, after a prompt."""

SHORT_ROUNDS = served(Request(Limits(3), gamma=1))
"""Two rounds or more."""

SEEDED = served(Request(Limits(3), gamma=1, seed=7))
"""A seed, and two rounds or more."""

UNDRAFTED = served(Request(Limits(2), gamma=0, seed=7))
"""A seed, and no draft."""

TEMPERED = served(Request(Limits(2), gamma=1, sampling=Sampling(HALF)))
"""A temperature."""

FILTERED = served(Request(Limits(2), gamma=1, sampling=Sampling(top_k=2, top_p=Fraction(3, 5))))
"""Top-k and top-p, which together keep more than one after the other."""

TOP_P = served(Request(Limits(2), gamma=1, sampling=Sampling(top_p=Fraction(2, 3))))
"""Top-p alone."""

MIN_P = served(
    Request(
        Limits(2),
        gamma=1,
        sampling=Sampling(min_p=HALF),
        constraints=Constraints(bias=(Fraction(2), Fraction(1), HALF)),
    )
)
"""Min-p and a bias."""

GREEDY = served(
    Request(Limits(2), gamma=1, sampling=Sampling(Fraction(0))), Request(Limits(1), gamma=1)
)
"""A greedy request beside one that is sampled."""

BANNED = served(Request(Limits(2), gamma=1, constraints=Constraints(banned=frozenset({0}))))
"""A banned token."""

PENALISED = served(
    Request(Limits(3), gamma=1, prompt=(0,), penalties=Penalties(2, HALF, Fraction(2, 3)))
)
"""All three penalties, and a prompt."""

PENALISED_PAIR = served(
    Request(Limits(1), gamma=1), Request(Limits(2), gamma=1, prompt=(0,), penalties=Penalties(2))
)
"""A request with a penalty behind one without."""

ORDERED = served(
    Request(
        Limits(2),
        gamma=1,
        prompt=(2,),
        sampling=Sampling(HALF, top_p=Fraction(3, 4)),
        penalties=Penalties(2),
        constraints=Constraints((Fraction(1), Fraction(2), Fraction(2)), banned=frozenset({1})),
    )
)
"""A penalty, a bias, a ban, a temperature and top-p: in another order they make another row."""

PENALISED_RUNS = served(Request(Limits(3), gamma=2, penalties=Penalties(frequency=HALF)))
"""A frequency penalty, and runs of two draft tokens."""

CONSTRAINED = served(Request(Limits(4), gamma=2, grammar=Grammar(((1, 0, None), (0, None, 1)))))
"""A grammar of two states, and room for a round after a draft that was kept whole."""

CONSTRAINED_PAIR = served(
    Request(Limits(2), gamma=1, grammar=Grammar(((1, None, None), (0, None, 1)))),
    Request(Limits(2), gamma=2, grammar=Grammar(((1, 0, None), (None, None, 1)))),
)
"""Two grammars, and drafts of unequal length."""

STOPPED = served(Request(Limits(3, stop_tokens=frozenset({0})), gamma=2))
"""A stop token."""

STOPPED_LATE = served(
    Request(
        Limits(3, stop_tokens=frozenset({0})),
        gamma=1,
        prompt=(1,),
        constraints=Constraints(min_new_tokens=2),
    )
)
"""A stop token, and an answer that is to have two tokens before it, the prompt's not counted."""

STOPPED_CONSTRAINED = served(
    Request(
        Limits(2, stop_tokens=frozenset({0})), gamma=2, grammar=Grammar(((1, 0, 0), (0, None, 1)))
    )
)
"""A stop token and a grammar."""

STOPPED_TWICE = served(
    Request(Limits(3, stop_tokens=frozenset({1}), stop_sequences=((2, 1),)), gamma=1)
)
"""A stop sequence whose last token is a stop token."""

SEQUENCE = served(Request(Limits(4, stop_sequences=((2, 1),)), gamma=1))
"""A stop sequence that rounds can break in two."""

CAPPED = served(Request(Limits(2), gamma=2))
"""A cap that a run can pass."""

UNEVEN = served(
    Request(Limits(1), gamma=1, sampling=Sampling(Fraction(0))),
    Request(Limits(1), gamma=2),
    Request(Limits(1), gamma=1, prompt=(1,), sampling=Sampling(Fraction(0))),
)
"""Three requests, and a draft in the middle that is longer."""

UNEQUAL = served(
    Request(Limits(1), gamma=1, seed=3),
    Request(Limits(3), gamma=1, seed=4, sampling=Sampling(HALF)),
)
"""Two requests, of which one ends first."""

THREE = served(*[Request(Limits(1), gamma=1, prompt=(token,)) for token in range(3)])
"""Three requests with unlike prompts."""

UNSEEDED_PAIR = served(*[Request(Limits(1), gamma=1)] * 2)
"""The same request twice, without a seed."""

MIXED_SEEDS = served(Request(Limits(1), gamma=1, seed=7), Request(Limits(1), gamma=1))
"""A seeded request beside one without a seed."""

LARGE_SEEDS = served(*[Request(Limits(1), gamma=1, seed=2**24 + n) for n in range(2)])
"""Seeds that one single-precision number stands for."""

REDUCED = ServingCase(
    TARGET, model(((1, 3), (3, 1), (1, 1)), stride=1), (0, 2), (Request(Limits(2), gamma=1),)
)
"""A draft model that lacks a token in the middle of the vocabulary."""
