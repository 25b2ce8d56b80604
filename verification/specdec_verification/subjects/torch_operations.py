"""What torch does to tensors of symbols, operation by operation, as its dispatcher names them.

- Moving elements (views, indexing, ``gather``, ``expand``, ``clone``, ``flip``, ...) moves their
  numbers, and so does mixing them with numbers (``cat``, ``where``, ``masked_fill``, assignment).
- Arithmetic, curves and clamps act element by element (`arrays.elementwise`), in real numbers.
- A comparison forks element by element and returns a plain tensor of bools.
- ``argmax``, ``argmin``, ``max``, ``min``, ``topk``, ``sort`` along an axis are races (`races`);
  the first two are decided when they are used, and what nobody uses never is.
- ``searchsorted`` and ``bucketize`` of a draw are one categorical choice each.
- A float becomes a wider float, or the integer below it; a narrower float would round it, which is
  refused.

An operation on a tensor in which no symbol is left is torch's own.  Every other is refused.
"""

import math
from collections.abc import Callable
from functools import reduce

import torch
from torch.utils._pytree import tree_flatten, tree_map

from specdec_grids.affine import opaque
from specdec_verification.subjects import torch_elements, torch_memory, torch_rows
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.torch_elements import Call
from specdec_verification.subjects.torch_tensors import (
    Drawn,
    elements_of,
    numbered,
    settled,
    values,
)

MOVES = frozenset(
    [
        "_reshape_alias",
        "_unsafe_view",
        "alias",
        "as_strided",
        "clone",
        "detach",
        "diagonal",
        "expand",
        "flip",
        "gather",
        "index",
        "index_select",
        "lift",
        "lift_fresh",
        "lift_fresh_copy",
        "masked_select",
        "narrow",
        "permute",
        "repeat",
        "roll",
        "select",
        "slice",
        "split",
        "split_with_sizes",
        "squeeze",
        "t",
        "take",
        "transpose",
        "unbind",
        "unfold",
        "unsafe_chunk",
        "unsafe_split",
        "unsafe_split_with_sizes",
        "unsqueeze",
        "view",
    ]
)
MIXES = {
    "cat": (0,),
    "stack": (0,),
    "where": (1, 2),
    "masked_fill": (0, 2),
    "masked_scatter": (0, 2),
    "index_put": (0, 2),
    "_index_put_impl": (0, 2),
    "index_fill": (0, 3),
    "index_copy": (0, 3),
    "scatter": (0, 3),
    "slice_scatter": (0, 1),
    "select_scatter": (0, 1),
    "copy": (0, 1),
    "fill": (0, 1),
    "constant_pad_nd": (0, 2),
}
"""Which arguments hold elements; the others are masks, places and sizes."""
ACCUMULATES = frozenset(["index_put", "_index_put_impl"])
"""Those whose fourth argument asks for a sum; of the others it says where elements go."""
LIKES = frozenset(
    [
        "empty_like",
        "full_like",
        "new_empty",
        "new_empty_strided",
        "new_full",
        "new_ones",
        "new_zeros",
        "ones_like",
        "zeros_like",
    ]
)


def follow(func: Item, args: Item, kwargs: Item) -> Item:
    """Return the result of an operation of which an argument is a tensor of symbols."""
    name = func._schema.name.partition("::")[2]
    in_place = name.endswith("_") and not name.endswith("__")
    handler = _handler(name.removesuffix("_") if in_place else name)
    counts = handler in _ELEMENTS_STAY or _first_drawn((args, kwargs)).dtype.is_floating_point
    if handler is None or "out" in kwargs or not counts:
        return _on_numbers((func, args, kwargs))
    if not in_place or handler is _mixed:
        return handler((func, args, kwargs))
    if handler not in _CAN_BE_IN_PLACE:
        opaque(f"torch operation {func._schema.name} of draws")
    result = handler((func, args, kwargs))
    numbers = (
        args[0].numbers
        if isinstance(args[0], Drawn)
        else torch_memory.remember(args[0], result.elements)
    )
    numbers.copy_(result.numbers)
    return args[0]


def _handler(name: str) -> Callable[[Call], Item] | None:
    if name in MOVES:
        return _moved
    if name in MIXES:
        return _mixed
    return _alike if name in LIKES else _OTHERS.get(name)


def _on_numbers(call: Call) -> Item:
    """Let torch do an operation if no symbol is left in its arguments, or refuse it."""
    func, args, kwargs = call
    args, kwargs = _plain((args, kwargs), func)
    return func(*args, **kwargs)


