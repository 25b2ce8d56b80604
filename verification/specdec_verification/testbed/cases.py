"""What is served: two models, the map between their vocabularies, and a batch of requests."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from specdec_core.distributions import Row, cached_on_rows
from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_core.parameters import require_token
from specdec_verification.testbed.recurrent import RecurrentModel
from specdec_verification.testbed.requests import Request


@dataclass(frozen=True, slots=True)
class ServingCase:
    """A case for a serving loop.

    Attributes
    ----------
    target : RecurrentModel
        Over the tokens ``0 .. V-1``.
    draft : RecurrentModel
        Over its own ids; it is fed the target's.
    draft_ids : tuple of int
        The target's token for each of the draft's ids; no two alike.
    requests : tuple of Request
        At least one; no two with one seed, for equal seeds make equal draws.

    Raises
    ------
    ShapeError
        If there is not one target token for each of the draft's ids, or a bias or a grammar is over
        another vocabulary.
    InvalidTokenError
        If one is not in the target's vocabulary, or a token of a request is not.
    InvalidParameterError
        If two ids mean one token, there is no request, or two have one seed.
    """

    target: RecurrentModel
    draft: RecurrentModel
    draft_ids: tuple[int, ...]
    requests: tuple[Request, ...]

    def __post_init__(self) -> None:
        if len(self.draft_ids) != self.draft.vocab_size:
            raise ShapeError(
                f"draft_ids has {len(self.draft_ids)} tokens, but draft has {self.draft.vocab_size}"
            )
        for token in self.draft_ids:
            require_token(token, self.target.vocab_size, "draft_ids")
        if len(set(self.draft_ids)) != len(self.draft_ids):
            raise InvalidParameterError(f"draft_ids is {self.draft_ids}, expected no token twice")
        for number, request in enumerate(self.requests):
            _require_fit(request, self.target.vocab_size, f"requests[{number}]")
        self._require_own_seeds()

    def _require_own_seeds(self) -> None:
        if not self.requests:
            raise InvalidParameterError("requests is empty, expected at least one")
        seeds = Counter(request.seed for request in self.requests if request.seed is not None)
        for seed, times in seeds.items():
            if times > 1:
                raise InvalidParameterError(
                    f"{times} requests have the seed {seed}, expected one each"
                )

    @property
    def rounds(self) -> int:
        """How many rounds a batch can take that emits a token a round for every open request."""
        return max(request.limits.max_new_tokens for request in self.requests)


def _require_fit(request: Request, vocab_size: int, name: str) -> None:
    """Raise unless a request speaks of the tokens ``0 .. vocab_size - 1`` and of no others."""
    limits, constraints = request.limits, request.constraints
    stops = (token for stop in limits.stop_sequences for token in stop)
    for token in (*request.prompt, *limits.stop_tokens, *stops, *constraints.banned):
        require_token(token, vocab_size, name)
    widths = [len(row) for row in request.grammar.moves] if request.grammar else []
    for width in (*widths, len(constraints.bias) or vocab_size):
        if width != vocab_size:
            raise ShapeError(
                f"{name} has a bias or a grammar over {width} tokens, but target has {vocab_size}"
            )


@cached_on_rows
def lifted(row: Row, ids: tuple[int, ...], vocab_size: int) -> Row:
    """Return a row over draft ids as one over the target's vocabulary.

    >>> lifted(Row([Fraction(1, 4), Fraction(3, 4)]), (2, 0), 3)
    Row(3/4, 0, 1/4)
    """
    probs = [Fraction(0)] * vocab_size
    for token, prob in zip(ids, row, strict=True):
        probs[token] = Fraction(prob)
    return Row(probs)
