"""Which claim a law breaks first, where it is the law of no fault that is known.

Token rejection makes a round's law out of parts, and each shows in the law itself.  A round emits
more than one token exactly if the first draft token was kept, so the first token is ``x`` with
more behind it with probability ``min(p(x), q(x))``, and ``x`` alone with ``max(p(x) - q(x), 0)``:
acceptance, and the first recovered token.  Only a round of ``gamma + 1`` tokens ends on a bonus
token, so a law that is right up to its last token is wrong in the bonus row.  Where every position
alone has its right law, and all of them together have not, draws depend on one another.

One instance may hide a part: a residual with one token in it is right whatever is subtracted.  So
of all the instances the earliest part that is wrong on any is taken.  Steps that are wrong where it
is right stand after it: acceptance, residual and bonus row together point at the target's rows.

Not here: a claim on a rule of another structure.  Where the first token's law is right, nothing is
said about how it was split into kept and recovered.

References
----------
.. [1] Leviathan, Kalman, Matias, "Fast Inference from Transformers via Speculative Decoding",
   ICML 2023, arXiv:2211.17192, Algorithm 1 and Appendix A.1.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from specdec_core.laws import Law, outside_support, total_variation
from specdec_core.models import Context
from specdec_verification.diagnosis.observations import Agreement, Observation

RUNS = "every run emits tokens"
SUPPORT = "support: nothing is emitted that the target rules out"
ACCEPTANCE = "acceptance: the first draft token is kept with probability min(p, q)"
RESIDUAL = "residual: the first recovered token follows max(p - q, 0)"
FIRST = "the law of the first token"
ROWS = "the law of each row of the batch alone"
INDEPENDENCE = "independence of draws: each part alone is right, and their joint law is not"
BONUS = "bonus row: after gamma kept tokens the next follows the target's last row"
SECOND = "the second token's law, given the first"

_PARTS = (ACCEPTANCE, RESIDUAL, FIRST, SECOND)
"""In the order in which a round comes to them; later tokens, and then the bonus row, follow."""

_WHOLE = (BONUS, ROWS, INDEPENDENCE, SUPPORT, RUNS)
"""The bonus row, and what is said of no part alone."""

_STEPS = (ACCEPTANCE, RESIDUAL, BONUS, RUNS)
"""What is no mere consequence of an earlier part that is wrong."""


class Broken(NamedTuple):
    """A claim that breaks first on an instance, and the first such instance."""

    claim: str
    observation: Observation


def earliest_broken(wrong: Sequence[Observation]) -> list[Broken]:
    """Return the claim on the earliest part that is wrong, and the steps that are wrong without it.

    Each stands with the first instance on which nothing before it is wrong.
    """
    found: dict[str, Observation] = {}
    for observation in wrong:
        found.setdefault(first_broken(observation), observation)
    first, *others = sorted(found, key=_when)
    return [Broken(claim, found[claim]) for claim in (first, *others) if claim in (first, *_STEPS)]


def _when(claim: str) -> tuple[int, int]:
    """Return where a claim stands: by the part of the round that it is about."""
    if claim in _PARTS:
        return 0, _PARTS.index(claim)
    return (2, _WHOLE.index(claim)) if claim in _WHOLE else (1, 0)


def first_broken(observation: Observation) -> str:
    """Return the first claim that a law which is not right breaks."""
    got, expected = observation.laws
    if observation.broken:
        return RUNS
    if observation.departure is Agreement.WHOLE and outside_support(got, expected).mass:
        return SUPPORT  # by less than rounding may do, so that no part is off
    if observation.rows > 1:
        return INDEPENDENCE if _parts_right(observation) else ROWS
    wrong = _first_wrong_length(observation)
    if wrong == 1:
        return _of_first_token(observation)
    if _parts_right(observation):
        return INDEPENDENCE
    if wrong == _gamma(observation) + 1:
        return BONUS
    return SECOND if wrong == 2 else f"the law of token {wrong}, given those before it"


def _gamma(observation: Observation) -> int:
    """Return how many tokens are drafted, or -1 where that is not said or means something else."""
    given = observation.given
    if "gamma" not in given.parameters or len(given.drafts) > 1:
        return -1
    return given.integer("gamma", minimum=0)


def _first_wrong_length(observation: Observation) -> int:
    """Return how many tokens it takes for their joint law to be wrong."""
    for length in range(1, observation.length):
        got, expected = (_part(law, 0, length) for law in observation.laws)
        if total_variation(got, expected) > observation.bound:
            return length
    return observation.length


def _of_first_token(observation: Observation) -> str:
    """Return which part of the first token's law is wrong, if rounds say which parts they had."""
    emitted = observation.emitted
    if _gamma(observation) < 1 or all(len(tokens) == 1 for tokens in emitted):
        return FIRST
    kept = Law({tokens: prob for tokens, prob in emitted.probs.items() if len(tokens) > 1})
    found = kept.image(lambda tokens: tokens[0])
    p, q = observation.given.target(()), observation.given.draft(())
    claimed = Law({token: Fraction(min(p[token], q[token])) for token in range(len(p))})
    return ACCEPTANCE if total_variation(found, claimed) > observation.bound else RESIDUAL


def _parts_right(observation: Observation) -> bool:
    """Return whether each position alone, or each row of a batch alone, has its right law."""
    size = 1 if observation.rows == 1 else observation.length
    whole = observation.length * observation.rows
    return all(
        total_variation(*(_part(law, start, size) for law in observation.laws)) <= observation.bound
        for start in range(0, whole, size)
    )


def _part(law: Law[Context], start: int, size: int) -> Law[Context]:
    return law.image(lambda tokens: tokens[start : start + size])
