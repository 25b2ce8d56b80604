"""What torch's random functions give while code is followed, each by its name.

Uniforms and exponentials come as tensors of symbols; categorical draws, coins, integers and
permutations come as plain tensors, all their outcomes followed.  The real function is called too,
on numbers: it checks its arguments, says what shape and type comes out, and moves the generator.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import torch
from torch.utils._pytree import tree_map

from specdec_core.distributions import Row
from specdec_grids.affine import opaque
from specdec_verification.subjects import entrants, races
from specdec_verification.subjects.arrays import elementwise, is_symbol
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.running import current
from specdec_verification.subjects.stream_draw import StreamDraw
from specdec_verification.subjects.torch_generators import Generators, Taken
from specdec_verification.subjects.torch_memory import MEMORY
from specdec_verification.subjects.torch_resolutions import resolution_of
from specdec_verification.subjects.torch_tensors import (
    Drawn,
    numbered,
    require_not_compiled,
    settled,
    values,
)

Drawing: TypeAlias = Callable[[Item, tuple[Item, ...], dict[str, Item]], Item]
"""What stands in for a random function: takes the function itself, and what it was given."""

GENERATORS = Generators()
"""Of the run at hand."""


def note_floats(dtype: Item) -> None:
    """Remember that the program computes in floats of this type."""
    if dtype != torch.float64:
        current().single = True


def _taken(
    func: Item,
    args: Item,
    kwargs: Item,
    describe: Callable[[Item], Taken],
) -> tuple[Item, list[StreamDraw]]:
    begin()
    require_not_compiled(f"torch.{func.__name__}")
    return GENERATORS.take(kwargs.get("generator"), lambda: func(*args, **kwargs), describe)


def begin() -> None:
    """Forget the tensors of the run before, if a new run has begun."""
    if GENERATORS.begin():
        MEMORY.clear([])


def _uniforms(made: Item) -> Taken:
    note_floats(made.dtype)
    return Taken(f"uniform {made.dtype}", made.numel(), resolution_of(made.dtype))


def new_uniform(func: Item, args: Item, kwargs: Item) -> Item:
    """Return a new tensor of uniforms, as ``rand`` and ``rand_like`` do."""
    out = kwargs.pop("out", None)
    made, draws = _taken(func, tree_map(_stand_in, args), kwargs, _uniforms)
    symbols = [draw.symbol() for draw in draws]
    return _new(made, symbols) if out is None else _fill(out, symbols)


def fill_uniform(func: Item, args: Item, kwargs: Item) -> Item:
    """Fill a tensor with uniforms between two numbers."""
    tensor, *ends = args
    low = kwargs.get("from", ends[0] if ends else 0.0)
    high = kwargs.get("to", ends[1] if len(ends) > 1 else 1.0)
    _, draws = _taken(func, (_stand_in(tensor), low, high), _source(kwargs), _uniforms)
    return _fill(tensor, [draw.symbol() * (high - low) + low for draw in draws])


def fill_exponential(func: Item, args: Item, kwargs: Item) -> Item:
    """Fill a tensor with exponential noise."""
    tensor, *rates = args
    rate = kwargs.get("lambd", rates[0] if rates else 1.0)
    _, draws = _taken(func, (_stand_in(tensor), rate), _source(kwargs), _exponentials)
    return _fill(tensor, [-elementwise("log", [draw.symbol()]) / rate for draw in draws])


def _exponentials(made: Item) -> Taken:
    note_floats(made.dtype)
    return Taken("exponential", made.numel())


def multinomial(func: Item, args: Item, kwargs: Item) -> Item:
    """Return the tokens that rows of weights give: a race for each, or places in their sums."""
    rows, count, replacement = _multinomial(*args, **kwargs)
    weights = _numbers_alone(rows, "multinomial").reshape(-1, rows.shape[-1]).tolist()
    racing = count == 1 or not replacement
    size = len(weights) * (rows.shape[-1] if racing else count)
    taken = Taken("exponential" if racing else "uniform for a sum", size)
    out = kwargs.pop("out", None)
    made, draws = _taken(func, args, kwargs, lambda made: taken)
    note_floats(rows.dtype)
    share = size // len(weights)
    tokens = [
        _ranked(row, draws[i * share : (i + 1) * share], count)
        if racing
        else [draw.choose(row_of(row)) for draw in draws[i * share : (i + 1) * share]]
        for i, row in enumerate(weights)
    ]
    result = made if out is None else out
    if made.numel() == 1:
        return result.fill_(tokens[0][0])  # the usual case, which can be quick
    return result.copy_(torch.tensor(tokens).reshape(made.shape))


def _multinomial(
    input: Item,
    num_samples: int,
    replacement: bool = False,
    **_: Item,
) -> tuple[Item, int, bool]:
    return input, num_samples, replacement


def _ranked(weights: Sequence[float], draws: Sequence[StreamDraw], count: int) -> list[int]:
    """Return the first few of a race in which each entrant arrives at its weight."""
    rates = _rates(tuple(weights))
    places = [place for place, rate in enumerate(rates) if rate]
    left = [entrants.Entrant(draws[place], False, rates[place], True, ()) for place in places]
    ranked = []
    for _ in range(count):
        first = races.first(left)
        ranked.append(places.pop(first))
        del left[first]
    return ranked


@lru_cache(maxsize=4096)  # the same rows come up on path after path
def _rates(weights: tuple[float, ...]) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, weights))


def row_of(weights: Sequence[float]) -> Row:
    """Return the exact distribution in proportion to weights."""
    parts = [Fraction(weight) for weight in weights]
    total = sum(parts)
    return Row(part / total for part in parts)


def bernoulli(func: Item, args: Item, kwargs: Item) -> Item:
    """Return coins as zeros and ones, in a new tensor or in the one that is filled."""
    tensor, *given = args
    in_place = func is torch.Tensor.bernoulli_
    odds = kwargs.get("p", given[0] if given else 0.5 if in_place else tensor)
    odds = _numbers_alone(odds, "bernoulli") if torch.is_tensor(odds) else torch.tensor(odds)
    args = (_stand_in(tensor) if in_place else odds, *given)
    made, draws = _taken(func, args, kwargs, lambda made: Taken("coin", made.numel()))
    note_floats(odds.dtype)
    heads = [
        draw.ask("<", 1, 0, prob)
        for draw, prob in zip(draws, values(odds.expand_as(made)).ravel().tolist(), strict=True)
    ]
    coins = torch.tensor(heads).reshape(made.shape).to(made.dtype)
    return tensor.copy_(coins) if in_place else coins


def randint(func: Item, args: Item, kwargs: Item) -> Item:
    """Return integers of a range, all equally likely."""
    ends = [item for item in args if isinstance(item, int)]
    low = kwargs.get("low", ends[0] if len(ends) + ("high" in kwargs) > 1 else 0)
    high = kwargs.get("high", ends[-1] if ends else None)
    made, draws = _taken(
        func, args, kwargs, lambda made: Taken(f"integers below {high - low}", made.numel())
    )
    row = row_of([1.0] * (high - low))
    return torch.tensor([low + draw.choose(row) for draw in draws]).reshape(made.shape).to(made)


def randperm(func: Item, args: Item, kwargs: Item) -> Item:
    """Return a permutation, all equally likely."""
    made, draws = _taken(func, args, kwargs, lambda made: Taken("permutation", made.numel()))
    left = list(range(made.numel()))
    order = [left.pop(draw.choose(row_of([1.0] * len(left)))) for draw in draws]
    return torch.tensor(order).to(made)


def _source(kwargs: dict[str, Item]) -> dict[str, Item]:
    return {"generator": kwargs["generator"]} if "generator" in kwargs else {}


def _stand_in(item: Item) -> Item:
    """Return memory of a tensor's shape and type, for the real function to write to."""
    return torch.empty(item.shape, dtype=item.dtype) if torch.is_tensor(item) else item