def _plain(arguments: Item, func: Item) -> Item:
    """Return arguments with plain tensors for those in which no symbol is left."""

    def plain(item: Item) -> Item:
        if not isinstance(item, Drawn):
            return item
        alone = settled(item)
        return opaque(f"torch operation {func._schema.name} of draws") if alone is None else alone

    return tree_map(plain, arguments)


def _moved(call: Call) -> Item:
    func, args, kwargs = call
    drawn = args[0]
    if not isinstance(drawn, Drawn):
        return _on_numbers(call)
    result = func(drawn.numbers, *_plain(args[1:], func), **kwargs)
    return tree_map(lambda item: drawn.like(item) if torch.is_tensor(item) else item, result)


def _mixed(call: Call) -> Item:
    func, args, kwargs = call
    name = func._schema.name.partition("::")[2].removesuffix("_")
    in_place = func._schema.name.endswith("_")
    places = MIXES[name]
    accumulates = name in ACCUMULATES and any(args[3:4])
    if accumulates or "reduce" in kwargs or "reduce" in func._overloadname:
        opaque(f"torch operation {func._schema.name} of draws that adds to what is there")
    if name == "constant_pad_nd" and len(args) < 3:
        args = (*args, 0.0)
    data = [args[place] for place in places]
    tensors = [item for item in tree_flatten(data)[0] if torch.is_tensor(item)]
    drawn = [item for item in tensors if isinstance(item, Drawn)]
    if not drawn:
        return _on_numbers(call)
    elements = elements_of(drawn)
    given = [item if place in places else _plain(item, func) for place, item in enumerate(args)]
    for place in places:
        given[place] = tree_map(lambda item: _numbers(item, drawn[0]), args[place])
    if in_place and not isinstance(args[0], Drawn):
        given[0] = torch_memory.remember(args[0], elements)
    result = func(*given, **kwargs)
    if in_place:
        return args[0]
    return Drawn(result, elements, reduce(torch.promote_types, (one.dtype for one in tensors)))


def _numbers(item: Item, beside: Drawn) -> Item:
    """Return the numbers of a tensor's elements, or of one number beside a tensor of draws."""
    if isinstance(item, Drawn):
        return item.numbers
    if torch.is_tensor(item):
        return numbered(values(item).ravel().tolist(), item.shape, beside.elements)
    rounded = torch.tensor(item, dtype=beside.dtype).item()
    return int(numbered([rounded], (), beside.elements))


def _alike(call: Call) -> Item:
    func, args, kwargs = call
    stand_in = torch.empty(args[0].shape, dtype=args[0].dtype)
    return func(stand_in, *args[1:], **kwargs)


def _cast(call: Call) -> Item:
    _, args, kwargs = call
    drawn, dtype = args[0], kwargs.get("dtype") or args[0].dtype
    if str(kwargs.get("device") or "cpu") != "cpu":
        opaque(f"draws on the device {kwargs['device']}")
    if torch.promote_types(drawn.dtype, dtype) != dtype or not dtype.is_floating_point:
        plain = settled(drawn)
        if plain is None and (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool):
            opaque(f"conversion of draws to {dtype}")
        return _truncated(drawn, dtype) if plain is None else plain.to(dtype)
    return Drawn(drawn.numbers.clone(), drawn.elements, dtype)


def _truncated(drawn: Drawn, dtype: Item) -> Item:
    integers = [math.trunc(item) for item in drawn.symbols().ravel().tolist()]
    return torch.tensor(integers, dtype=dtype).reshape(drawn.shape)


def _first_drawn(args: Item) -> Drawn:
    return next(item for item in tree_flatten(args)[0] if isinstance(item, Drawn))


_ELEMENTS_STAY = (_moved, _mixed, _alike)
"""What leaves the elements as they are, and so need not know the undecided ones."""
_CAN_BE_IN_PLACE = (torch_elements.computed, torch_elements.clamped, torch_elements.rectified)

_OTHERS: dict[str, Callable[[Call], Item]] = {
    **dict.fromkeys(torch_elements.ARITHMETIC, torch_elements.computed),
    **dict.fromkeys(torch_elements.COMPARISONS, torch_elements.compared),
    "eq": torch_elements.equal,
    "ne": lambda call: ~torch_elements.equal(call),
    **dict.fromkeys(("clamp", "clamp_min", "clamp_max"), torch_elements.clamped),
    "relu": torch_elements.rectified,
    "_to_copy": _cast,
    **dict.fromkeys(("argmax", "argmin"), torch_rows.extreme),
    **dict.fromkeys(("max", "min"), torch_rows.best),
    "topk": torch_rows.top,
    "sort": torch_rows.ordered,
    "isnan": torch_elements.compared,
    **dict.fromkeys(("searchsorted", "bucketize"), torch_rows.searched),
}
