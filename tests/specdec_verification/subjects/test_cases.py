from collections.abc import Callable
from itertools import pairwise

from specdec_core.instances import Instance
from specdec_core.models import TableModel
from specdec_verification.subjects.cases import cases

CASES = list(cases())


def _some(holds: Callable[[Instance], bool]) -> bool:
    return any(holds(case.instance) for case in CASES)


def _rows(instance: Instance) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    assert isinstance(instance.target, TableModel)
    return [
        (instance.target(context), instance.draft(context)) for context in instance.target.table
    ]


def test_names_are_unique_and_small_ones_come_first() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    sizes = [
        case.instance.vocab_size ** (2 * case.instance.integer("gamma", minimum=0))
        for case in CASES
    ]
    assert all(one <= other for one, other in pairwise(sizes))


def test_more_can_be_had_and_those_of_before_stay() -> None:
    more = {case.name: case.instance for case in cases(30)}
    assert len(more) == len(CASES) + 12
    assert all(more[case.name] == case.instance for case in CASES)


def test_several_sizes_are_there() -> None:
    assert {case.instance.vocab_size for case in CASES} == {2, 3, 4, 5}
    assert {case.instance.parameters["gamma"] for case in CASES} == {1, 2, 3}


def test_what_hides_elsewhere_is_there() -> None:
    assert _some(lambda i: all(p == q for p, q in _rows(i)))
    assert _some(lambda i: all(not any(map(min, p, q)) for p, q in _rows(i)))
    assert _some(lambda i: all(all(p) and all(q) for p, q in _rows(i)))
    assert _some(lambda i: all(max(q) == 1 for _, q in _rows(i)))
    assert _some(lambda i: all(max(p) == 1 for p, _ in _rows(i)))
    assert _some(lambda i: any(len(set(p)) < len(p) for p, _ in _rows(i)))
    assert _some(lambda i: any(0 in p and 0 not in q for p, q in _rows(i)))


def test_all_depend_on_the_context() -> None:
    assert all(
        len({row for row, _ in _rows(case.instance)}) > 1
        for case in CASES
        if case.instance.parameters["gamma"] == 3
    )
