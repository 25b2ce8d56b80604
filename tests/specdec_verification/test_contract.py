"""The contract's numbers, to the unit, and that they can fail."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.models import Context, ContextModel, TableModel
from specdec_core.rules import Rule, Verification
from specdec_grids.lattices import count, visit
from specdec_grids.programs import completed_round
from specdec_verification.contract import (
    EXAMPLES,
    Example,
    binary_single_path,
    check_example,
    sorted_counts,
    two_level_tree,
)
from specdec_verification.faults import path_slips as path
from specdec_verification.faults import tree_slips as tree
from specdec_verification.faults.path_slips import SlippedPathRule
from specdec_verification.faults.tree_slips import SlippedTreeRule
from specdec_verification.results import Evidence, Verdict


@dataclass(frozen=True, slots=True)
class CutShort:
    """A planted fault on an example: what it emits past the example's horizon is cut off."""

    slipped: Rule[Any]
    length: int

    @property
    def name(self) -> str:
        return self.slipped.name

    @property
    def lossless(self) -> bool:
        return True

    def horizon(self, instance: Instance) -> int:
        return self.length

    def propose(self, instance: Instance, draws: Draws) -> Any:  # noqa: ANN401
        return self.slipped.propose(instance, draws)

    def verify(self, proposal: Any, target: ContextModel, draws: Draws) -> Verification:  # noqa: ANN401
        tokens = self.slipped.verify(proposal, target, draws).tokens
        return Verification(tokens[: self.length], None)


def faulty(example: Example, slipped: Rule[Any]) -> Example:
    """Return the example with a planted fault for its rule, and rows for all it can ask for."""
    instance = example.instance
    half = Row([Fraction(1, 2), Fraction(1, 2)])
    rows = {(0,): half, (1,): half, **dict(model_table(instance))}
    wider = Instance(TableModel(rows, "target"), instance.drafts, instance.parameters)
    length = len(next(iter(example.counts)))
    return example._replace(rule=CutShort(slipped, length), instance=wider)


def model_table(instance: Instance) -> Mapping[Context, Row]:
    assert isinstance(instance.target, TableModel)
    return instance.target.table


@pytest.mark.parametrize(
    ("example", "points", "counts"),
    [
        (binary_single_path, 10_000, [2500, 7500]),
        (two_level_tree, 10_000, [2000, 500, 3000, 4500]),
    ],
)
def test_the_contracts_counts_come_out_to_the_unit(
    example: Callable[[], Example], points: int, counts: list[int]
) -> None:
    stated = example()
    program = completed_round(stated.rule, stated.instance)
    assert stated.lattice.size == points
    assert sorted_counts(stated) == counts
    assert dict(count(program, stated.lattice).counts) == stated.counts
    assert dict(visit(program, stated.lattice).counts) == stated.counts


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_passes_and_says_what_was_counted(example: Callable[[], Example]) -> None:
    stated = example()
    result = check_example(stated, "run it again")
    counts = sorted_counts(stated)
    assert (result.verdict, result.evidence) == (Verdict.PASSED, Evidence.LATTICE_COUNT)
    assert result.size == 10_000
    assert result.detail == f"counted {counts} of 10000, expected {counts}"
    assert result.labels.subject == stated.rule.name
    assert result.labels.claim == stated.name
    assert result.labels.reproduce == "run it again"
    assert str(counts[0]) in stated.name


def test_an_instance_is_called_what_stands_before_the_numbers() -> None:
    labels = [check_example(example(), "").labels for example in EXAMPLES]
    assert [label.instance for label in labels] == ["single path", "two-level tree"]
    assert [label.parameters for label in labels] == ["V=2 gamma=1", "V=2 depth=2 k=2"]


@pytest.mark.parametrize(
    ("example", "unslipped"),
    [(binary_single_path, SlippedPathRule("no_slip")), (two_level_tree, SlippedTreeRule("no"))],
)
def test_what_is_cut_short_and_has_no_slip_passes(
    example: Callable[[], Example], unslipped: Rule[Any]
) -> None:
    assert check_example(faulty(example(), unslipped), "").verdict is Verdict.PASSED


@pytest.mark.parametrize(
    "slipped",
    [
        SlippedPathRule("accept_ratio_swapped", accept_with=path.accept_swapped),
        SlippedPathRule("accept_as_point_mass", accept_with=path.accept_target),
        SlippedPathRule("accept_without_draw", accept_with=path.accept_likelier),
        SlippedPathRule("accept_always", accept_with=path.accept_always),
        SlippedPathRule("accept_leniently", accept_with=path.accept_leniently),
        SlippedPathRule("residual_reversed", recover_with=path.recover_reversed),
        SlippedPathRule("rejected_token_emitted", end_rejected_with=path.end_keeping_rejected),
    ],
    ids=lambda rule: rule.name,
)
def test_the_single_path_fails_with_a_planted_fault(slipped: SlippedPathRule) -> None:
    result = check_example(faulty(binary_single_path(), slipped), "")
    assert result.verdict is Verdict.FAILED
    assert result.detail.endswith(" of 10000, expected [2500, 7500]")


@pytest.mark.parametrize(
    "slipped",
    [
        SlippedTreeRule("tree_scored_by_root", score_with=tree.score_root),
        SlippedTreeRule("tree_row_of_sibling", score_with=tree.score_sibling),
        SlippedTreeRule("tree_query_includes_node", score_with=tree.score_including_node),
        SlippedTreeRule("tree_accept_likeliest", accept_with=tree.accept_likeliest),
        SlippedTreeRule("tree_accept_leniently", accept_with=tree.accept_leniently),
        SlippedTreeRule("tree_coin_shared", take_coins_with=tree.take_one_coin),
    ],
    ids=lambda rule: rule.name,
)
def test_the_tree_fails_with_a_planted_fault(slipped: SlippedTreeRule) -> None:
    result = check_example(faulty(two_level_tree(), slipped), "")
    assert result.verdict is Verdict.FAILED
    assert result.detail.endswith(" of 10000, expected [2000, 500, 3000, 4500]")
