"""What a ledger keeps apart, and how far each has come."""

import hashlib
from dataclasses import dataclass

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, dumps


@dataclass(frozen=True, slots=True, order=True)
class Stream:
    """What may be added up.

    Parameters
    ----------
    subject : str
        What draws, such as ``"FILE.py:NAME"``.
    version : str
        Of the subject: outcomes of another version are another stream.
    instance : str
        Which instance; `instance_key` makes one of an instance.
    seed_policy : str
        How batches are seeded, such as ``"seed 0, a spawn a batch"``, where the key of a batch
        determines its outcomes, or ``"entropy"``, where no two batches may share a key.

    Raises
    ------
    InvalidParameterError
        If one is no text, or empty.
    """

    subject: str
    version: str
    instance: str
    seed_policy: str

    def __post_init__(self) -> None:
        for name in self.__slots__:
            require_text(getattr(self, name), name)


def require_text(value: object, name: str) -> None:
    """Raise `InvalidParameterError` unless a value is a text that can be stored, not empty."""
    if not isinstance(value, str) or not value or value != value.encode(errors="ignore").decode():
        raise InvalidParameterError(f"{name} is {value!r}, expected a text")


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a stream has come.

    Attributes
    ----------
    stream : Stream
    batches, draws : int
        How many were reported.
    """

    stream: Stream
    batches: int
    draws: int


def instance_key(instance: Instance) -> str:
    """Return a name for an instance that no other has: its label and a hash of its JSON."""
    digest = hashlib.sha256(dumps(instance).encode()).hexdigest()
    return f"{instance.label} {digest[:16]}"
