"""Plans: lazy, numbered, and each cell the same alone as in a run."""

import pickle
import shlex
from dataclasses import replace

import pytest

from specdec_core.rules.lenience import Lenience
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_verification import plan as plans
from specdec_verification.cells import cell
from specdec_verification.faults import FAULTS, LOOKALIKES
from specdec_verification.faults.loop_catalogue import PLANTED
from specdec_verification.faults.loop_lookalikes import LOOP_LOOKALIKES
from specdec_verification.plan import Plan, Section, budget_of, plan
from specdec_verification.profiles import FULL, PROFILES, QUICK, Profile
from specdec_verification.results import CheckResult, Evidence, Verdict

RULES = (TokenRejection(), TokenRejectionBonus())
SAMPLED = ("e_process", "g_test", "chi_square")

TINY = Profile(
    "tiny",
    random=3,
    pairs=((2, 1),),
    floating=2,
    decoded=2,
    counted=2,
    sampled=2,
    draws=20_000,
    measured=2,
    trials=9,
)


def section(name: str, profile: Profile = TINY) -> Section:
    return cell(f"{name}/0", plan(profile, RULES))[0]


def unlined(result: CheckResult) -> CheckResult:
    """Return a result without the line that reproduces it."""
    return replace(result, labels=replace(result.labels, reproduce=""))


def test_the_sections_and_their_sizes() -> None:
    assert {found.name: found.size for found in plan(TINY, RULES)} == {
        "contract": 2,
        "exact_law/token_rejection/random": 3,
        "exact_law/token_rejection/floating": 2,
        "exact_law/token_rejection/pairs_2_1": 4,
        "exact_law/token_rejection_bonus/random": 3,
        "exact_law/token_rejection_bonus/floating": 2,
        "exact_law/decode/random": 2,
        "exact_law/decode/merged": 2,
        "exact_law/decode/rules": 2,
        "exact_law/token_rejection_bonus/pairs_2_1": 4,
        "exact_count/token_rejection/random": 9,
        "exact_count/token_rejection_bonus/random": 9,
        "e_process/token_rejection/random": 2,
        "g_test/token_rejection/random": 2,
        "chi_square/token_rejection/random": 2,
        "e_process/token_rejection_bonus/random": 2,
        "g_test/token_rejection_bonus/random": 2,
        "chi_square/token_rejection_bonus/random": 2,
        "faults": len(FAULTS),
        "lookalikes": len(LOOKALIKES),
        "loop_faults": len(PLANTED),
        "loop_lookalikes": len(LOOP_LOOKALIKES),
    }


def test_a_plan_of_a_billion_cells_costs_nothing_until_one_is_run() -> None:
    huge = replace(TINY, random=10**9, pairs=((8, 40),), trials=10**9)
    far, number = cell("exact_law/token_rejection/random/999999999", plan(huge, RULES))
    result = far.run(number)
    assert (result.verdict, result.labels.instance) == (Verdict.PASSED, "random/999999999")


@pytest.mark.parametrize(
    ("name", "check", "evidence"),
    [
        ("contract", "contract", Evidence.LATTICE_COUNT),
        ("exact_law/token_rejection/random", "exact_law", Evidence.EXACT_LAW),
        ("exact_law/token_rejection/pairs_2_1", "exact_law", Evidence.EXACT_LAW),
        ("exact_count/token_rejection/random", "exact_count", Evidence.LATTICE_COUNT),
        ("e_process/token_rejection/random", "e_process", Evidence.SAMPLED),
        ("g_test/token_rejection/random", "g_test", Evidence.SAMPLED),
        ("chi_square/token_rejection/random", "chi_square", Evidence.SAMPLED),
        ("faults", "faults", Evidence.EXACT_LAW),
        ("lookalikes", "lookalikes", Evidence.EXACT_LAW),
        ("loop_faults", "faults", Evidence.EXACT_LAW),
        ("loop_lookalikes", "lookalikes", Evidence.EXACT_LAW),
    ],
)
def test_a_section_runs_the_check_of_its_name(name: str, check: str, evidence: Evidence) -> None:
    result = section(name).run(1)
    assert (result.check, result.evidence, result.verdict) == (check, evidence, Verdict.PASSED)
    assert result.labels.reproduce == f"specdec-verify verify --profile tiny --only {name}/1"


