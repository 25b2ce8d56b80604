"""What pytest leaves alone: modules of this package that need an extra which is not installed."""

from importlib.util import find_spec

SUBJECTS = "verification/specdec_verification/subjects"
collect_ignore_glob = [
    f"{SUBJECTS}/{library}_*.py" for library in ("torch", "transformers") if not find_spec(library)
]
