"""Profiles: what the larger one checks more."""

from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification.plan import plan
from specdec_verification.profiles import FULL, QUICK

RULES = (TokenRejection(),)


def test_full_checks_no_less_of_any_section_that_quick_has_too() -> None:
    quick = {found.name: found.size for found in plan(QUICK, RULES)}
    full = {found.name: found.size for found in plan(FULL, RULES)}
    both = quick.keys() & full.keys()
    assert {name for name in quick if "pairs" not in name} <= both
    assert all(quick[name] <= full[name] for name in both)