def _numbers_alone(tensor: Item, name: str) -> Item:
    plain = settled(tensor) if isinstance(tensor, Drawn) else tensor
    return opaque(f"torch.{name} of draws") if plain is None else plain


def taken_over(func: Item, args: Item, kwargs: Item) -> Item:
    """Return a tensor of draws of Python or numpy, as ``tensor`` makes one of numbers."""
    data = np.asarray(args[0]) if not torch.is_tensor(args[0]) else None
    if data is None or data.dtype != object or not any(map(is_symbol, data.ravel())):
        return func(*args, **kwargs)
    begin()
    own = torch.float64 if isinstance(args[0], np.ndarray) else torch.get_default_dtype()
    dtype = kwargs.get("dtype") or own
    if dtype not in (torch.float32, torch.float64):
        opaque(f"conversion of draws to {dtype}")
    numbers = numbered(data.ravel().tolist(), data.shape, MEMORY.elements)
    return Drawn(numbers, MEMORY.elements, dtype)


def _new(made: Item, symbols: Sequence[Item]) -> Item:
    if not any(map(is_symbol, symbols)):  # a path is replayed
        return made.copy_(torch.tensor(symbols, dtype=torch.float64).reshape(made.shape))
    return Drawn(numbered(symbols, made.shape, MEMORY.elements), MEMORY.elements, made.dtype)


