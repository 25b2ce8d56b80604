"""What torch does to tensors of symbols, operation by operation, as its dispatcher names them.

- Moving elements (views, indexing, ``gather``, ``expand``, ``clone``, ``flip``, ...) moves their
  numbers, and so does mixing them with numbers (``cat``, ``where``, ``masked_fill``, assignment).
- Arithmetic, curves and clamps act element by element (`arrays.elementwise`), in real numbers.
- A comparison forks element by element and returns a plain tensor of bools.
- ``argmax``, ``argmin``, ``max``, ``min``, ``topk`` along an axis are races (`races`); the first
  two are decided when they are used, and what nobody uses never is.
- ``searchsorted`` and ``bucketize`` of a draw are one categorical choice each.
- A float becomes a wider float; a narrower one would round it, which is refused.

An operation on a tensor in which no symbol is left is torch's own.  Every other is refused.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import torch
from torch.utils._pytree import tree_flatten, tree_map

from specdec_grids.affine import opaque
from specdec_verification.subjects import arrays, torch_guards, torch_memory
from specdec_verification.subjects.torch_tensors import (
    Drawn,
    Undecided,
    elements_of,
    numbered,
    settled,
    values,
)

Call: TypeAlias = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""An operation of the dispatcher, with what it was given."""

MOVES = frozenset(
    [
        "view",
        "_unsafe_view",
        "_reshape_alias",
        "select",
        "slice",
        "squeeze",
        "unsqueeze",
        "expand",
        "permute",
        "transpose",
        "t",
        "clone",
        "detach",
        "alias",
        "index",
        "index_select",
        "gather",
        "unbind",
        "split",
        "split_with_sizes",
        "unsafe_split",
        "unsafe_split_with_sizes",
        "unsafe_chunk",
        "flip",
        "roll",
        "repeat",
        "as_strided",
        "diagonal",
        "narrow",
        "take",
        "masked_select",
        "unfold",
        "lift_fresh",
        "lift_fresh_copy",
        "lift",
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
LIKES = frozenset(
    [
        "empty_like",
        "zeros_like",
        "ones_like",
        "full_like",
        "new_empty",
        "new_zeros",
        "new_ones",
        "new_full",
        "new_empty_strided",
    ]
)
ARITHMETIC = {
    "add": "add",
    "sub": "subtract",
    "rsub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "true_divide": "divide",
    "maximum": "maximum",
    "minimum": "minimum",
    "fmax": "maximum",
    "fmin": "minimum",
    "pow": "power",
    "neg": "negative",
    "reciprocal": "reciprocal",
    "sqrt": "sqrt",
    "log": "log",
    "log1p": "log1p",
    "log2": "log2",
    "log10": "log10",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
}
COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}


def follow(func: Any, args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    """Return the result of an operation of which an argument is a tensor of symbols."""
    name = func._schema.name.partition("::")[2]
    in_place = name.endswith("_") and not name.endswith("__")
    handler = _handler(name.removesuffix("_") if in_place else name)
    counts = handler in _ELEMENTS_STAY or _first_drawn((args, kwargs)).dtype.is_floating_point
    if handler is None or "out" in kwargs or not counts:
        return _on_numbers((func, args, kwargs))
    result = handler((func, args, kwargs))
    if in_place and handler is not _mixed:
        args[0].numbers.copy_(result.numbers)
        return args[0]
    return result


def _handler(name: str) -> Callable[[Call], Any] | None:
    if name in MOVES:
        return _moved
    if name in MIXES:
        return _mixed
    if name in LIKES:
        return _alike
    if name in ARITHMETIC:
        return _computed
    return _OTHERS.get(name)


def _on_numbers(call: Call) -> Any:  # noqa: ANN401
    """Let torch do an operation if no symbol is left in its arguments, or refuse it."""
    func, args, kwargs = call
    args, kwargs = _plain((args, kwargs), func)
    return func(*args, **kwargs)


def _plain(arguments: Any, func: Any) -> Any:  # noqa: ANN401
    """Return arguments with plain tensors for those in which no symbol is left."""

    def plain(item: Any) -> Any:  # noqa: ANN401
        if not isinstance(item, Drawn):
            return item
        alone = settled(item)
        return opaque(f"torch operation {func._schema.name} of draws") if alone is None else alone

    return tree_map(plain, arguments)


def _moved(call: Call) -> Any:  # noqa: ANN401
    func, args, kwargs = call
    drawn = args[0]
    if not isinstance(drawn, Drawn):
        return _on_numbers(call)
    result = func(drawn.numbers, *_plain(args[1:], func), **kwargs)
    return tree_map(lambda item: drawn.like(item) if torch.is_tensor(item) else item, result)


def _mixed(call: Call) -> Any:  # noqa: ANN401
    func, args, kwargs = call
    name = func._schema.name.partition("::")[2].removesuffix("_")
    in_place = func._schema.name.endswith("_")
    places = MIXES[name]
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
        given[place] = tree_map(lambda item: _numbers(item, elements), args[place])
    if in_place and not isinstance(args[0], Drawn):
        given[0] = torch_memory.remember(args[0], elements)
    result = func(*given, **kwargs)
    if in_place:
        return args[0]
    return Drawn(result, elements, reduce(torch.promote_types, (one.dtype for one in tensors)))


def _numbers(item: Any, elements: list[Any]) -> Any:  # noqa: ANN401
    """Return the numbers of a tensor's elements, or of one number."""
    if isinstance(item, Drawn):
        return item.numbers
    if torch.is_tensor(item):
        return numbered(values(item).ravel().tolist(), item.shape, elements)
    return int(numbered([float(item)], (), elements))


def _alike(call: Call) -> Any:  # noqa: ANN401
    func, args, kwargs = call
    stand_in = torch.empty(args[0].shape, dtype=args[0].dtype)
    return func(stand_in, *args[1:], **kwargs)


def _computed(call: Call) -> Any:  # noqa: ANN401
    func, args, kwargs = call
    name = func._schema.name.partition("::")[2].removesuffix("_")
    operands, dtype = _operands(args)
    if kwargs.get("alpha", 1) != 1 or kwargs.get("rounding_mode") is not None or len(args) > 2:
        opaque(f"torch operation {name} of draws with {kwargs or args[2:]}")
    if name == "rsub":
        operands.reverse()
    if name == "add":
        operands = torch_guards.left_out(operands)
    return _drawn(arrays.mapped(ARITHMETIC[name], operands), args, dtype)


def _compared(call: Call) -> Any:  # noqa: ANN401
    func, args, _ = call
    name = func._schema.name.partition("::")[2]
    return torch.as_tensor(arrays.mapped(COMPARISONS[name], _operands(args)[0]))


def _equal(call: Call) -> Any:  # noqa: ANN401
    """Return where a draw is a number: at most it, and not below it."""
    operands = _operands(call[1])[0]
    at_most = torch.as_tensor(arrays.mapped("less_equal", operands))
    return at_most & ~torch.as_tensor(arrays.mapped("less", operands))


def _clamped(call: Call) -> Any:  # noqa: ANN401
    func, args, kwargs = call
    drawn, *bounds = args
    named = [kwargs.get("min"), kwargs.get("max")]
    low, high = [*bounds, *named[len(bounds) :]][:2]
    if func._schema.name.startswith("aten::clamp_max"):
        low, high = None, low
    result = drawn
    for bound, side in ((low, "maximum"), (high, "minimum")):
        if bound is not None:
            operands, dtype = _operands((result, bound))
            if side == "maximum":
                operands = torch_guards.left_out(operands)
            result = _drawn(arrays.mapped(side, operands), (result,), dtype)
    return result


def _rectified(call: Call) -> Any:  # noqa: ANN401
    drawn = call[1][0]
    return _drawn(arrays.mapped("maximum", [drawn.symbols(), np.array(0.0)]), (drawn,), drawn.dtype)


def _cast(call: Call) -> Any:  # noqa: ANN401
    _, args, kwargs = call
    drawn, dtype = args[0], kwargs.get("dtype") or args[0].dtype
    if str(kwargs.get("device") or "cpu") != "cpu":
        opaque(f"draws on the device {kwargs['device']}")
    if torch.promote_types(drawn.dtype, dtype) != dtype or not dtype.is_floating_point:
        plain = settled(drawn)
        return opaque(f"conversion of draws to {dtype}") if plain is None else plain.to(dtype)
    return Drawn(drawn.numbers.clone(), drawn.elements, dtype)


def _extreme(call: Call) -> Any:  # noqa: ANN401
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


def _best(call: Call) -> Any:  # noqa: ANN401
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


def _top(call: Call) -> Any:  # noqa: ANN401
    """Return the first few of each line: a race, then one among the others, and so on."""
    _, args, _ = call
    drawn, count, axis, largest = (*args, -1, True)[:4] if len(args) < 4 else args[:4]
    lines = drawn.symbols()
    rows, _ = arrays.lines(lines, axis)
    ranked = [_ranked(row.tolist(), count, largest) for row in rows]
    shape = list(drawn.numbers.movedim(axis, -1).shape[:-1])
    places = torch.tensor(ranked).reshape([*shape, count]).movedim(-1, axis)
    return drawn.like(drawn.numbers.gather(axis, places)), places


def _ranked(items: Sequence[Any], count: int, largest: bool) -> list[int]:
    left = list(range(len(items)))
    return [
        left.pop(arrays.races.winner([items[i] for i in left], largest=largest))
        for _ in range(count)
    ]


def _searched(call: Call) -> Any:  # noqa: ANN401
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


def _place(line: Any, item: float, right: bool) -> int:  # noqa: ANN401
    return int(np.searchsorted(line, item, "right" if right else "left"))


def _first_drawn(args: Any) -> Drawn:  # noqa: ANN401
    return next(item for item in tree_flatten(args)[0] if isinstance(item, Drawn))


def _axis(args: Any, kwargs: Any) -> tuple[int | None, bool]:  # noqa: ANN401
    given = [*args[1:], *(None, False)[len(args) - 1 :]]
    return kwargs.get("dim", given[0]), bool(kwargs.get("keepdim", given[1]))


def _operands(args: Any) -> tuple[list[Any], Any]:  # noqa: ANN401
    """Return arguments as arrays, and the type that torch gives their result.

    A number or plain tensor is rounded to that type first, as torch does.
    """
    dtype = torch.result_type(*map(_typed, args)) if len(args) > 1 else args[0].dtype
    arguments = []
    for item in args:
        if isinstance(item, Drawn):
            arguments.append(item.symbols())
        else:
            arguments.append(values(torch.as_tensor(item).to(dtype)))
    return arguments, dtype


def _typed(item: Any) -> Any:  # noqa: ANN401
    """Return something of an argument's type and number of axes."""
    return torch.empty([0] * item.dim(), dtype=item.dtype) if isinstance(item, Drawn) else item


def _drawn(symbols: Any, args: Any, dtype: Any) -> Drawn:  # noqa: ANN401
    elements = elements_of([item for item in args if isinstance(item, Drawn)])
    return Drawn(numbered(symbols.ravel().tolist(), symbols.shape, elements), elements, dtype)


_ELEMENTS_STAY = (_moved, _mixed, _alike)
"""What leaves the elements as they are, and so need not know the undecided ones."""

_OTHERS: dict[str, Callable[[Call], Any]] = {
    **dict.fromkeys(COMPARISONS, _compared),
    "eq": _equal,
    "ne": lambda call: ~_equal(call),
    **dict.fromkeys(("clamp", "clamp_min", "clamp_max"), _clamped),
    "relu": _rectified,
    "_to_copy": _cast,
    **dict.fromkeys(("argmax", "argmin"), _extreme),
    **dict.fromkeys(("max", "min"), _best),
    "topk": _top,
    **dict.fromkeys(("searchsorted", "bucketize"), _searched),
}
