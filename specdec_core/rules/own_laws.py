"""Laws of their own: what lossy rules emit instead of the target's law.

A lossy rule keeps a draft token with some probability ``a(x)`` and corrects it from some row ``r``
otherwise, so it emits ``q(y) a(y) + r(y) sum_x q(x) (1 - a(x))``.  As each position is judged
apart, a round's joint law is the product of such rows, and the bonus token's row at the end.
"""

from collections.abc import Callable, Collection
from fractions import Fraction
from typing import TypeAlias

from specdec_core.distributions import Row, require_same_vocabulary
from specdec_core.draws import Draws
from specdec_core.models import Context, ContextModel
from specdec_core.proposals import DraftPath, require_drafted
from specdec_core.rules.rule import Verification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus

OwnRow: TypeAlias = Callable[[Row, Row], Row]
"""From the target's row and the draft's to the law of the token that is emitted."""


def own_model(
    target: ContextModel, draft: ContextModel, gamma: int, own_row: OwnRow
) -> ContextModel:
    """Return the model of a rule that judges ``gamma`` draft tokens, and adds a target token.

    >>> from specdec_core.models import ConstantModel
    >>> target, draft = ConstantModel(Row([1, 0])), ConstantModel(Row([0, 1]))
    >>> model = own_model(target, draft, 1, lambda target_probs, draft_probs: draft_probs)
    >>> model(()), model((1,))
    (Row(0, 1), Row(1, 0))
    """

    def model(context: Context) -> Row:
        if len(context) < gamma:
            return own_row(target(context), draft(context))
        return target(context)

    return model


def rational(model: ContextModel) -> ContextModel:
    """Return the model whose rows are the rational numbers that the model's floats are.

    A law that multiplies probabilities is found from these, since a product of two tiny floats is
    zero, and the rule that draws one after the other emits what has a tiny probability.

    >>> from specdec_core.models import ConstantModel
    >>> rational(ConstantModel(Row([0.25, 0.75])))(())
    Row(1/4, 3/4)
    """
    return lambda context: Row._trusted(Fraction(prob) for prob in model(context))


def kept_within(draft_probs: Row, admitted: Collection[int], correction: Row) -> Row:
    """Return the law of keeping the tokens of a set, and drawing from ``correction`` for others.

    Examples
    --------
    >>> kept_within(Row([0.5, 0.25, 0.25]), {0}, Row([0.25, 0.75, 0.0]))
    Row(0.625, 0.375, 0.0)
    """
    require_same_vocabulary(draft_probs, correction, "draft_probs", "correction")
    refused = sum(prob for token, prob in enumerate(draft_probs) if token not in admitted)
    return Row._trusted(
        refused * other + (prob if token in admitted else prob * 0)
        for token, (prob, other) in enumerate(zip(draft_probs, correction, strict=True))
    )


def leading(tokens: Context, admitted: Callable[[Context, int], bool]) -> Context:
    """Return the leading tokens that are each admitted after those before it.

    >>> leading((0, 1, 2), lambda context, token: token != 1)
    (0,)
    """
    for i, token in enumerate(tokens):
        if not admitted(tokens[:i], token):
            return tokens[:i]
    return tokens


def verify_against(
    own_row: OwnRow, path: DraftPath, target: ContextModel, draws: Draws
) -> Verification:
    """Verify token by token against a law of the rule's own, and add a token of the target.

    Raises
    ------
    ShapeError, InvalidTokenError, ProposalMismatchError
        As `specdec_core.proposals.require_drafted` does; no draw is taken then.
    """
    require_drafted(path, target)
    model = own_model(
        target, lambda context: path.draft_probs[len(context)], len(path.tokens), own_row
    )
    return TokenRejectionBonus().verify(path, model, draws)
