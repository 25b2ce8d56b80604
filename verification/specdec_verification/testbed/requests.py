"""What a request asks for: how to sample, what to penalise and forbid, and when to stop.

Every number is chosen so that the law stays rational.  A temperature has an integer for its
inverse, or is zero.  A logit bias ``b`` and the presence and frequency penalties are added to or
subtracted from logits elsewhere; here they are the factors ``exp(b)`` on the weights, given as
fractions.  The repetition penalty multiplies a negative logit; a log-probability never is positive,
so here it is an integer power of the probability.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from specdec_core.errors import InvalidParameterError
from specdec_core.models import Context
from specdec_core.parameters import require_fraction, require_integer, require_positive_fraction
from specdec_verification.testbed.grammar import Grammar


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a row is sampled; what is ``None`` was not asked for.

    Attributes
    ----------
    temperature : Fraction or None
        Zero (greedy), or one over an integer.
    top_k : int or None
        At least 1.
    top_p : Fraction or None
        In ``(0, 1]``.
    min_p : Fraction or None
        In ``[0, 1]``.

    Raises
    ------
    InvalidParameterError
        If the temperature is another: the row would not stay rational.
    """

    temperature: Fraction | None = None
    top_k: int | None = None
    top_p: Fraction | None = None
    min_p: Fraction | None = None

    def __post_init__(self) -> None:
        if self.temperature is not None:
            temperature = require_fraction(self.temperature, "temperature", minimum=0)
            if temperature.numerator not in (0, 1):
                raise InvalidParameterError(
                    f"temperature is {temperature}, expected 0 or one over an integer"
                )


@dataclass(frozen=True, slots=True)
class Penalties:
    """What earlier tokens do to the next row.

    Attributes
    ----------
    repetition : int
        Power of the probability of every token of the prompt or the answer; at least 1.
    presence, frequency : Fraction
        Factor on the weight of every token of the answer, once, and once for each time; above 0.
    """

    repetition: int = 1
    presence: Fraction = Fraction(1)
    frequency: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        require_integer(self.repetition, "repetition", minimum=1)
        require_positive_fraction(self.presence, "presence")
        require_positive_fraction(self.frequency, "frequency")


@dataclass(frozen=True, slots=True)
class Constraints:
    """What the request does to single tokens, whatever came before.

    Attributes
    ----------
    bias : tuple of Fraction
        Factor on each token's weight, above 0; empty for none.
    banned : frozenset of int
        Tokens that never come.
    min_new_tokens : int
        Until the answer is so long, no stop token comes.
    """

    bias: tuple[Fraction, ...] = ()
    banned: frozenset[int] = frozenset()
    min_new_tokens: int = 0

    def __post_init__(self) -> None:
        for token, factor in enumerate(self.bias):
            require_positive_fraction(factor, f"bias[{token}]")
        require_integer(self.min_new_tokens, "min_new_tokens", minimum=0)


@dataclass(frozen=True, slots=True)
class Limits:
    """When an answer ends.

    Attributes
    ----------
    max_new_tokens : int
        At least 1.
    stop_tokens : frozenset of int
    stop_sequences : tuple of tuple of int
        The answer ends with the last token of one; none is empty.
    """

    max_new_tokens: int
    stop_tokens: frozenset[int] = frozenset()
    stop_sequences: tuple[Context, ...] = ()

    def __post_init__(self) -> None:
        require_integer(self.max_new_tokens, "max_new_tokens", minimum=1)
        if not all(self.stop_sequences):
            raise InvalidParameterError("stop_sequences holds an empty one, expected tokens")


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes
    ----------
    limits : Limits
    gamma : int
        Draft tokens a round; at least 0.
    prompt : tuple of int
    seed : int or None
        Names the stream of the request's draws, and is at least 0; ``None`` for draws that nothing
        repeats.
    sampling, penalties, constraints
    grammar : Grammar or None
    """

    limits: Limits
    gamma: int
    prompt: Context = ()
    seed: int | None = None
    sampling: Sampling = Sampling()
    penalties: Penalties = Penalties()
    constraints: Constraints = Constraints()
    grammar: Grammar | None = None

    def __post_init__(self) -> None:
        require_integer(self.gamma, "gamma", minimum=0)
        if self.seed is not None:
            require_integer(self.seed, "seed", minimum=0)

    def grammar_fed(self, state: int, token: int) -> int:
        """Return the grammar's state after one token more; without a grammar it stays."""
        return state if self.grammar is None else self.grammar.after(state, token)

    def grammar_after(self, tokens: Context, state: int = 0) -> int:
        """Return the grammar's state after several tokens more."""
        return reduce(self.grammar_fed, tokens, state)
