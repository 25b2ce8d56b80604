"""Profiles: how much a run checks.

Not here: which sections of cells that makes (`specdec_verification.plan`).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """How much a run checks.

    Attributes
    ----------
    name : str
    random : int
        Random instances of each rule whose law is found.
    pairs : tuple of (int, int)
        Vocabulary size and denominator of each simplex whose pairs of rows are all checked.
    floating : int
        Of those, how many of the first are followed in floats as well.
    decoded : int
        Random instances of each kind of decode loop, on which its whole law is found.
    counted : int
        Random instances of each rule that are counted over lattices, too; at least one a shape.
    sampled : int
        Random instances of each rule that are sampled, too.
    draws : int
        Outcomes drawn for each of those.
    measured : int
        Random instances over which the efficiency of each rule is a mean.
    trials : int
        Random instances on which a right rule that looks wrong must not fail.
    forms : tuple of str
        Of `rule_programs.FORMS`: in each, every fault of a rule is planted and diagnosed.
    """

    name: str
    random: int
    pairs: tuple[tuple[int, int], ...]
    floating: int
    decoded: int
    counted: int
    sampled: int
    draws: int
    measured: int
    trials: int
    forms: tuple[str, ...] = ()


QUICK = Profile(
    name="quick",
    random=100,
    pairs=((2, 4), (3, 2)),
    floating=9,
    decoded=36,
    counted=9,
    sampled=3,
    draws=100_000,
    measured=30,
    trials=27,
)
FULL = Profile(
    name="full",
    random=700,
    pairs=((2, 12), (3, 4)),
    floating=90,
    decoded=360,
    counted=36,
    sampled=9,
    draws=1_000_000,
    measured=300,
    trials=90,
    forms=("numpy", "torch"),
)
PROFILES = {profile.name: profile for profile in (QUICK, FULL)}
