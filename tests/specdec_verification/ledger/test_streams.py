from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_verification.ledger.streams import Stream, instance_key


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("value", ["", None, 3])
def test_every_part_is_a_text(place: int, value: Any) -> None:  # noqa: ANN401
    parts: list[Any] = ["subject", "version", "instance", "seed policy"]
    parts[place] = value
    with pytest.raises(InvalidParameterError, match="expected a text"):
        Stream(*parts)


def test_an_instance_has_a_key_of_its_own() -> None:
    def instance(first: int) -> Instance:
        row = ConstantModel(Row([Fraction(first, 7), Fraction(7 - first, 7)]))
        return Instance(row, (row,), {"gamma": 1})

    keys = {instance_key(instance(first)) for first in range(8)}
    assert len(keys) == 8
    assert instance_key(instance(3)) in keys
    assert all(key.startswith("V=2 gamma=1 ") for key in keys)


def test_a_text_that_cannot_be_stored_is_an_error() -> None:
    with pytest.raises(InvalidParameterError, match="version is"):
        Stream("sampler", "\ud800", "toy", "entropy")
