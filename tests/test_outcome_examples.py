"""A sampler in another language, whose outcomes come as a file."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from specdec_verification.outcomes.checking import check_outcomes
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics.sampled import Demand

FOLDER = Path(__file__).parent.parent / "examples" / "outcome_files"
DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.05)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize(
    ("slip", "verdict"),
    [((), Verdict.PASSED), (("recoveredFromTarget",), Verdict.FAILED)],
    ids=["right", "slipped"],
)
def test_a_sampler_in_javascript(slip: tuple[str, ...], verdict: Verdict, tmp_path: Path) -> None:
    """Its generator cannot be seeded; at these rates it is right all the same."""
    path = tmp_path / "outcomes.jsonl"
    command = ("node", FOLDER / "sampler.mjs", FOLDER / "instance.json", "20000", *slip)
    with path.open("wb") as file:
        subprocess.run(command, stdout=file, check=True)
    labels = Labels(str(path), "lossless", "", "", "")
    found = check_outcomes(path, np.random.default_rng(1), demand=DEMAND, labels=labels)
    assert found.verdict is verdict
    assert found.size == 20_000
