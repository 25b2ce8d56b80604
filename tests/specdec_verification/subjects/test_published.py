"""The published implementations under ``examples``, each with the verdict measured for it."""

import importlib.util
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from specdec_core.instances import Instance
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


def example(folder: str) -> Any:  # noqa: ANN401  (a module has whatever its author gave it)
    file = EXAMPLES / folder / "sampler.py"
    spec = importlib.util.spec_from_file_location(f"published_{folder}", file)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def audited(folder: str, function: str, case: Instance) -> Audit:
    verify: Callable[[Instance], Any] = getattr(example(folder), function)
    length = case.integer("gamma", minimum=1) + 1
    execution = Execution(epsilon=Fraction(1, 1 << 23))
    return audit(lambda: verify(case), target=case.target, length=length, execution=execution)


@pytest.mark.filterwarnings("ignore")  # of theirs
@pytest.mark.parametrize(("folder", "function", "package"), VERDICTS)
def test_the_verdict_is_the_one_in_the_readme(
    folder: str, function: str, package: str, dense_instance: Callable[[int, int], Instance]
) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    found = audited(folder, function, dense_instance(3, 2))
    assert found.verdict is VERDICTS[folder, function, package], found.result.detail
    assert found.outside == 0


@pytest.mark.filterwarnings("ignore")  # of theirs
def test_a_whole_loop_passes(dense_instance: Callable[[int, int], Instance]) -> None:
    pytest.importorskip("speculative_decoding")
    found = audited("speculative_decoding", "verify", dense_instance(2, 1))
    assert found.verdict is PASSED, found.result.detail
    assert found.outside == 0


@pytest.mark.filterwarnings("ignore")  # of theirs
@pytest.mark.parametrize(("descending", "verdict"), [(False, PASSED), (True, FAILED)])
def test_two_tokenizers_depend_on_the_order_of_a_vocabulary(
    descending: bool, verdict: Verdict
) -> None:
    pytest.importorskip("transformers")
    result = example("transformers_two_tokenizers").compare(descending)
    assert result.verdict is verdict, result.detail


@pytest.mark.filterwarnings("ignore")  # of theirs
def test_generate_with_an_assistant_passes() -> None:
    pytest.importorskip("transformers")
    assert example("transformers_generate").compare().verdict is PASSED
