"""`specdec-verify plan`: how many draws a sampled claim needs, and how long they take."""

from typing import Annotated

import typer

from specdec_verification.cli.console import AsJson, out, show_json
from specdec_verification.results import Labels


def plan(
    tv: Annotated[float, typer.Option(help="Total variation that must be seen.")],
    cells: Annotated[int, typer.Option(help="Outcomes: tokens, or whole sequences.")],
    false_fail_rate: Annotated[
        float, typer.Option(help="How often a right sampler may fail.")
    ] = 1e-9,
    power: Annotated[float, typer.Option(help="How often a wrong one must fail.")] = 0.99,
    rate: Annotated[
        float | None,
        typer.Option(help="Draws a second of your sampler; numpy's own is measured otherwise."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say how many draws are needed to see a total variation, test by test, and how long they take.

    The draws of sample are those of fit; with a ledger, and of a file of outcomes, those of
    e_process. They are best spent on one instance, such as the stored one: spread over twenty,
    they see nothing.
    """
    import numpy as np

    from specdec_verification.statistics.planning import own_rate, plan_draws
    from specdec_verification.statistics.power import require_rate
    from specdec_verification.statistics.sampled import Demand
    from specdec_verification.witnesses import witness

    require_rate(power, "power")
    demand = Demand(false_fail_rate, 1 - power, tv)
    measured = own_rate(cells, np.random.default_rng()) if rate is None else rate
    label = witness("path").instance.label
    spent_on = Labels("", "lossless", "the stored witness of path rules", label, "")
    found = plan_draws(demand, cells, measured, spent_on)
    if as_json:
        show_json(found.as_document())
    else:
        out.print(str(found))
