"""Trees by node: what a round does there, by following the rule."""

from fractions import Fraction

import pytest

from specdec_core.rules import RULES, rule_named
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program
from specdec_verification.results import Labels, TreeNode
from specdec_verification.tree_tables import MAX_NODES, tree_table


def children(nodes: dict[str, TreeNode], path: str) -> list[TreeNode]:
    return [node for name, node in nodes.items() if name and name.rpartition(",")[0] == path]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_what_leaves_a_node_is_no_more_than_what_reaches_it(rule: object, labels: Labels) -> None:
    instance = RandomInstances(rule, 1)[0]  # type: ignore[arg-type]
    nodes = {node.path: node for node in tree_table(rule, instance, labels).nodes}  # type: ignore[arg-type]
    assert (nodes[""].proposed, nodes[""].reached) == (1, 1)
    for path, node in nodes.items():
        leaves = sum((one.reached for one in children(nodes, path)), node.residual)
        assert leaves <= node.reached <= node.proposed <= 1


def test_the_accepted_length_is_what_reaches_the_nodes(labels: Labels) -> None:
    rule = rule_named("recursive_rejection")
    instance = RandomInstances(rule, 3)[2]
    law = exact_law(round_program(rule, instance)).law
    table = tree_table(rule, instance, labels)
    assert len(table.nodes) > 3
    reached = sum(Fraction(node.reached) for node in table.nodes) - 1
    assert reached == law.mean(lambda verification: len(verification.accepted))


def test_of_many_nodes_those_are_left_out_that_are_reached_least(labels: Labels) -> None:
    rule = rule_named("traversal")
    large = max(RandomInstances(rule, 12), key=lambda one: one.vocab_size)
    table = tree_table(rule, large, labels)
    paths = {node.path for node in table.nodes}
    assert len(paths) <= MAX_NODES
    assert all(path.rpartition(",")[0] in paths for path in paths)
