"""The published verification rules, one a file.

A new rule is its file, a line here, its test, and a line in the changelog; every grid, check,
table and command then picks it up.
"""

from difflib import get_close_matches
from typing import Any

from specdec_core.errors import UnknownRuleError
from specdec_core.rules.block_verification import BlockVerification
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.exact_match import ExactMatch
from specdec_core.rules.greedy import Greedy
from specdec_core.rules.greedy_multi_draft import GREEDY_MULTI_DRAFT
from specdec_core.rules.greedy_multi_path import GreedyMultiPath
from specdec_core.rules.gumbel_coupling import GumbelCoupling
from specdec_core.rules.hierarchical import Hierarchical
from specdec_core.rules.hierarchical_naive import HierarchicalNaive
from specdec_core.rules.importance_weighted import IMPORTANCE_WEIGHTED
from specdec_core.rules.interpolation import Interpolation
from specdec_core.rules.judge_decoding import JudgeDecoding
from specdec_core.rules.k_seq import KSeq
from specdec_core.rules.lenience import Lenience
from specdec_core.rules.mentored_decoding import MentoredDecoding
from specdec_core.rules.minhash_coupling import MinhashCoupling
from specdec_core.rules.naive_sampling import NAIVE_SAMPLING
from specdec_core.rules.noniterative_rejection import NoniterativeRejection
from specdec_core.rules.optimal_transport import (
    OPTIMAL_TRANSPORT_WITH_REPLACEMENT,
    OPTIMAL_TRANSPORT_WITHOUT_REPLACEMENT,
)
from specdec_core.rules.point_mass import PointMass
from specdec_core.rules.recursive_rejection import RECURSIVE_REJECTION
from specdec_core.rules.relaxed_acceptance import RelaxedAcceptance
from specdec_core.rules.rule import Rule, Verification, play_round
from specdec_core.rules.sequoia import SEQUOIA
from specdec_core.rules.shared_uniform import SharedUniform
from specdec_core.rules.spechub import SpecHub
from specdec_core.rules.specinfer import SPECINFER
from specdec_core.rules.speculative_cascade import SpeculativeCascade
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.rules.traversal import TRAVERSAL
from specdec_core.rules.traversal_with_replacement import TRAVERSAL_WITH_REPLACEMENT
from specdec_core.rules.typical_acceptance import TypicalAcceptance
from specdec_core.rules.without_replacement import WITHOUT_REPLACEMENT_REJECTION

RULES: tuple[Rule[Any], ...] = (
    TokenRejection(),
    TokenRejectionBonus(),
    NoniterativeRejection(),
    ExactMatch(),
    PointMass(),
    GumbelCoupling(),
    MinhashCoupling(),
    SharedUniform(),
    BlockVerification(),
    Hierarchical(),
    HierarchicalNaive(),
    DeterministicCandidates(),
    RECURSIVE_REJECTION,
    SPECINFER,
    WITHOUT_REPLACEMENT_REJECTION,
    SEQUOIA,
    NAIVE_SAMPLING,
    KSeq(),
    SpecHub(),
    GREEDY_MULTI_DRAFT,
    OPTIMAL_TRANSPORT_WITH_REPLACEMENT,
    OPTIMAL_TRANSPORT_WITHOUT_REPLACEMENT,
    IMPORTANCE_WEIGHTED,
    TRAVERSAL,
    TRAVERSAL_WITH_REPLACEMENT,
    GreedyMultiPath(),
    Greedy(),
    Lenience(),
    MentoredDecoding(),
    TypicalAcceptance(),
    RelaxedAcceptance(),
    JudgeDecoding(),
    Interpolation(),
    SpeculativeCascade(),
)
"""Every rule of this package; each has a proposal type of its own."""


def rule_named(name: str) -> Rule[Any]:
    """Return the rule with that name.

    Raises
    ------
    UnknownRuleError
        Listing the names that exist.
    """
    for rule in RULES:
        if rule.name == name:
            return rule
    known = [rule.name for rule in RULES]
    close = get_close_matches(name, known, n=1)
    guess = f", did you mean {close[0]!r}?" if close else ";"
    raise UnknownRuleError(f"no rule is called {name!r}{guess} there are {', '.join(known)}")


__all__ = ["RULES", "Rule", "Verification", "play_round", "rule_named"]
