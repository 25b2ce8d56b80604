"""`specdec-verify doctor`: what is installed, what can run with it, and how to get the rest."""

import platform
import shutil
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from specdec_verification.cli.console import AsJson, out, show_json


class Part(NamedTuple):
    """Something that may be there, and what it is there for."""

    name: str
    serves: str
    get: str


PACKAGES = (
    Part("numpy", "subjects that draw from numpy, kernels, samplers", "it comes along"),
    Part("torch", "subjects that draw from torch", "pip install 'specdec-verify[torch]'"),
    Part(
        "transformers",
        "`audit transformers`, whole generate loops",
        "pip install 'specdec-verify[transformers]'",
    ),
    Part("triton", "Triton kernels, TRITON_INTERPRET=1", "pip install 'specdec-verify[triton]'"),
    Part("pyarrow", "outcomes in Parquet files", "pip install 'specdec-verify[parquet]'"),
    Part("distributed", "`verify --scheduler`", "pip install 'specdec-verify[dask]'"),
)
PROGRAMS = (
    Part("cc", "kernels and vectors in C", "a C compiler"),
    Part("node", "vectors in JavaScript", "Node.js"),
)


class Found(NamedTuple):
    """A part, and its version or place; empty if it is not there."""

    name: str
    found: str
    serves: str
    get: str


def found() -> tuple[Found, ...]:
    """Return every part, whether it is there or not."""
    packages = [Found(part.name, _version(part.name), part.serves, part.get) for part in PACKAGES]
    programs = [
        Found(part.name, shutil.which(part.name) or "", part.serves, part.get) for part in PROGRAMS
    ]
    return (*packages, *programs)


def doctor(as_json: AsJson = False) -> None:
    """Say what is installed, what each part is for, and how to get what is missing."""
    parts = found()
    own, python = version("specdec-verify"), platform.python_version()
    if as_json:
        show_json({"specdec-verify": own, "python": python, "parts": [p._asdict() for p in parts]})
        return
    out.print(f"specdec-verify {own}, Python {python} on {platform.system()}")
    for part in parts:
        out.print(f"{part.name:13} {part.serves:50} {part.found or 'missing'}")
        if not part.found:
            out.print(f"{'':13} {part.get}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
