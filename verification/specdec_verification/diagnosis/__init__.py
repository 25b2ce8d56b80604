"""What is wrong with a program that fails: the fault it behaves like, or the claim it breaks."""

from specdec_verification.diagnosis.diagnosing import MORE, Diagnosis, diagnose

__all__ = ["MORE", "Diagnosis", "diagnose"]
