"""Planned costs beside what then happens: ``python benchmarks/planned_costs.py``.

Each program is planned in one process, as ``specdec-verify plan`` does, and followed to its end in
another.  Time is that of the processor, so that other work of the machine does not count.  Memory
is the most that a process ever held: planned, it is what the process held before it began and the
law on top.  Every ratio, planned over actual, should lie between one half and two; one that does
not is marked.
"""

import argparse
import multiprocessing
import resource
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from paths import dense_instance

from specdec_core.instances import Instance
from specdec_core.rules import rule_named
from specdec_core.tree_policy import AdaptiveTreePolicy
from specdec_grids.costs import Cost, planned_cost
from specdec_grids.paths import exact_law
from specdec_grids.programs import Program, completed_round, round_program
from specdec_verification.decode_law import rule_loop, tree_loop


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a rule, from rows without zeros."""

    rule: str
    vocab_size: int
    parameters: tuple[tuple[str, int], ...]
    completed: bool = False

    def __str__(self) -> str:
        shape = " ".join(f"{name}={value}" for name, value in self.parameters)
        return f"{self.rule} V={self.vocab_size} {shape}{' completed' * self.completed}"

    def program(self) -> Program[Any]:
        """Return the round as a program."""
        parameters = dict(self.parameters)
        longest = max(parameters.get("gamma", 0), parameters.get("depth", 0)) + 1
        instance = instance_of(self.vocab_size, longest, parameters)
        rule = rule_named(self.rule)
        return (completed_round if self.completed else round_program)(rule, instance)


@dataclass(frozen=True, slots=True)
class RuleLoop:
    """A loop of a rule's rounds, by whole runs."""

    rule: str
    vocab_size: int
    gamma: int
    tokens: int

    def __str__(self) -> str:
        return f"loop of {self.rule} V={self.vocab_size} gamma={self.gamma} L={self.tokens}"

    def program(self) -> Program[Any]:
        """Return the loop as a program."""
        instance = instance_of(self.vocab_size, self.tokens, {"gamma": self.gamma})
        return rule_loop(rule_named(self.rule), instance, self.tokens)


@dataclass(frozen=True, slots=True)
class TreeLoop:
    """Adaptive tree decoding, by whole runs."""

    vocab_size: int
    tokens: int

    def __str__(self) -> str:
        return f"adaptive tree decoding V={self.vocab_size} L={self.tokens}"

    def program(self) -> Program[Any]:
        """Return the loop as a program."""
        policy = AdaptiveTreePolicy(min_width=1, max_width=2, min_depth=1, max_depth=3, depth=2)
        return tree_loop(instance_of(self.vocab_size, self.tokens, {}), policy, self.tokens)


Case = Round | RuleLoop | TreeLoop

CASES: tuple[Case, ...] = (
    Round("token_rejection", 2, (("gamma", 5),)),
    Round("spechub", 4, (("depth", 2), ("k", 2))),
    Round("block_verification", 4, (("gamma", 5),)),
    TreeLoop(4, 6),
    Round("without_replacement", 4, (("depth", 2), ("k", 2))),
    Round("recursive_rejection", 4, (("depth", 2), ("k", 2))),
    RuleLoop("token_rejection_bonus", 4, 3, 4),
    Round("token_rejection_bonus", 4, (("gamma", 6),)),
    RuleLoop("token_rejection_bonus", 2, 3, 8),
    Round("token_rejection", 64, (("gamma", 2),)),
    Round("token_rejection_bonus", 8, (("gamma", 5),)),
    Round("token_rejection_bonus", 4, (("gamma", 5),), completed=True),
)


@dataclass(frozen=True, slots=True)
class Happened:
    """What following a program took; memory in MiB, at the start and at most."""

    paths: int
    seconds: float
    before: float
    most: float


def main(cases: Sequence[Case] = CASES, seconds: float = 4.0) -> float:
    """Print a line for each case, and return the ratio that is farthest from one, above it."""
    print(f"{'':44} {'paths':>28} {'seconds':>23} {'MiB':>21}")
    planned, actual, ratio = "planned", "actual", "ratio"
    print(
        f"{'':44} {planned:>9} {actual:>9} {ratio:>8} {planned:>7} {actual:>9} {ratio:>5} "
        f"{planned:>7} {actual:>7} {ratio:>5}"
    )
    worst = 1.0
    for case in cases:
        cost, happened = in_own_process(plan, case, seconds), in_own_process(follow, case)
        pairs = (
            (cost.paths, happened.paths),
            (cost.seconds, happened.seconds),
            (happened.before + cost.bytes / 2**20, happened.most),
        )
        ratios = [planned / actual for planned, actual in pairs]
        worst = max(worst, *ratios, *(1 / ratio for ratio in ratios))
        shown = (
            f"{pairs[0][0]:>9,.0f} {pairs[0][1]:>9,} {ratios[0]:>8.2f}",
            f"{pairs[1][0]:>7.2f} {pairs[1][1]:>9.2f} {ratios[1]:>5.2f}",
            f"{pairs[2][0]:>7.0f} {pairs[2][1]:>7.0f} {ratios[2]:>5.2f}",
        )
        mark = "" if all(0.5 <= ratio <= 2 for ratio in ratios) else " !"
        print(f"{case!s:44} {' '.join(shown)}{mark}", flush=True)
    print(f"planned and actual differ by a factor of {worst:.2f} at most")
    return worst


def instance_of(vocab_size: int, longest: int, parameters: dict[str, int]) -> Instance:
    """Return an instance without zeros, whose models know every context up to a length."""
    models = dense_instance(vocab_size, longest)
    return Instance(models.target, models.drafts, parameters)


def plan(case: Case, seconds: float) -> Cost:
    """Plan a case."""
    return planned_cost(case.program(), np.random.default_rng(), seconds=seconds)


def follow(case: Case) -> Happened:
    """Find the exact law of a case."""
    program, before = case.program(), most_memory()
    begun = process_time()
    found = exact_law(program)
    return Happened(found.paths, process_time() - begun, before, most_memory())


def most_memory() -> float:
    """Return the most that this process ever held, in MiB, as Linux tells it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_own_process(function: Callable[..., Any], *given: object) -> Any:  # noqa: ANN401
    """Return what a function finds in a process that does nothing else."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, given)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0, help="for each plan")
    main(**vars(parser.parse_args()))
