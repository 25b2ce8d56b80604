"""Torch as a source of draws: its random functions give symbols while code is followed.

Understood:

- ``rand``, ``rand_like``, ``Tensor.uniform_``: uniforms, of any floating type;
- ``Tensor.exponential_``: noise for races; ``gumbel_softmax`` with ``hard=True``: one of them;
- ``multinomial`` (one sample or several, with and without replacement), ``bernoulli``,
  ``Tensor.bernoulli_``, ``randint``, ``randperm``: all their outcomes;
- ``torch.distributions`` as far as they draw by these (``Categorical``, ``Bernoulli``,
  ``Uniform``, ``Exponential``);
- generators by keyword, seeds, saved states (`torch_generators`); ``out=``; tensors made empty
  and filled, as a whole or in part (`torch_memory`);
- ``tensor``, ``as_tensor`` and ``from_numpy`` of draws of Python's or numpy's;
- what `torch_operations` does to the tensors that come out.

Single draws and draws without replacement are races of exponentials, as torch makes them on a
CPU; several draws with replacement are uniforms placed in the cumulative sums.  Every other
random function is refused by name.  So is compiled code: what it draws cannot be replaced.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import torch
import torch._dynamo  # which `set_stance` would import while the libraries are replaced
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.patching import Replacement
from specdec_verification.subjects.running import Library
from specdec_verification.subjects.torch_drawings import DRAWINGS, GENERATORS, begin, taken_over
from specdec_verification.subjects.torch_memory import MEMORY
from specdec_verification.subjects.torch_tensors import Drawn, numbered


def as_tensors(arguments: Item) -> Item:
    """Return arguments with tensors of no axes for symbols that the code holds by themselves."""
    elements = MEMORY.elements

    def as_tensor(item: Item) -> Item:
        if not isinstance(item, Symbol):
            return item
        return Drawn(numbered([item], (), elements), elements, torch.float64)

    return tree_map(as_tensor, arguments)


class Following(TorchFunctionMode):  # type: ignore[misc]  # torch is not there for the type check
    """While it is on, torch's random functions give symbols."""

    def __torch_function__(
        self,
        func: Item,
        types: Item,
        args: Item = (),
        kwargs: Item = None,
    ) -> Item:
        """Follow a random function, and let torch do any other."""
        kwargs = kwargs or {}
        drawing = DRAWINGS.get(func)
        if drawing is None and not MEMORY.blocks and Symbol not in types:
            return func(*args, **kwargs)  # as most of torch's functions are: it must be quick
        if MEMORY.blocks:
            args = MEMORY.seen(tuple(args))
            kwargs = {name: MEMORY.seen(item) for name, item in kwargs.items()}
        if Symbol in types and drawing is not taken_over:
            args, kwargs = as_tensors((args, kwargs))
        if drawing is not None:
            return drawing(func, args, kwargs)
        return func(*args, **kwargs)


@contextmanager
def _replaced(held: Sequence[Item]) -> Iterator[Replacement]:
    """Follow torch's random functions, and leave its generator as it was."""
    before, threads = torch.default_generator.get_state(), torch.get_num_threads()
    torch.set_num_threads(1)  # thousands of runs on small tensors, which threads only slow down
    GENERATORS.start()
    try:
        with ExitStack() as stack:
            stack.enter_context(torch.compiler.set_stance("force_eager"))
            for owner, name, wrap in _WRAPPED:
                stack.enter_context(_wrapped(owner, name, wrap))
            stack.enter_context(Following())
            yield Replacement(())
    finally:
        GENERATORS.end()
        MEMORY.clear([])
        torch.default_generator.set_state(before)
        torch.set_num_threads(threads)


@contextmanager
def _wrapped(owner: Item, name: str, wrap: Callable[[Item], Item]) -> Iterator[None]:
    """Wrap a function that no mode sees."""
    old = getattr(owner, name)
    setattr(owner, name, wrap(old))
    try:
        yield
    finally:
        setattr(owner, name, old)


def _seeing_memory(call: Item) -> Item:
    """Return the call of TorchScript, given tensors of draws for their memory."""

    def wrapped(self: Item, *args: Item, **kwargs: Item) -> Item:
        kwargs = {name: MEMORY.seen(item) for name, item in kwargs.items()}
        return call(self, *MEMORY.seen(args), **kwargs)

    return wrapped


def _in_this_run(read: Callable[[], Item]) -> Callable[[], Item]:
    """Return what reads the global generator's state, where it stands in the run at hand."""

    def wrapped() -> Item:
        begin()
        return read()

    return wrapped


_WRAPPED: tuple[tuple[Item, str, Callable[[Item], Item]], ...] = (
    (torch.jit.ScriptFunction, "__call__", _seeing_memory),
    (torch._C.ScriptMethod, "__call__", _seeing_memory),
    (torch, "from_numpy", lambda call: lambda array: taken_over(call, (array,), {})),
    (torch, "get_rng_state", _in_this_run),
    (torch.random, "get_rng_state", _in_this_run),
)

LIBRARY = Library(
    name="torch",
    needs="torch",
    understood="rand, multinomial, bernoulli, exponential_, torch.distributions, generators",
    held=frozenset(),  # its generators are followed where they stand
    replaced=_replaced,
    state=GENERATORS.moved,
)
"""Torch, to be followed."""
