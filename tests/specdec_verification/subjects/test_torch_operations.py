from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specdec_core.errors import OpaqueDrawError
from specdec_verification.subjects.exact import exact_law

torch = pytest.importorskip("torch")

ROW = torch.tensor([0.5, 0.25, 0.25])


@torch.compile(backend="eager")  # type: ignore[untyped-decorator, unused-ignore]
def compiled_draw() -> Any:  # noqa: ANN401
    return torch.rand(1) < 0.5


@torch.compile(backend="eager")  # type: ignore[untyped-decorator, unused-ignore]
def compiled_comparison(drawn: Any) -> Any:  # noqa: ANN401
    return drawn < 0.5


REFUSED: dict[str, Callable[[], Any]] = {
    "float of a tensor of draws": lambda: float(torch.rand(1)),
    "bool of a tensor of draws": lambda: bool(torch.rand(1)),
    "float of a draw": lambda: float(torch.rand(1).item()),
    "conversion of draws to torch.bool": lambda: torch.rand(1).bool(),
    "conversion of draws to torch.float16": lambda: torch.rand(1).half(),
    "aten::sum of draws": lambda: torch.rand(3).sum() < 1,
    "aten::cumsum of draws": lambda: torch.rand(3).cumsum(0),
    "aten::softmax of draws|aten::_softmax of draws": lambda: torch.rand(3).softmax(0),
    "aten::dot of draws": lambda: torch.rand(3) @ ROW,
    "comparison of two draws": lambda: torch.rand(1) < torch.rand(1),
    "torch.randn": lambda: torch.randn(2),
    "torch.normal": lambda: torch.normal(0.0, 1.0, (2,)),
    "torch.dropout in training": lambda: torch.nn.functional.dropout(ROW, 0.5),
    "gumbel_softmax with hard=False": lambda: torch.nn.functional.gumbel_softmax(ROW),
    "torch.rand in a function compiled": compiled_draw,
    "aten::lt of draws in a function compiled": lambda: compiled_comparison(torch.rand(1)),
    "torch.multinomial of draws": lambda: torch.multinomial(torch.rand(3), 1),
    "Tensor.data_ptr of draws": lambda: torch.rand(1).data_ptr(),
    "Tensor.__reduce_ex__ of draws": lambda: torch.rand(1).__reduce_ex__(4),
}


@pytest.mark.parametrize(("named", "emit"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_understood_is_refused_by_name_and_line(
    named: str, emit: Callable[[], Any]
) -> None:
    with pytest.raises(OpaqueDrawError, match=f"({named}).*{Path(__file__).name}:[0-9]+"):
        exact_law(emit)


def test_an_operation_that_adds_to_what_is_there_is_refused() -> None:
    def emit() -> None:
        torch.zeros(3).index_put_((torch.tensor([1]),), torch.rand(1), accumulate=True)

    with pytest.raises(OpaqueDrawError, match="adds to what is there"):
        exact_law(emit)


def test_an_operation_on_numbers_alone_is_torchs_own(law: Callable[..., Any]) -> None:
    def emit() -> float:
        tensor = torch.cat([torch.rand(1), ROW])
        return tensor[1:].sum().item()  # type: ignore[no-any-return]

    assert law(emit) == {1.0: 1}
