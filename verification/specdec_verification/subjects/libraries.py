"""The libraries whose randomness is followed, and what each needs."""

import importlib
import random
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from specdec_verification.subjects.running import Library

_WHERE = {
    "random": "specdec_verification.subjects.stdlib",
    "numpy": "specdec_verification.subjects.numpy_random",
    "torch": "specdec_verification.subjects.torch_random",
}
"""From the module that draws to the one that replaces it, which is imported only beside it."""


class Listed(NamedTuple):
    """A library as `specdec-verify subjects` lists it."""

    name: str
    needs: str
    installed: bool
    understood: str


def available() -> tuple[Library, ...]:
    """Return the libraries that have been imported, by whomever."""
    return tuple(_library(module) for module in _WHERE if module in sys.modules)


def listed() -> tuple[Listed, ...]:
    """Return every library, installed or not, with what is understood of it."""
    return tuple(_listed(module) for module in _WHERE)


def generator_for(annotation: str) -> Callable[[], Any]:
    """Return what makes the generator that a parameter's annotation asks for."""
    if "torch" in annotation:
        return lambda: importlib.import_module("torch").Generator()
    if "Random" in annotation and "RandomState" not in annotation:
        return lambda: random.Random()
    if "RandomState" in annotation:
        return lambda: np.random.RandomState()
    return lambda: np.random.default_rng()


def _library(module: str) -> Library:
    return importlib.import_module(_WHERE[module]).LIBRARY  # type: ignore[no-any-return]


def _listed(module: str) -> Listed:
    if find_spec(module) is None:
        return Listed(module, module, False, "")
    library = _library(module)
    return Listed(library.name, library.needs, True, library.understood)
