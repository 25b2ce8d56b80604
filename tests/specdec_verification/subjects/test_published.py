"""The published implementations under ``examples``, each with the verdict measured for it."""

import importlib.util
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import Context, TableModel
from specdec_grids.generated import contexts
from specdec_verification.results import Verdict
from specdec_verification.subjects.exact import Execution
from specdec_verification.subjects.verdicts import Audit, audit

pytest.importorskip("torch")

EXAMPLES = Path(__file__).parents[3] / "examples"
PASSED, FAILED = Verdict.PASSED, Verdict.FAILED
VERDICTS = {
    ("transformers_verify", "verify", "transformers"): PASSED,
    ("transformers_verify", "verify_ensemble", "transformers"): FAILED,
    ("specdec_package", "verify", "specdec"): PASSED,
    ("mini_infer", "verify", "mini_infer"): PASSED,
    ("flashspec", "verify", "flashspec"): PASSED,
    ("flashspec", "verify_certain", "flashspec"): PASSED,
    ("seqspecdecod", "verify", "seqspecdecod"): PASSED,
    ("seqspecdecod", "verify_hierarchical", "seqspecdecod"): PASSED,
    ("seqspecdecod", "verify_capped", "seqspecdecod"): FAILED,
    ("economize", "verify", "economize"): PASSED,
    ("rotalabs_accel", "verify", "rotalabs_accel"): FAILED,
    ("lmdeploy", "verify", "lmdeploy"): PASSED,
    ("naive_speculate", "verify", "naive_speculate"): PASSED,
}


def instance(vocab_size: int, gamma: int) -> Instance:
    def model(shift: int) -> TableModel:
        return TableModel(
            {context: _row(vocab_size, context, shift) for context in contexts(vocab_size, gamma)}
        )

    return Instance(model(2), (model(3),), {"gamma": gamma})


def _row(vocab_size: int, context: Context, shift: int) -> Row:
    parts = [1 + (shift * (token + 1) + 3 * sum(context) + token) % 5 for token in range(vocab_size)]
    return Row(Fraction(part, sum(parts)) for part in parts)


def audited(folder: str, function: str, case: Instance) -> Audit:
    file = EXAMPLES / folder / "sampler.py"
    spec = importlib.util.spec_from_file_location(f"published_{folder}", file)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    verify: Callable[[Instance], Any] = getattr(module, function)
    length = case.integer("gamma", minimum=1) + 1
    execution = Execution(epsilon=Fraction(1, 1 << 23))
    return audit(lambda: verify(case), target=case.target, length=length, execution=execution)


@pytest.mark.filterwarnings("ignore")  # of theirs
@pytest.mark.parametrize(("folder", "function", "package"), VERDICTS)
def test_the_verdict_is_the_one_in_the_readme(folder: str, function: str, package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    found = audited(folder, function, instance(3, 2))
    assert found.verdict is VERDICTS[folder, function, package], found.result.detail
    assert found.outside == 0
