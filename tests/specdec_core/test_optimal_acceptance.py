from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row, acceptance_rate
from specdec_core.errors import GridTooLargeError
from specdec_core.maximum_flow import maximum_flow
from specdec_core.optimal_acceptance import MAX_VOCAB_SIZE, optimal_acceptance
from specdec_core.siblings import WITH_REPLACEMENT, WITHOUT_REPLACEMENT, SiblingLaw
from specdec_verification import strategies

laws = st.sampled_from([WITH_REPLACEMENT, WITHOUT_REPLACEMENT])


@pytest.mark.parametrize(
    ("law", "k", "best"),
    [
        (WITH_REPLACEMENT, 1, "2/3"),
        (WITH_REPLACEMENT, 2, "8/9"),
        (WITHOUT_REPLACEMENT, 2, "1"),
    ],
)
def test_the_toy_models_optimum(law: SiblingLaw, k: int, best: str) -> None:
    """The toy model of Sun et al. 2024 (arXiv:2403.10444), Section 2."""
    target = Row([Fraction(1, 3), Fraction(2, 3)])
    draft = Row([Fraction(2, 3), Fraction(1, 3)])
    assert optimal_acceptance(target, law.draft_sets(draft, k)) == Fraction(best)


@given(st.data())
def test_with_one_draft_it_is_the_acceptance_rate(data: st.DataObject) -> None:
    target, draft = data.draw(strategies.row_pairs(data.draw(st.integers(1, 4))))
    sets = WITH_REPLACEMENT.draft_sets(draft, 1)
    assert optimal_acceptance(target, sets) == acceptance_rate(target, draft)


@given(st.data(), laws, st.integers(1, 3))
def test_a_flow_carries_as_much(data: st.DataObject, law: SiblingLaw, k: int) -> None:
    target, draft = data.draw(strategies.row_pairs(data.draw(st.integers(1, 4))))
    sets = law.draft_sets(draft, k)
    flow = maximum_flow(sets, dict(enumerate(target)), {each: each for each in sets})
    assert sum(flow.values()) == optimal_acceptance(target, sets)


@given(st.data(), laws, st.integers(1, 3))
def test_one_draft_more_is_never_worse(data: st.DataObject, law: SiblingLaw, k: int) -> None:
    target, draft = data.draw(strategies.row_pairs(data.draw(st.integers(1, 4))))
    fewer, more = (optimal_acceptance(target, law.draft_sets(draft, size)) for size in (k, k + 1))
    assert fewer <= more <= 1


def test_too_many_tokens_are_refused() -> None:
    row = Row([Fraction(1, MAX_VOCAB_SIZE + 1)] * (MAX_VOCAB_SIZE + 1))
    with pytest.raises(GridTooLargeError, match="21 tokens, expected at most 20"):
        optimal_acceptance(row, {(0,): Fraction(1)})
