"""Path splitting next to a plain recursive enumeration: ``python benchmarks/paths.py``.

Both find the exact law of one round of `token_rejection`, as fractions, on the same instance; the
two laws are compared before anything is timed.  The plain one is what a user would write for this
rule alone: it recurses over drafts, acceptances and replacements, multiplies fractions on the way
down, and knows the rule's text.  The engine knows nothing of the rule, runs it as it stands, and
replays a prefix for every path.  The ratio is what that generality costs, or gains: plain seconds
over engine seconds, so that above 1 the engine is the faster.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from side_by_side import median_seconds

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import Context, TableModel
from specdec_core.rules import Verification
from specdec_core.rules.token_rejection import TokenRejection
from specdec_grids.generated import contexts
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program

SHAPES = ((3, 2), (4, 2), (3, 3), (8, 2), (4, 4))
"""Vocabulary size and gamma."""

Table = dict[Context, list[Fraction]]
"""A model as the plain enumeration takes it."""


def main(shapes: Sequence[tuple[int, int]] = SHAPES, repeats: int = 7) -> None:
    """Print a line for each shape."""
    print(f"{'V':>2} {'gamma':>5} {'paths':>6} {'engine/s':>9} {'plain/s':>9} {'ratio':>6}")
    for vocab_size, gamma in shapes:
        instance = dense_instance(vocab_size, gamma)
        program = round_program(TokenRejection(), instance)
        tables = table_of(instance.target), table_of(instance.draft)
        found = exact_law(program)
        assert dict(found.law.probs) == plain_law(*tables, gamma)
        engine, plain = median_seconds(
            [
                lambda program=program: exact_law(program),  # type: ignore[misc]
                lambda tables=tables, gamma=gamma: plain_law(*tables, gamma),
            ],  # type: ignore[misc]
            repeats,
        )
        paths = found.paths
        rates = f"{paths / engine:>9,.0f} {paths / plain:>9,.0f} {plain / engine:>6.2f}"
        print(f"{vocab_size:>2} {gamma:>5} {paths:>6,} {rates}")


def dense_instance(vocab_size: int, gamma: int) -> Instance:
    """Return an instance without zeros, whose rows depend on the context."""
    rng = np.random.default_rng([vocab_size, gamma])

    def model(name: str) -> TableModel:
        table = {}
        for context in contexts(vocab_size, gamma):
            parts = rng.integers(1, 10, size=vocab_size).tolist()
            table[context] = Row(Fraction(part, sum(parts)) for part in parts)
        return TableModel(table, name)

    return Instance(model("target"), (model("draft"),), {"gamma": gamma})


def table_of(model: object) -> Table:
    """Return a model as plain dictionaries and lists."""
    assert isinstance(model, TableModel)
    return {context: list(row) for context, row in model.table.items()}  # type: ignore[arg-type]


def plain_law(target: Table, draft: Table, gamma: int) -> dict[Verification, Fraction]:
    """Return the law of one round, by recursion."""
    law: dict[Verification, Fraction] = {}

    def add(outcome: Verification, weight: Fraction) -> None:
        law[outcome] = law.get(outcome, Fraction(0)) + weight

    def propose(tokens: Context, weight: Fraction) -> None:
        if len(tokens) == gamma:
            verify(tokens, 0, weight)
            return
        for token, prob in enumerate(draft[tokens]):
            if prob:
                propose((*tokens, token), weight * prob)

    def verify(tokens: Context, kept: int, weight: Fraction) -> None:
        if kept == gamma:
            add(Verification(tokens, None), weight)
            return
        p, q = target[tokens[:kept]], draft[tokens[:kept]]
        token = tokens[kept]
        accepted = min(Fraction(1), p[token] / q[token])
        if accepted:
            verify(tokens, kept + 1, weight * accepted)
        if accepted < 1:
            excess = [max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True)]
            mass = sum(excess)
            for recovered, part in enumerate(excess):
                if part:
                    outcome = Verification(tokens[:kept], recovered)
                    add(outcome, weight * (1 - accepted) * part / mass)

    propose((), Fraction(1))
    return law


if __name__ == "__main__":
    main()
