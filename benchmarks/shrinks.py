"""How small the instances are that faults shrink to: ``python benchmarks/shrinks.py``.

Every fault of the catalogue, as a program over draws, and those of path rules as numpy programs
too.  Printed of each: the shape that it shrinks to, the largest denominator, and the seconds of
the clock and of the processor.  A fault whose law is the right one shrinks to nothing.

Measured on two cores that others used as well: all 83 faults that move a law shrink to at most
three tokens, two of them drafted, as programs over draws (the slowest in 4.7 s), and so do all 58
of single-path rules as numpy programs (17.1 s), in 140 s of the processor together.
"""

from collections.abc import Iterator
from time import perf_counter, process_time
from typing import NamedTuple

from specdec_core.errors import NoCounterexampleError
from specdec_core.instances import Instance
from specdec_verification.exact_law import model_rows
from specdec_verification.faults import FAULTS
from specdec_verification.faults.fault import Fault
from specdec_verification.shrinking import smallest_failing
from specdec_verification.subjects.adapters import Program
from specdec_verification.subjects.rule_programs import draws_form, numpy_form


class Shrunk(NamedTuple):
    """A fault, its form, and the instance it shrank to, if to any."""

    fault: Fault
    form: str
    instance: Instance | None
    seconds: float
    cpu_seconds: float

    @property
    def small(self) -> bool:
        """Whether the instance has at most three tokens, and two drafted, in at most 30 s."""
        if self.instance is None:
            return False
        parameters = self.instance.parameters
        drafted = parameters.get("gamma", parameters.get("depth", 0))
        return self.instance.vocab_size <= 3 and int(drafted) <= 2 and self.seconds < 30

    @property
    def line(self) -> str:
        """All of it."""
        times = f"{self.seconds:6.1f} s {self.cpu_seconds:6.1f} s cpu"
        if self.instance is None:
            return f"{self.fault.name:34} {self.form:6} {'nothing fails':24} {'':4} {times}"
        over = f"1/{largest_denominator(self.instance)}"
        return f"{self.fault.name:34} {self.form:6} {self.instance.label:24} {over:4} {times}"


def largest_denominator(instance: Instance) -> int:
    """Return the largest denominator of an instance's rows."""
    models = (instance.target, *instance.drafts)
    rows = (row for model in models for row in model_rows(model))
    return max(prob.as_integer_ratio()[1] for row in rows for prob in row)


def shrunk(fault: Fault, form: str, program: Program) -> Shrunk:
    """Shrink one fault in one form."""
    start, cpu = perf_counter(), process_time()
    try:
        instance = smallest_failing(program, fault.rule).instance
    except NoCounterexampleError:
        instance = None
    return Shrunk(fault, form, instance, perf_counter() - start, process_time() - cpu)


def subjects() -> Iterator[tuple[Fault, str, Program]]:
    """Yield every fault in every form."""
    for fault in FAULTS:
        yield fault, "draws", draws_form(fault.rule)
    for fault in FAULTS:
        if set(fault.rule.parameters) == {"gamma"}:
            yield fault, "numpy", numpy_form(fault.rule)


def main(chosen: Iterator[tuple[Fault, str, Program]] | None = None) -> list[Shrunk]:
    """Print a line for each, and the sums; return them."""
    results = []
    for fault, form, program in chosen or subjects():
        results.append(shrunk(fault, form, program))
        print(results[-1].line, flush=True)
    for form in dict.fromkeys(result.form for result in results):
        ours = [result for result in results if result.form == form]
        found = [result for result in ours if result.instance is not None]
        slowest = max(found, key=lambda result: result.seconds, default=None)
        print(
            f"{form}: {sum(result.small for result in ours)} of {len(ours)} small in time, "
            f"{len(ours) - len(found)} without a failure"
            + (f"; slowest {slowest.fault.name}, {slowest.seconds:.1f} s" if slowest else "")
        )
    return results


if __name__ == "__main__":
    main()
