"""How many paths a rule has on an instance, by formula.

The engine finds the number by walking; these say it beforehand, from the rows alone.  An event is
uncertain, and forks, only if its probability lies strictly between zero and one, so a kept token
with ``p >= q``, a rejected one with ``p = 0`` and a row with one possible token cost nothing.
"""

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import Context
from specdec_core.rules.deterministic_candidates import remainder
from specdec_core.rules.token_rejection import recovery_row
from specdec_core.trees import DraftTree


def token_rejection_paths(instance: Instance) -> int:
    """Return the number of paths of `token_rejection`.

    With ``S(row)`` the number of tokens of nonzero probability: every draft of nonzero
    probability contributes, for each position whose token can be rejected with all before it
    kept, ``S(residual)``, and one more if all can be kept.
    """
    return sum(_rejections(instance, draft) + _kept(instance, draft) for draft in _drafts(instance))


def token_rejection_bonus_paths(instance: Instance) -> int:
    """Return the number of paths of `token_rejection_bonus`: all kept, a bonus token follows."""
    return sum(
        _rejections(instance, draft) + _kept(instance, draft) * len(instance.target(draft).support)
        for draft in _drafts(instance)
    )


def tree_paths(tree: DraftTree, instance: Instance) -> int:
    """Return the number of paths of `evaluate_tree` on a tree whose root is the empty context."""
    if not tree.size:
        return len(instance.target(()).support)
    return _below(tree, instance, 0)


def _drafts(instance: Instance) -> list[Context]:
    """Return every draft that the draft model can propose."""
    drafts: list[Context] = [()]
    for _ in range(instance.integer("gamma", minimum=0)):
        drafts = [(*draft, token) for draft in drafts for token in instance.draft(draft).support]
    return drafts


def _rejections(instance: Instance, draft: Context) -> int:
    paths = 0
    for i, token in enumerate(draft):
        p, q = _rows(instance, draft[:i])
        if p[token] < q[token]:
            paths += len(recovery_row(p, q).support)
        if not p[token]:
            break
    return paths


def _kept(instance: Instance, draft: Context) -> int:
    return int(all(instance.target(draft[:i])[token] for i, token in enumerate(draft)))


def _rows(instance: Instance, context: Context) -> tuple[Row, Row]:
    return instance.target(context), instance.draft(context)


def _below(tree: DraftTree, instance: Instance, node: int) -> int:
    """Return the number of paths from a node whose candidates are tried in turn."""
    if not tree.children(node):
        return 1
    paths, row = 0, instance.target(tree.path(node))
    for child in tree.children(node):
        token = tree.token(child)
        if row[token]:
            paths += _below(tree, instance, child)
        if row[token] == 1:
            return paths
        row = remainder(row, token)
    return paths + len(row.support)
