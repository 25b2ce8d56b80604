"""The verify step of transformers, and the same with its lossy `assistant_ensemble_weight`."""

from specdec_verification.subjects.transformers_verify import verify_step


def verify(instance):
    """Draft, and verify as `generate` does."""
    return verify_step(instance)()


def verify_ensemble(instance):
    """Verify against an even mixture of target and draft."""
    return verify_step(instance, ensemble_weight=0.5)()
