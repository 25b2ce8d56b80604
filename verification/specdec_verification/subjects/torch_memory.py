"""Plain tensors that draws were written into, as ``empty(n).uniform_()`` and ``x[i] = rand(n)`` do.

Such a tensor's memory is known to its views and its base, which torch does not list.  So the
memory itself is remembered, and every operation that is given a plain tensor in it gets a `Drawn`
one instead.  What was there before stays, as numbers; the floats in it are overwritten with nan,
so that nothing reads a value that no draw has.
"""

import torch

from specdec_grids.affine import opaque
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.torch_tensors import Drawn, numbered, values


class Memory:
    """The numbers of what lies in each block of memory that draws were written into."""

    def __init__(self) -> None:
        self.elements: list[Item] = []
        self.blocks: dict[int, tuple[Item, Item, Item]] = {}

    def clear(self, elements: list[Item]) -> None:
        """Forget everything: a new run begins, with elements of its own."""
        self.elements = elements
        self.blocks = {}

    def remember(self, tensor: Item) -> Item:
        """Return the numbers of a plain tensor's elements, which writing to changes."""
        storage = tensor.untyped_storage()
        key = storage.data_ptr()
        if key not in self.blocks:
            size = storage.nbytes() // tensor.element_size()
            whole = torch.as_strided(tensor.detach(), (size,), (1,), 0)
            numbers = numbered(values(whole).tolist(), (size,), self.elements)
            self.blocks[key] = (storage, numbers, tensor.dtype)
            if tensor.dtype.is_floating_point:
                whole.fill_(float("nan"))
        _, numbers, dtype = self.blocks[key]
        if dtype != tensor.dtype:
            opaque(f"memory of draws of {dtype} read as {tensor.dtype}")
        return numbers.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())

    def seen(self, item: Item) -> Item:
        """Return an argument with tensors of draws for plain ones in remembered memory."""
        if type(item) in (tuple, list):
            return type(item)(map(self.seen, item))
        if type(item) is not torch.Tensor:
            return item
        with torch._C.DisableTorchFunction():
            if item.untyped_storage().data_ptr() not in self.blocks:
                return item
            return Drawn(self.remember(item), self.elements, item.dtype)


MEMORY = Memory()
"""Of the run at hand."""


def remember(tensor: Item, elements: list[Item]) -> Item:
    """Return the numbers of a plain tensor that draws are about to be written into."""
    if elements is not MEMORY.elements:
        opaque("a tensor of draws of an earlier run written into another tensor")
    return MEMORY.remember(tensor)
