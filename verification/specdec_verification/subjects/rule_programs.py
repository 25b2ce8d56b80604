"""A rule as someone's own program: one round of it.

Over draws, a rule is audited as a program is.  With a generator of numpy's or torch's as the source
of its draws, a fault that is planted in a rule becomes a fault of unmodified code: it is followed
while it runs, and never learns that its draws are no numbers.  `FORMS` are those that can run here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from numpy.random import Generator

from specdec_core.distributions import Prob, Row
from specdec_core.draws import Draws, SymbolicDraw
from specdec_core.instances import Instance
from specdec_core.rules import Rule, Verification
from specdec_core.rules.rule import play_round
from specdec_verification.subjects.adapters import Program


class NumpyDraws:
    """Draws that are the uniforms of a generator of numpy's."""

    def __init__(self, rng: Generator) -> None:
        self._rng = rng

    def uniform(self) -> float:
        """Return the generator's next uniform."""
        return self._rng.random()


@dataclass(frozen=True, slots=True)
class TorchDraw(SymbolicDraw):
    """A draw that is a tensor of no axes, and meets doubles alone: torch has no fractions."""

    tensor: Any

    def scaled_below(self, scale: Prob, threshold: Prob) -> bool:
        """Return whether ``draw * scale < threshold``."""
        return bool(self.tensor * float(scale) < float(threshold))

    def choose(self, row: Row) -> int:
        """Return the token in whose cell of the row's running sums the draw falls."""
        import torch

        sums = torch.tensor([float(total) for total in row.cumulative], dtype=torch.float64)
        token = int(torch.searchsorted(sums, self.tensor, right=True))
        return min(token, row.support[-1])


class TorchDraws:
    """Draws that are doubles of a generator of torch's."""

    def __init__(self, generator: Any) -> None:  # noqa: ANN401  (torch need not be there)
        self._generator = generator

    def uniform(self) -> TorchDraw:
        """Return the generator's next uniform."""
        import torch

        return TorchDraw(torch.rand((), generator=self._generator, dtype=torch.float64))


def draws_form(rule: Rule[Any]) -> Program:
    """Return a program that plays one round of a rule on the draws that it is given."""

    def emit(instance: Instance, draws: Draws) -> Verification:
        return play_round(rule, instance, draws)

    return emit


def numpy_form(rule: Rule[Any]) -> Program:
    """Return a program that plays one round of a rule, and draws from the generator it is given."""

    def emit(instance: Instance, rng: Generator) -> Verification:
        return play_round(rule, instance, NumpyDraws(rng))

    return emit


def torch_form(rule: Rule[Any]) -> Program:
    """Return a program that plays one round of a rule, and draws from torch.

    Raises
    ------
    ImportError
        If torch is not there.
    """
    import torch

    def emit(instance: Instance, generator: torch.Generator) -> Verification:
        return play_round(rule, instance, TorchDraws(generator))

    return emit


Form = Callable[[Rule[Any]], Program]
"""From a rule to someone's own program."""

FORMS: Mapping[str, Form] = MappingProxyType(
    {"draws": draws_form, "numpy": numpy_form}
    | ({"torch": torch_form} if find_spec("torch") else {})
)
"""By the library that a form draws from; torch's only where torch is installed."""
