"""A verification kernel in C, compiled when it is first called, through ctypes."""

import ctypes
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("kernel.c")


class Sizes(ctypes.Structure):
    """As in the C file."""

    _fields_ = [(name, ctypes.c_int64) for name in ("rounds", "gamma", "vocab_size")]


@cache
def library(*options):
    """Compile the kernel into a shared library, and load it."""
    path = Path(tempfile.mkdtemp()) / "kernel.so"
    strict = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(
        ["cc", *strict, *options, "-shared", "-fPIC", "-o", path, SOURCE, "-lm"], check=True
    )
    return ctypes.CDLL(path)


def pointer(array, dtype):
    """Return a pointer to an array's numbers, which must be of that dtype and lie in order."""
    assert array.dtype == dtype
    assert array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.c_void_p)


def verify(draft_tokens, target_probs, draft_probs, uniforms, *options):
    """Call the kernel."""
    (rounds, gamma), vocab_size = draft_tokens.shape, target_probs.shape[2]
    tokens = np.empty((rounds, gamma + 1), dtype=np.int64)
    library(*options).verify(
        ctypes.byref(Sizes(rounds, gamma, vocab_size)),
        pointer(draft_tokens, np.int64),
        pointer(target_probs, np.float32),
        pointer(draft_probs, np.float32),
        pointer(uniforms, np.float32),
        pointer(tokens, np.int64),
    )
    return tokens


def verify_at_equality(*arrays):
    """Accept at equality too."""
    return verify(*arrays, "-DSLIP_EQUALITY")


def verify_without_bounds(*arrays):
    """Look tokens up without asking whether they are in the vocabulary."""
    return verify(*arrays, "-DSLIP_BOUNDS")
