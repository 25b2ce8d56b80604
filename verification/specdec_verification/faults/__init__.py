"""Planted faults, and right rules that look wrong: what the checks are tried on."""

from specdec_verification.faults.catalogue import FAULTS
from specdec_verification.faults.lookalikes import LOOKALIKES

__all__ = ["FAULTS", "LOOKALIKES"]
