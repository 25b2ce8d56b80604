"""`specdec-verify plan`: what an exact law costs, or how many draws a sampled claim needs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, read_instance
from specdec_core.rules import rule_named
from specdec_verification.cli.console import AsJson, out, show_json
from specdec_verification.limits import MEBIBYTE
from specdec_verification.results import Labels

if TYPE_CHECKING:  # the engine is imported by a plan, not by the command's help
    from specdec_grids.costs import Cost
    from specdec_verification.statistics.planning import SamplingPlan
    from specdec_verification.statistics.sampled import Demand

EXACT = "Of an exact law"
SAMPLED = "Of a sampled claim"

FALSE_FAIL_RATE, POWER = 1e-9, 0.99

SECONDS = 4.0
"""Spent on the trial of an exact law, about."""


def plan(
    instance: Annotated[
        Path | None,
        typer.Argument(help="An instance as JSON, for an exact law.", metavar="INSTANCE.json"),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(help="A rule's name; `rules` lists them.", rich_help_panel=EXACT),
    ] = None,
    tv: Annotated[
        float | None,
        typer.Option(help="Total variation that must be seen.", rich_help_panel=SAMPLED),
    ] = None,
    cells: Annotated[
        int | None,
        typer.Option(help="Outcomes: tokens, or whole sequences.", rich_help_panel=SAMPLED),
    ] = None,
    false_fail_rate: Annotated[
        float | None,
        typer.Option(
            help="How often a right sampler may fail.",
            show_default=f"{FALSE_FAIL_RATE:g}",
            rich_help_panel=SAMPLED,
        ),
    ] = None,
    power: Annotated[
        float | None,
        typer.Option(
            help="How often a wrong one must fail.",
            show_default=f"{POWER:g}",
            rich_help_panel=SAMPLED,
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            help="Draws a second of your sampler; numpy's own is measured otherwise.",
            rich_help_panel=SAMPLED,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a check costs before it is run: the exact law of a round, or a sampled claim.

    Of the exact law of one round (*INSTANCE.json* and *--rule*): paths, time and memory, found in
    seconds by following some of the paths on this machine.

    Of a sampled claim (*--tv* and *--cells*): how many draws are needed to see a total variation,
    test by test, and how long they take. The draws of sample are those of fit; with a ledger, and
    of a file of outcomes, those of e_process. They are best spent on one instance, such as the
    stored one: spread over twenty, they see nothing.
    """
    demanded = {
        "--tv": tv,
        "--cells": cells,
        "--false-fail-rate": false_fail_rate,
        "--power": power,
        "--rate": rate,
    }
    if instance is None and rule is None:
        if tv is None or cells is None:
            raise InvalidParameterError(
                "nothing to plan: expected INSTANCE.json and --rule for an exact law, or --tv and "
                "--cells for a sampled claim"
            )
        demand = _demand(tv, false_fail_rate, POWER if power is None else power)
        sampled = _sampling_plan(demand, cells, rate)
        _show(str(sampled), sampled.as_document(), as_json)
        return
    _refuse([option for option, value in demanded.items() if value is not None])
    if instance is None or rule is None:
        raise InvalidParameterError("an exact law takes both INSTANCE.json and --rule")
    on = read_instance(instance)
    cost = _cost(rule, on)
    _show(f"{rule} on {on.label}:\n{_described(cost)}", _document(cost), as_json)


def _refuse(options: list[str]) -> None:
    if options:
        raise InvalidParameterError(
            f"INSTANCE.json and --rule plan an exact law, which draws nothing: expected no "
            f"{', '.join(options)}"
        )


def _show(text: str, document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(document)
    else:
        out.print(text)


def _demand(tv: float, false_fail_rate: float | None, power: float) -> "Demand":
    from specdec_verification.statistics.power import require_rate
    from specdec_verification.statistics.sampled import Demand

    require_rate(power, "power")
    return Demand(FALSE_FAIL_RATE if false_fail_rate is None else false_fail_rate, 1 - power, tv)


def _sampling_plan(demand: "Demand", cells: int, rate: float | None) -> "SamplingPlan":
    import numpy as np

    from specdec_verification.statistics.planning import own_rate, plan_draws
    from specdec_verification.witnesses import witness

    measured = own_rate(cells, np.random.default_rng()) if rate is None else rate
    label = witness("path").instance.label
    spent_on = Labels("", "lossless", "the stored witness of path rules", label, "")
    return plan_draws(demand, cells, measured, spent_on)


def _cost(rule: str, instance: Instance) -> "Cost":
    import numpy as np

    from specdec_grids.costs import planned_cost
    from specdec_grids.programs import round_program

    program = round_program(rule_named(rule), instance)
    return planned_cost(program, np.random.default_rng(), seconds=SECONDS)


def _described(cost: "Cost") -> str:
    if cost.exact:
        paths, about = "counted", ""
    else:
        paths, about = f"give or take {cost.error:,.0f}, by {cost.dives:,} dives", ", about"
    return "\n".join(
        (
            f"  paths     {cost.paths:>16,.0f}  {paths}",
            f"  outcomes  {cost.outcomes:>16,.0f}{about}",
            f"  time      {cost.seconds:>16,.3g}  s of one core: {cost.core_hours:.2g} core-hours, "
            f"at {cost.paths_per_second:,.0f} paths/s",
            f"  memory    {cost.bytes / MEBIBYTE:>16,.3g}  MiB, beside what an idle process takes",
        )
    )


def _document(cost: "Cost") -> dict[str, Any]:
    return {
        "paths": cost.paths,
        "standard_error": cost.error,
        "dives": cost.dives,
        "outcomes": cost.outcomes,
        "seconds": cost.seconds,
        "core_hours": cost.core_hours,
        "paths_per_second": cost.paths_per_second,
        "mebibytes": cost.bytes / MEBIBYTE,
    }
