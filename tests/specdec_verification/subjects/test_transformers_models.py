import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
from specdec_verification.subjects.transformers_models import tiny_llama  # noqa: E402

IDS = torch.tensor([[1, 2, 0]])


def test_a_seed_gives_one_model() -> None:
    one, other = tiny_llama(4, seed=1), tiny_llama(4, seed=1)
    assert torch.equal(one(IDS).logits, other(IDS).logits)
    assert not torch.equal(one(IDS).logits, tiny_llama(4, seed=2)(IDS).logits)


def test_rows_depend_on_the_context() -> None:
    rows = tiny_llama(4, seed=1)(IDS).logits.softmax(-1)[0]
    assert (rows[0] - rows[1]).abs().max() > 0.01
