"""What a failed audit says: where the law differs, by how much, and how to see it again."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.models import context_key
from specdec_core.rules.rule import claimed_model
from specdec_grids.paths import Exploration
from specdec_verification.audit import followed
from specdec_verification.emissions import shown
from specdec_verification.pytest_plugin.auditing import Found, is_rule
from specdec_verification.pytest_plugin.differences import (
    Cell,
    NextToken,
    first_context,
    next_tokens,
    top_cells,
)
from specdec_verification.pytest_plugin.explaining import diagnosis_of, explainable, smallest_of
from specdec_verification.pytest_plugin.recording import shown_distance
from specdec_verification.pytest_plugin.settings import MARKER
from specdec_verification.results import Verdict
from specdec_verification.subjects.adapters import laws_on
from specdec_verification.subjects.verdicts import Claim, Laws, laws_of

DIGITS = 6
"""Of a probability that is no short fraction."""


class Part(NamedTuple):
    """One entry of a message: what it is called, and its lines."""

    name: str
    lines: list[str]


def message_of(found: Found) -> str:
    """Return what to say of an audit that is no pass."""
    parts = [*_parts(found), Part("reproduce", [found.result.labels.reproduce])]
    width = max(len(part.name) for part in parts)
    body = [
        f"{part.name if number == 0 else '':{width}}  {line}".rstrip()
        for part in parts
        for number, line in enumerate(part.lines)
    ]
    return "\n".join([_headline(found), *body])


def _headline(found: Found) -> str:
    labels = found.result.labels
    if found.result.verdict is Verdict.INCONCLUSIVE:
        return f"{labels.subject}: INCONCLUSIVE is no pass: too little is known of its law"
    wrong = "is not lossless" if labels.claim == "lossless" else f"does not follow {labels.claim}"
    distance = found.result.total_variation
    by = "" if distance is None else f": TV {shown_distance(distance)}"
    return f"{labels.subject} {wrong}{by} on {labels.instance}"


def _parts(found: Found) -> Iterator[Part]:
    result, labels = found.result, found.result.labels
    evidence = f"{result.evidence}, {found.audited.paths} paths, {found.audited.seconds:.2g} s"
    yield Part("verdict", [f"{result.verdict} ({evidence})"])
    yield Part("instance", [f"{labels.instance} ({labels.parameters})"])
    if result.total_variation is not None:
        yield Part("exact TV", [shown_distance(result.total_variation)])
    yield Part("what differs", result.detail.split("; "))
    if result.verdict is Verdict.INCONCLUSIVE:
        yield Part(
            "to decide it",
            [
                f"raise max_paths or max_seconds in @pytest.mark.{MARKER}(...)",
                "if a loop need not end, no limit helps: make one draw of it, or sample the step",
            ],
        )
    elif found.case is not None and result.total_variation is not None:
        instance = found.case.instance
        yield from _differences(_laws(found, instance), instance)
    if explainable(found):
        yield Part("diagnosis", diagnosis_of(found).split("; "))
        if not found.given:
            yield Part("smallest", smallest_of(found))


def _differences(laws: Laws, instance: Instance) -> Iterator[Part]:
    """Yield the next token where the laws part, and the sequences that are off by most."""
    cells = top_cells(laws)
    if not cells:
        return
    context = first_context(laws)
    after = f"after {context_key(context)!r}" if context else "at the start"
    yield Part("next token", [f"{after}:", *_next_table(next_tokens(laws, instance, context))])
    yield Part("top cells", _cell_table(cells))


def _laws(found: Found, instance: Instance) -> Laws:
    if not is_rule(found.subject):
        return laws_on(found.subject, instance, found.execution)  # type: ignore[arg-type]
    rule: Any = found.subject

    def one_round(instance: Instance, draws: Draws) -> Any:  # noqa: ANN401  (what a rule emits)
        return rule.verify(rule.propose(instance, draws), instance.target, draws)

    claim = Claim((claimed_model(rule, instance),), rule.horizon(instance))
    rounds: Exploration[Any] = followed(one_round, instance)
    return laws_of(rounds, claim)


def _next_table(tokens: list[NextToken]) -> list[str]:
    drafts = len(tokens[0].drafts)
    heads = ["draft"] if drafts == 1 else [f"draft {number}" for number in range(drafts)]
    rows = [
        [str(one.token), *(shown(prob, DIGITS) for prob in (one.expected, *one.drafts, one.got))]
        for one in tokens
    ]
    return _aligned([["token", "expected", *heads, "got"], *rows])


def _cell_table(cells: list[Cell]) -> list[str]:
    rows = [
        [
            context_key(cell.tokens),
            shown(cell.expected, DIGITS),
            shown(cell.got, DIGITS),
            f"{'+' if cell.excess > 0 else ''}{shown(cell.excess, DIGITS)}",
        ]
        for cell in cells
    ]
    return _aligned([["tokens", "expected", "got", "got - expected"], *rows])


def _aligned(rows: list[list[str]]) -> list[str]:
    """Return rows of text with every column to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{text:>{width}}" for text, width in zip(row, widths, strict=True))
        for row in rows
    ]
