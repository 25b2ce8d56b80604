"""Laws to be looked at, as rows: what was expected beside what was observed, and trees by node.

A law of whole sequences is shown by its prefixes, each with the probability that a sequence begins
with it.  A draft tree is shown by its nodes, each with the probability that a round accepts it and
the mass that leaves the tree there.  Both are cut to what a picture has room for, and say what was
left out.  They are read by way of `specdec_verification.results`; no verdict hangs on them.
"""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class PrefixRow:
    """How probable it is that what is emitted begins with one prefix.

    Attributes
    ----------
    prefix : str
        Token ids with commas between, at least one.
    expected, observed : Fraction or float
        In ``[0, 1]``; floats where it was sampled, or where floats made a fraction long.
    """

    prefix: str
    expected: Fraction | float
    observed: Fraction | float

    @property
    def difference(self) -> Fraction | float:
        """How much likelier it was observed than expected."""
        if isinstance(self.observed, Fraction) and isinstance(self.expected, Fraction):
            return self.observed - self.expected
        return float(self.observed) - float(self.expected)

    @property
    def distance(self) -> float:
        """How far the two lie apart."""
        return abs(float(self.difference))


@dataclass(frozen=True, slots=True)
class LawTable:
    """A law that was found, beside the one that was claimed.

    Attributes
    ----------
    subject, claim, instance : str
        As in `Labels`.
    evidence : str
        How it was found, such as ``"9 paths"``.
    length : int
        Tokens of the longest prefixes that were looked at.
    rows : tuple of PrefixRow
        Each prefix before what it begins, in the order of their tokens.
    left_out : int
        Prefixes of at most that length that have no row.
    largest_left_out : float
        The largest difference of one of them, in ``[0, 1]``; no row's is smaller.
    """

    subject: str
    claim: str
    instance: str
    evidence: str
    length: int
    rows: tuple[PrefixRow, ...]
    left_out: int
    largest_left_out: float


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of a draft tree, and the edge that leads to it.

    Attributes
    ----------
    path : str
        Its tokens from the root, with commas between; the root's is empty.
    proposed : Fraction or float
        Probability that the draft tree has it.
    reached : Fraction or float
        Probability that a round accepts it: what goes along the edge from its parent.
    residual : Fraction or float
        Probability that a round rejects all of its children, and goes on with a token of the
        residual.
    """

    path: str
    proposed: Fraction | float
    reached: Fraction | float
    residual: Fraction | float


@dataclass(frozen=True, slots=True)
class TreeTable:
    """What a round does with its draft tree.

    Attributes
    ----------
    subject, claim, instance : str
        As in `Labels`.
    nodes : tuple of TreeNode
        The root first, and parents before their children.
    left_out : int
        Nodes that have no row: those that are reached least.
    """

    subject: str
    claim: str
    instance: str
    nodes: tuple[TreeNode, ...]
    left_out: int