def _fill(tensor: Item, symbols: Sequence[Item]) -> Item:
    if not any(map(is_symbol, symbols)) and not isinstance(tensor, Drawn):
        return tensor.copy_(torch.tensor(symbols, dtype=torch.float64).reshape(tensor.shape))
    numbers = tensor.numbers if isinstance(tensor, Drawn) else MEMORY.remember(tensor)
    numbers.copy_(numbered(symbols, tensor.shape, MEMORY.elements))
    return tensor


def gumbel_softmax(func: Item, args: Item, kwargs: Item) -> Item:
    """Return the hard sample, zeros and a one; the soft one's numbers depend on all the noise."""
    logits, *given = args
    named = dict(zip(("tau", "hard", "eps", "dim"), given, strict=False))
    asked = {"hard": False, "dim": -1, **named, **kwargs}
    if not asked["hard"]:
        opaque("torch.nn.functional.gumbel_softmax with hard=False", _SOFT)
    logits = _numbers_alone(logits, "gumbel_softmax")
    noise = fill_exponential(torch.Tensor.exponential_, (torch.empty_like(logits),), {})
    places = (logits - MEMORY.seen(noise).log()).argmax(asked["dim"], keepdim=True)
    places = settled(places) if isinstance(places, Drawn) else places
    return torch.zeros_like(logits).scatter_(asked["dim"], places, 1.0)


def dropout(func: Item, args: Item, kwargs: Item) -> Item:
    """Let torch do what drops nothing, and refuse what does."""
    asked = {"p": 0.5, "training": True, **dict(zip(("p", "training"), args[1:3], strict=False))}
    if {**asked, **kwargs}["training"] and {**asked, **kwargs}["p"]:
        opaque("torch.dropout in training", _NO_LAW)
    return func(*args, **kwargs)


def refused(name: str) -> Drawing:
    """Return what refuses a random function by name."""

    def refuse(func: Item, args: Item, kwargs: Item) -> Item:
        opaque(f"torch.{name}", _NO_LAW)

    return refuse


_NO_LAW = "its law is none of those that are followed"
_SOFT = "its numbers are not followed; take hard=True, or argmax(logits + noise)"
_REFUSED = {
    "randn": torch.randn,
    "randn_like": torch.randn_like,
    "normal": torch.normal,
    "poisson": torch.poisson,
    "binomial": torch.binomial,
    "randint_like": torch.randint_like,
    "Tensor.normal_": torch.Tensor.normal_,
    "Tensor.random_": torch.Tensor.random_,
    "Tensor.log_normal_": torch.Tensor.log_normal_,
    "Tensor.cauchy_": torch.Tensor.cauchy_,
    "Tensor.geometric_": torch.Tensor.geometric_,
}
DRAWINGS: dict[Item, Drawing] = {
    torch.rand: new_uniform,
    torch.rand_like: new_uniform,
    torch.Tensor.uniform_: fill_uniform,
    torch.Tensor.exponential_: fill_exponential,
    torch.multinomial: multinomial,
    torch.Tensor.multinomial: multinomial,
    torch.bernoulli: bernoulli,
    torch.Tensor.bernoulli: bernoulli,
    torch.Tensor.bernoulli_: bernoulli,
    torch.randint: randint,
    torch.randperm: randperm,
    torch.nn.functional.dropout: dropout,
    torch.nn.functional.gumbel_softmax: gumbel_softmax,
    **dict.fromkeys((torch.tensor, torch.as_tensor), taken_over),
    **{function: refused(name) for name, function in _REFUSED.items()},
}
