from collections.abc import Callable, Hashable
from fractions import Fraction

import pytest

torch = pytest.importorskip("torch")


def test_the_generator_and_the_threads_are_left_as_they_were(
    law: Callable[..., dict[Hashable, Fraction]],
) -> None:
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    law(lambda: (torch.manual_seed(3), bool(torch.rand(1) < 0.5))[1])
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads
