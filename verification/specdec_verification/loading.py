"""Someone's own code, found by ``FILE.py:NAME``."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

from specdec_core.errors import InvalidParameterError


def load(place: str) -> Any:  # noqa: ANN401  (a module has whatever its author gave it)
    """Return what ``FILE.py:NAME`` stands for.

    The file's folder goes on `sys.path`, as it does when Python runs the file as a script.

    Raises
    ------
    InvalidParameterError
        If the file does not exist or does not import, or has no such name.
    """
    file, colon, name = place.rpartition(":")
    if not colon or not name.isidentifier():
        dotted = all(part.isidentifier() for part in name.split(".")) if colon else False
        advice = "; give a method a name in the file, as step = Sampler().step" if dotted else ""
        raise InvalidParameterError(f"{place!r}: expected FILE.py:NAME{advice}")
    module = _module(Path(file))
    if not hasattr(module, name):
        raise InvalidParameterError(f"{file} has no {name!r}")
    return getattr(module, name)


def _module(path: Path) -> Any:  # noqa: ANN401  (a module has whatever its author gave it)
    # A name of its own: the file may be called as some library is.
    spec = importlib.util.spec_from_file_location(f"_audited_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InvalidParameterError(f"{path}: no Python file of that name")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look their module up
    folder = str(path.parent.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever the file raises, it does not import
        del sys.modules[spec.name]
        raise InvalidParameterError(f"{path} does not import: {error!r}") from error
    return module