def test_the_line_of_a_cell_names_it_and_the_profile_that_has_it() -> None:
    """A cell of the full profile is none of the quick one, which runs unless told otherwise."""
    last = FULL.random - 1
    line = section("exact_law/token_rejection/random", FULL).run(last).labels.reproduce
    words = shlex.split(line)
    profile, name = words[words.index("--profile") + 1], words[words.index("--only") + 1]
    found, number = cell(name, plan(PROFILES[profile], RULES))
    assert (found.name, number) == ("exact_law/token_rejection/random", last)


def test_a_result_is_labelled_by_rule_family_number_and_shape() -> None:
    labels = section("exact_law/token_rejection/pairs_2_1").run(2).labels
    assert (labels.subject, labels.claim) == ("token_rejection", "lossless")
    assert (labels.instance, labels.parameters) == ("pairs_2_1/2", "V=2 gamma=1")


def test_a_lossy_rule_is_not_claimed_to_be_lossless() -> None:
    sections = plan(TINY, (Lenience(),))
    result = cell("exact_law/lenience/random/0", sections)[0].run(0)
    assert result.labels.claim == "its own law"


@pytest.mark.parametrize(
    "name", ["exact_law/token_rejection/random", "exact_count/token_rejection_bonus/random"]
)
@pytest.mark.parametrize("number", [0, 3, QUICK.counted - 1])
def test_quick_cells_are_the_first_cells_of_full(name: str, number: int) -> None:
    quick, full = section(name, QUICK), section(name, FULL)
    assert quick.size < full.size
    assert unlined(quick.run(number)) == unlined(full.run(number))


@pytest.mark.parametrize("check", SAMPLED)
def test_a_sampled_cell_is_the_same_alone_as_in_a_run(check: str) -> None:
    sections = [found for found in plan(TINY, RULES) if found.name.startswith(check)]
    in_run = [found.run(number) for found in sections for number in range(found.size)]
    alone = [
        section(f"{check}/{rule.name}/random").run(number) for rule in RULES for number in (0, 1)
    ]
    assert alone == in_run


def test_sampled_cells_have_draws_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    states = []

    def kept(key: str) -> object:
        states.append(generator_of(key).bit_generator.state["state"]["state"])
        return generator_of(key)

    generator_of = plans._rng
    monkeypatch.setattr(plans, "_rng", kept)
    sections = [found for found in plan(TINY, RULES) if found.name.split("/")[0] != "faults"]
    sampled = [found for found in sections if found.name.startswith(SAMPLED)]
    for found in sampled:
        for number in range(found.size):
            found.run(number)
    assert len(states) == len(set(states)) == budget_of(TINY, RULES).checks


def test_the_budget_is_shared_by_every_sampled_cell() -> None:
    budget = budget_of(TINY, RULES)
    result = section("g_test/token_rejection/random").run(0)
    assert result.risk is not None
    assert result.risk.false_fail_rate == budget.per_check == 1e-9 / 12
    assert result.risk.draws == result.size == TINY.draws


@pytest.mark.parametrize("check", SAMPLED)
def test_too_few_draws_are_inconclusive(check: str) -> None:
    result = section(f"{check}/token_rejection_bonus/random", replace(TINY, draws=100)).run(1)
    assert result.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_a_profile_draws_enough_to_see_what_it_must(profile: Profile) -> None:
    result = section("g_test/token_rejection_bonus/random", profile).run(0)
    assert result.risk is not None
    assert result.risk.min_detectable_tv < plans.MAX_TV


def test_sections_can_be_sent_to_another_process() -> None:
    """Every section of every rule: it must not hold a function that was made on the way."""
    sent = pickle.loads(pickle.dumps(plan(QUICK)))
    assert [(one.name, one.size) for one in sent] == [(one.name, one.size) for one in plan(QUICK)]


@pytest.mark.parametrize(
    "name", ["exact_law/token_rejection/random", "g_test/token_rejection/random"]
)
def test_a_sent_section_finds_the_same(name: str) -> None:
    here = section(name)
    assert pickle.loads(pickle.dumps(here)).run(1) == here.run(1)


def test_a_plan_shares_its_budget_by_its_own_rules() -> None:
    assert Plan(TINY, RULES, plan(TINY, RULES)).budget == budget_of(TINY, RULES)
