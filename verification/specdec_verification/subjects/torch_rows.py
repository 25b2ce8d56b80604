"""Choices along a line of a tensor of symbols: the largest, the first few, a place in a row."""

from collections.abc import Sequence

import numpy as np
import torch

from specdec_grids.affine import opaque
from specdec_verification.subjects import arrays, races
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.torch_elements import Call
from specdec_verification.subjects.torch_tensors import (
    Drawn,
    Undecided,
    elements_of,
    numbered,
    values,
)


def extreme(call: Call) -> Item:
    """Return which element along an axis is the largest or smallest: a race for each line."""
    func, args, kwargs = call
    axis, keep = _axis(args, kwargs)
    largest = "argmax" in func._schema.name
    rows, shape = arrays.lines(args[0].symbols(), axis)
    found = [Undecided(row.tolist(), largest) for row in rows]
    elements = elements_of([args[0]])
    places = Drawn(numbered(found, shape, elements), elements, torch.int64)
    if keep:
        return places.reshape([1] * args[0].dim()) if axis is None else places.unsqueeze(axis)
    return places


def best(call: Call) -> Item:
    """Return the largest or smallest along an axis, and where it is."""
    func, args, kwargs = call
    if func._overloadname not in ("dim", "default"):
        opaque(f"torch operation {func._schema.name} of two tensors of draws")
    axis, keep = _axis(args, kwargs)
    largest = func._schema.name == "aten::max"
    if axis is None:
        place = arrays.extreme(args[0].symbols(), None, largest)
        return args[0].like(args[0].numbers.flatten()[place])
    places = torch.as_tensor(arrays.extreme(args[0].symbols(), axis, largest)).unsqueeze(axis)
    numbers = args[0].numbers.gather(axis, places)
    if not keep:
        places, numbers = places.squeeze(axis), numbers.squeeze(axis)
    return args[0].like(numbers), places


def top(call: Call) -> Item:
    """Return the first few of each line: a race, then one among the others, and so on."""
    _, args, _ = call
    drawn, count, axis, largest = (*args, -1, True)[:4] if len(args) < 4 else args[:4]
    lines = drawn.symbols()
    rows, _ = arrays.lines(lines, axis)
    ranked = [_ranked(row.tolist(), count, largest) for row in rows]
    shape = list(drawn.numbers.movedim(axis, -1).shape[:-1])
    places = torch.tensor(ranked).reshape([*shape, count]).movedim(-1, axis)
    return drawn.like(drawn.numbers.gather(axis, places)), places


def ordered(call: Call) -> Item:
    """Return each line in order, and where its elements were: race after race of those left."""
    _, args, kwargs = call
    drawn, *given = args
    axis = kwargs.get("dim", given[0] if given else -1)
    descending = kwargs.get("descending", given[1] if len(given) > 1 else False)
    rows, _ = arrays.lines(drawn.symbols(), axis)
    ranked = [races.ascending(row.tolist()) for row in rows]
    shape = drawn.numbers.movedim(axis, -1).shape
    places = torch.tensor([row[::-1] if descending else row for row in ranked])
    places = places.reshape(shape).movedim(-1, axis)
    return drawn.like(drawn.numbers.gather(axis, places)), places


def _ranked(items: Sequence[Item], count: int, largest: bool) -> list[int]:
    left = list(range(len(items)))
    return [left.pop(races.winner([items[i] for i in left], largest=largest)) for _ in range(count)]


def searched(call: Call) -> Item:
    """Return where each draw belongs in an ascending row."""
    func, args, kwargs = call
    row, drawn = args[:2] if "searchsorted" in func._schema.name else args[1::-1]
    if not isinstance(drawn, Drawn) or isinstance(row, Drawn):
        opaque("search of numbers in a row of draws")
    right = kwargs.get("right", False) or kwargs.get("side") == "right"
    thresholds = values(row).reshape(-1, row.shape[-1])
    items = drawn.symbols().reshape(len(thresholds), -1) if row.dim() > 1 else drawn.symbols()
    found = [
        arrays.search(line, item, right) if arrays.is_symbol(item) else _place(line, item, right)
        for line, some in zip(thresholds, items.reshape(len(thresholds), -1), strict=True)
        for item in some.tolist()
    ]
    dtype = torch.int32 if kwargs.get("out_int32") else torch.int64
    return torch.tensor(found, dtype=dtype).reshape(drawn.shape)


def _place(line: Item, item: float, right: bool) -> int:
    return int(np.searchsorted(line, item, "right" if right else "left"))


def _axis(args: Item, kwargs: Item) -> tuple[int | None, bool]:
    given = [*args[1:], *(None, False)[len(args) - 1 :]]
    return kwargs.get("dim", given[0]), bool(kwargs.get("keepdim", given[1]))
