"""Arithmetic, curves and comparisons of tensors of symbols, element by element.

The results are those of real numbers (`arrays.elementwise`); what torch would round to the type of
the result beforehand, a number or a plain tensor beside the draws, is rounded so here.
"""

from typing import TypeAlias

import numpy as np
import torch

from specdec_grids.affine import opaque
from specdec_verification.subjects import arrays
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.torch_tensors import Drawn, elements_of, numbered, values

Call: TypeAlias = tuple[Item, tuple[Item, ...], dict[str, Item]]
"""An operation of the dispatcher, with what it was given."""

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
    "abs": "absolute",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
}
COMPARISONS = {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "isnan": "isnan",
}


def computed(call: Call) -> Item:
    """Return the result of arithmetic or of a curve."""
    func, args, kwargs = call
    name = func._schema.name.partition("::")[2].removesuffix("_")
    operands, dtype = _operands(args)
    if kwargs.get("alpha", 1) != 1 or kwargs.get("rounding_mode") is not None or len(args) > 2:
        opaque(f"torch operation {name} of draws with {kwargs or args[2:]}")
    if name == "rsub":
        operands.reverse()
    return _drawn(arrays.mapped(ARITHMETIC[name], operands), args, dtype)


def compared(call: Call) -> Item:
    """Return where a comparison holds, as plain bools: every element forks."""
    func, args, _ = call
    name = func._schema.name.partition("::")[2]
    return torch.as_tensor(arrays.mapped(COMPARISONS[name], _operands(args)[0]))


def equal(call: Call) -> Item:
    """Return where a draw is a number, or the same draw."""
    return torch.as_tensor(arrays.mapped("equal", _operands(call[1])[0]))


def clamped(call: Call) -> Item:
    """Return the elements brought between two bounds, of which one may be missing."""
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
            result = _drawn(arrays.mapped(side, operands), (result,), dtype)
    return result


def rectified(call: Call) -> Item:
    """Return the positive part."""
    drawn = call[1][0]
    return _drawn(arrays.mapped("maximum", [drawn.symbols(), np.array(0.0)]), (drawn,), drawn.dtype)


def _operands(args: Item) -> tuple[list[Item], Item]:
    """Return arguments as arrays, and the type that torch gives their result.

    A number or plain tensor is rounded to that type first, as torch does.
    """
    dtype = torch.result_type(*map(_typed, args)) if len(args) > 1 else args[0].dtype
    arguments = []
    for item in args:
        if isinstance(item, Drawn):
            arguments.append(item.symbols())
        else:
            arguments.append(values(torch.as_tensor(item, dtype=dtype)))
    return arguments, dtype


def _typed(item: Item) -> Item:
    """Return something of an argument's type and number of axes."""
    return torch.empty([0] * item.dim(), dtype=item.dtype) if isinstance(item, Drawn) else item


def _drawn(symbols: Item, args: Item, dtype: Item) -> Drawn:
    elements = elements_of([item for item in args if isinstance(item, Drawn)])
    return Drawn(numbered(symbols.ravel().tolist(), symbols.shape, elements), elements, dtype)
