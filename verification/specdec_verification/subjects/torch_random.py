"""Torch as a source of draws: its random functions give symbols while code is followed.

Understood:

- ``rand``, ``rand_like``, ``Tensor.uniform_``: uniforms, of any floating type;
- ``Tensor.exponential_``: noise for races;
- ``multinomial`` (one sample or several, with and without replacement), ``bernoulli``,
  ``Tensor.bernoulli_``, ``randint``, ``randperm``: all their outcomes;
- ``torch.distributions`` as far as they draw by these (``Categorical``, ``Bernoulli``,
  ``Uniform``, ``Exponential``);
- generators by keyword, seeds, saved states (`torch_generators`); ``out=``; tensors made empty
  and filled, as a whole or in part (`torch_memory`);
- what `torch_operations` does to the tensors that come out.

Single draws and draws without replacement are races of exponentials, as torch makes them on a
CPU; several draws with replacement are uniforms placed in the cumulative sums.  Every other
random function is refused by name.  So is compiled code: what it draws cannot be replaced.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from specdec_verification.subjects.noise import Symbol
from specdec_verification.subjects.running import Library, patched
from specdec_verification.subjects.torch_drawings import DRAWINGS, GENERATORS
from specdec_verification.subjects.torch_memory import MEMORY
from specdec_verification.subjects.torch_tensors import Drawn, numbered


def as_tensors(arguments: Any) -> Any:  # noqa: ANN401
    """Return arguments with tensors of no axes for symbols that the code holds by themselves."""
    elements = MEMORY.elements

    def as_tensor(item: Any) -> Any:  # noqa: ANN401
        if not isinstance(item, Symbol):
            return item
        return Drawn(numbered([item], (), elements), elements, torch.float64)

    return tree_map(as_tensor, arguments)


class Following(TorchFunctionMode):  # type: ignore[misc]  # torch is not there for the type check
    """While it is on, torch's random functions give symbols."""

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: Any = (),
        kwargs: Any = None,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """Follow a random function, and let torch do any other."""
        kwargs = kwargs or {}
        if MEMORY:
            args = MEMORY.seen(tuple(args))
            kwargs = {name: MEMORY.seen(item) for name, item in kwargs.items()}
        if Symbol in types:
            args, kwargs = as_tensors((args, kwargs))
        drawing = DRAWINGS.get(func)
        if drawing is not None:
            return drawing(func, args, kwargs)
        return func(*args, **kwargs)


@contextmanager
def _replaced() -> Iterator[None]:
    """Follow torch's random functions, and leave its generator as it was."""
    before, threads = torch.default_generator.get_state(), torch.get_num_threads()
    torch.set_num_threads(1)  # thousands of runs on small tensors, which threads only slow down
    GENERATORS.start()
    try:
        with torch.compiler.set_stance("force_eager"), patched(_SCRIPTED), Following():
            yield
    finally:
        GENERATORS.end()
        MEMORY.clear([])
        torch.default_generator.set_state(before)
        torch.set_num_threads(threads)


def _scripted(call: Any) -> Any:  # noqa: ANN401
    """Return the call of TorchScript, which no mode sees, on tensors of draws for their memory."""

    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        kwargs = {name: MEMORY.seen(item) for name, item in kwargs.items()}
        return call(self, *MEMORY.seen(args), **kwargs)

    return wrapped


_SCRIPTED = {
    (kind, "__call__"): _scripted(kind.__call__)
    for kind in (torch.jit.ScriptFunction, torch._C.ScriptMethod)
}

LIBRARY = Library(
    name="torch",
    needs="torch",
    understood="rand, multinomial, bernoulli, exponential_, torch.distributions, generators",
    replaced=_replaced,
    state=GENERATORS.moved,
)
"""Torch, to be followed."""
