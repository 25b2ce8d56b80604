"""Tensors of symbols: what code that draws from torch holds while it is followed.

A `Drawn` tensor has no memory.  Its ``numbers`` say for each element which entry of ``elements``
it is, a symbol or a number; both are shared by its views, so that writing to a view is seen by
the rest.  Every operation of torch that meets one ends in `torch_operations`, those in C++ too,
and what is not understood there is refused by name: there is no memory that could be read instead.

Read as ``item``, ``tolist`` or ``numpy``, it gives its symbols; read as a Python number, it
refuses.
"""

import math
import sys
from collections.abc import Callable, Sequence

import torch

from specdec_core.errors import NondeterminismError
from specdec_grids.affine import opaque
from specdec_verification.subjects import races
from specdec_verification.subjects.arrays import is_symbol, symbol_array
from specdec_verification.subjects.curves import Item


class Undecided:
    """The place of the first of a race that has not been asked for yet.

    Noise shared by several races is followed through two of them; code that runs one for each
    position, and uses the first rejected one, never asks for the rest.
    """

    __slots__ = ("_items", "_largest", "_place")

    def __init__(self, items: Sequence[Item], largest: bool) -> None:
        self._items = items
        self._largest = largest
        self._place: int | None = None

    def decided(self) -> int:
        """Return the place; the other places are followed later."""
        if self._place is None:
            self._place = races.winner(self._items, largest=self._largest)
        return self._place


def decided(item: Item) -> Item:
    """Return an element, decided if it was not."""
    return item.decided() if isinstance(item, Undecided) else item


class Drawn(torch.Tensor):  # type: ignore[misc]  # torch is not there where types are checked
    """A tensor whose elements are symbols and numbers.

    Parameters
    ----------
    numbers : Tensor of int64
        Of its shape: the place of each element in `elements`.
    elements : list
        Of the run at hand, shared by all its tensors.
    dtype : torch.dtype
        What the tensor says it holds.
    """

    numbers: Item
    elements: list[Item]

    @staticmethod
    def __new__(cls: type, numbers: Item, elements: list[Item], dtype: Item) -> "Drawn":
        """Return a tensor that has shape and type, and no memory."""
        return torch.Tensor._make_wrapper_subclass(  # type: ignore[no-any-return]
            cls, numbers.shape, strides=numbers.stride(), dtype=dtype, device=numbers.device
        )

    def __init__(self, numbers: Item, elements: list[Item], dtype: Item) -> None:
        self.numbers = numbers
        self.elements = elements

    @classmethod
    def __torch_function__(
        cls,
        func: Item,
        types: Item,
        args: Item = (),
        kwargs: Item = None,
    ) -> Item:
        """Answer what reads the tensor; everything else comes back as an operation."""
        read = _READ.get(func)
        if read is not None:
            return read(*args, **(kwargs or {}))
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(
        cls,
        func: Item,
        types: Item,
        args: Item = (),
        kwargs: Item = None,
    ) -> Item:
        """Follow one operation."""
        from specdec_verification.subjects import torch_operations

        require_not_compiled(f"torch operation {func._schema.name} of draws")
        return torch_operations.follow(func, args, kwargs or {})

    def symbols(self) -> Item:
        """Return the elements, decided, as an array of numpy."""
        elements = self.elements
        items = [decided(elements[i]) for i in self.numbers.flatten().tolist()]
        return symbol_array(items, self.shape)

    def like(self, numbers: Item) -> "Drawn":
        """Return a tensor of the same elements by other numbers."""
        return Drawn(numbers, self.elements, self.dtype)


def require_not_compiled(operation: str) -> None:
    """Refuse an operation in a function that torch compiles: eagerly it is not what would run."""
    frame = sys._getframe(1)
    while frame.f_back:
        frame = frame.f_back
        if frame.f_code.co_name == "compile_wrapper" and "torch._dynamo" in str(
            frame.f_globals.get("__name__")
        ):
            opaque(f"{operation} in a function compiled by torch.compile", _EAGERLY)


