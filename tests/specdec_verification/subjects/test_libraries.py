import random
import sys

import numpy as np
import pytest

from specdec_verification.subjects.libraries import available, generator_for, listed


def test_what_has_been_imported_is_available() -> None:
    names = [library.name for library in available()]
    assert names[:2] == ["stdlib", "numpy"]
    assert ("torch" in names) == ("torch" in sys.modules)


def test_every_library_is_listed_with_what_it_needs() -> None:
    found = {library.name: library for library in listed()}
    assert found["numpy"].installed
    assert "default_rng" in found["numpy"].understood
    assert found["torch"].needs == "torch"


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("<class 'random.Random'>", random.Random),
        ("np.random.Generator", np.random.Generator),
        ("<class 'inspect._empty'>", np.random.Generator),
        ("np.random.RandomState", np.random.RandomState),
    ],
)
def test_an_annotation_says_which_generator(annotation: str, kind: type) -> None:
    assert isinstance(generator_for(annotation)(), kind)
