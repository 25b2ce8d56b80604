"""What a round does with its draft tree, node by node: exact, by following the rule itself.

The program that is followed proposes and verifies as the rule does, and returns the tree's nodes
beside what was accepted.  Summed over its paths that gives the probability that a node is
proposed, that it is accepted, and that all of its children are rejected there.  A path is a tree of
width one, and several paths are a tree that begins where they do.

Not here: what such a tree is worth (see `efficiencies`).
"""

from collections import defaultdict
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.models import Context, context_key
from specdec_core.rules import Rule, Verification
from specdec_core.sibling_trees import SiblingTree
from specdec_core.trees import DraftTree
from specdec_grids.paths import exact_law
from specdec_grids.programs import Steps
from specdec_verification.emissions import Malfunction, attempted
from specdec_verification.exact_law import MAX_PATHS
from specdec_verification.law_tables import readable
from specdec_verification.results import Labels, TreeNode, TreeTable

MAX_NODES = 32
"""Nodes that a table has, the root included."""

Nodes: TypeAlias = tuple[Context, ...]
"""The paths of a tree's nodes from its root, which is not one of them."""


class Round(NamedTuple):
    """One round, by its tree: the nodes that were proposed, and what came of them."""

    nodes: Nodes
    verification: Verification | Malfunction


def tree_table(rule: Rule[Any], instance: Instance, labels: Labels) -> TreeTable:
    """Return what a rule's round does at every node of its draft tree.

    Parameters
    ----------
    rule : Rule
    instance : Instance
    labels : Labels
        Of the result that it belongs to.

    Examples
    --------
    >>> from specdec_verification.contract import two_level_tree
    >>> example = two_level_tree()
    >>> labels = Labels("a_tree", "lossless", "toy", "", "")
    >>> for node in tree_table(example.rule, example.instance, labels).nodes[:3]:
    ...     print(repr(node.path), node.proposed, node.reached, node.residual)
    '' 1 1 0
    '0' 1 1/4 0
    '0,0' 1 1/5 0
    """
    sums = _Sums()
    found = exact_law(_by_nodes(rule, instance), max_paths=MAX_PATHS)
    for one, prob in found.law.probs.items():
        sums.add(one, prob)
    # A node is proposed and reached no more often than its parent, so what is cut off is whole.
    ranked = sorted(
        sums.proposed, key=lambda path: (-sums.reached[path], -sums.proposed[path], len(path), path)
    )
    return TreeTable(
        subject=labels.subject,
        claim=labels.claim,
        instance=labels.instance,
        nodes=tuple(map(sums.node, sorted(ranked[:MAX_NODES]))),
        left_out=len(ranked[MAX_NODES:]),
    )


def nodes_of(proposal: object) -> Nodes:
    """Return the nodes of whatever a rule proposes, in order; none, if it is no kind of tree.

    >>> nodes_of(DraftTree(tokens=(0, 1, 0), parents=(0, 0, 1), vocab_size=2))
    ((0,), (0, 0), (1,))
    """
    match proposal:
        case DraftTree():
            return tuple(sorted(map(proposal.path, proposal.nodes)))
        case SiblingTree():
            families = proposal.families
            return tuple(
                sorted({(*path, token) for path, siblings in families for token in siblings.tokens})
            )
        case tuple():
            return tuple(sorted({node for one in proposal for node in nodes_of(one)}))
    # Other proposals are paths, or hold a path or a tree beside what else their rule needs.
    for name in ("path", "tree"):
        if hasattr(proposal, name):
            return nodes_of(getattr(proposal, name))
    tokens = tuple(getattr(proposal, "tokens", ()))
    return tuple(tokens[:length] for length in range(1, len(tokens) + 1))


def _by_nodes(rule: Rule[Any], instance: Instance) -> Steps[Round]:
    """Return a rule's round as a program that returns its tree's nodes too."""

    def verify(proposal: Any, draws: Draws) -> Round:  # noqa: ANN401  (every rule has its own)
        if isinstance(proposal, Malfunction):
            return Round((), proposal)
        verified = attempted(lambda: rule.verify(proposal, instance.target, draws))
        return Round(nodes_of(proposal), verified)

    return Steps((lambda _, draws: attempted(lambda: rule.propose(instance, draws)), verify))


class _Sums:
    """The probabilities of every node, added up round by round."""

    def __init__(self) -> None:
        self.proposed: defaultdict[Context, Fraction] = defaultdict(Fraction)
        self.reached: defaultdict[Context, Fraction] = defaultdict(Fraction)
        self.residual: defaultdict[Context, Fraction] = defaultdict(Fraction)

    def add(self, one: Round, prob: Fraction) -> None:
        for node in ((), *one.nodes):
            self.proposed[node] += prob
        if not isinstance(one.verification, Verification):
            return
        accepted = one.verification.accepted
        for length in range(len(accepted) + 1):
            self.reached[accepted[:length]] += prob
        parents = {node[:-1] for node in one.nodes}
        if one.verification.final is not None and accepted in parents:
            self.residual[accepted] += prob

    def node(self, path: Context) -> TreeNode:
        return TreeNode(
            context_key(path),
            *(readable(sums[path]) for sums in (self.proposed, self.reached, self.residual)),
        )