_EAGERLY = "compiled code decides by itself what it draws; take the decorator off to follow it"


def numbered(items: Sequence[Item], shape: Sequence[int], elements: list[Item]) -> Item:
    """Remember elements, in order, and return their numbers as a tensor of a shape."""
    start = len(elements)
    elements.extend(items)
    return torch.arange(start, len(elements)).reshape(tuple(shape))


def values(tensor: Item) -> Item:
    """Return a plain tensor's elements as an array of float64, which holds each exactly."""
    return tensor.detach().to(torch.float64).numpy()


def settled(drawn: Drawn) -> Item:
    """Return a tensor of numbers alone as a plain one, or ``None`` if it holds a symbol."""
    items = drawn.symbols().ravel().tolist()
    if any(map(is_symbol, items)):
        return None
    whole = torch.float64 if drawn.dtype.is_floating_point else drawn.dtype
    return torch.tensor(items, dtype=whole).to(drawn.dtype).reshape(drawn.shape)


def elements_of(tensors: Sequence[Drawn]) -> list[Item]:
    """Return the elements that the tensors share.

    Raises
    ------
    NondeterminismError
        If one of them is of an earlier run.
    """
    first = tensors[0].elements
    if any(tensor.elements is not first for tensor in tensors):
        raise NondeterminismError(
            "a tensor of draws of an earlier run was used: the program keeps it from run to run"
        )
    return first


def _item(drawn: Drawn) -> Item:
    if drawn.numel() != 1:
        raise RuntimeError(f"a tensor with {drawn.numel()} elements cannot be one number")
    return decided(drawn.elements[int(drawn.numbers)])


def _tolist(drawn: Drawn) -> Item:
    plain = settled(drawn)
    return (drawn.symbols() if plain is None else plain).tolist()


def _numpy(drawn: Drawn, *arguments: object, **options: object) -> Item:
    plain = settled(drawn)
    return drawn.symbols() if plain is None else plain.numpy()


def _number_as(kind: type, name: str) -> Callable[[Drawn], Item]:
    def read(drawn: Drawn) -> Item:
        item = _item(drawn)
        return opaque(f"{name} of a tensor of draws") if is_symbol(item) else kind(item)

    return read


def _float(drawn: Drawn) -> float:
    item = _item(drawn)
    if is_symbol(item):
        opaque("float of a tensor of draws", "write .item(), or leave float() out")
    return float(item)


def _integer(drawn: Drawn) -> int:
    return math.trunc(_item(drawn))  # type: ignore[no-any-return]


def _refused(name: str) -> Callable[..., Item]:
    def read(*arguments: object, **options: object) -> Item:
        opaque(f"Tensor.{name} of draws")

    return read


_READ: dict[Item, Callable[..., Item]] = {
    torch.Tensor.item: _item,
    torch.Tensor.tolist: _tolist,
    torch.Tensor.numpy: _numpy,
    torch.Tensor.__array__: _numpy,
    torch.Tensor.__bool__: _number_as(bool, "bool"),
    torch.Tensor.__float__: _float,
    torch.Tensor.__int__: _integer,
    torch.Tensor.__index__: _number_as(int, "index"),
    torch.Tensor.__complex__: _number_as(complex, "complex"),
    torch.Tensor.__repr__: lambda drawn, **_: f"Drawn(shape={tuple(drawn.shape)})",
    torch.Tensor.__deepcopy__: lambda drawn, memo: drawn.clone(),
    **{
        getattr(torch.Tensor, name): _refused(name)
        for name in ("__format__", "__reduce_ex__", "__dlpack__", "data_ptr", "set_", "storage")
    },
    torch.Tensor.untyped_storage: _refused("untyped_storage"),
    torch.Tensor.share_memory_: _refused("share_memory_"),
}
