import pytest

from specdec_verification.subjects.exact import exact_law

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
from specdec_verification.subjects.transformers_generate import generation  # noqa: E402
from specdec_verification.subjects.transformers_models import tiny_llama  # noqa: E402


def test_the_law_of_one_token_is_the_models_row() -> None:
    model = tiny_llama(4, seed=0)
    row = model(torch.tensor([[1, 2]])).logits[0, -1].softmax(-1).tolist()
    found = exact_law(generation(model, (1, 2), 1, {})).law
    assert [float(found[token,]) for token in range(4)] == pytest.approx(row, abs=1e-6)
