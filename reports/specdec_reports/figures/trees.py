"""A draft tree with what a round does on it: acceptance along its edges, and what leaves.

An edge is as thick as the probability that the round accepts along it.  What is rejected at a node
leaves it on a dashed edge, for a token of the residual; so the edges that leave a node add up to
the one that leads there, but for rounds that end on the node itself.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from specdec_reports.figures.drawing import FAINT, INK, OBSERVED, OTHER, PAPER, WIDTH, short, titled
from specdec_verification.results import TreeNode, TreeTable

THICKEST: Final = 7.0
"""Points that an edge has along which every round goes."""

SLOT: Final = 0.3
"""Inches between two ends."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: how deep, and how far down, in slots."""

    depth: float
    slot: float


class Layout:
    """Where every node of a tree stands, and what leaves it: ends below each other."""

    def __init__(self, tree: TreeTable) -> None:
        self.nodes = {node.path: node for node in tree.nodes}
        self.children: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.nodes:
            if path:
                self.children[path.rpartition(",")[0]].append(path)
        self.places: dict[str, Place] = {}
        self.exits: dict[str, Place] = {}
        self.slots = 0
        self._put("", 0)

    @property
    def height(self) -> int:
        """The number of levels."""
        return max((int(place.depth) for place in self.places.values()), default=0)

    def _put(self, path: str, depth: int) -> float:
        """Place a node between the first and the last of what leaves it."""
        slots = [self._put(child, depth + 1) for child in self.children[path]]
        if self.nodes[path].residual:
            self.exits[path] = Place(depth + 0.62, self._next())
            slots.append(self.exits[path].slot)
        slot = (slots[0] + slots[-1]) / 2 if slots else self._next()
        self.places[path] = Place(depth, slot)
        return slot

    def _next(self) -> float:
        self.slots += 1
        return self.slots - 1


def tree_figure(tree: TreeTable) -> Figure:
    """Return a tree from left to right, a token in every node."""
    layout = Layout(tree)
    size = (max(WIDTH, 1.2 + 1.4 * layout.height), 1.0 + SLOT * max(layout.slots, 2))
    figure = Figure(figsize=size, layout="constrained")
    panel = figure.subplots()
    for path, node in layout.nodes.items():
        if path:
            parent = layout.places[path.rpartition(",")[0]]
            _draw_edge(panel, parent, layout.places[path], node)
        if path in layout.exits:
            _draw_exit(panel, layout.places[path], layout.exits[path], node)
    for path, place in layout.places.items():
        _draw_node(panel, path, place)
    panel.set_xlim(-0.2, layout.height + 0.45)
    panel.set_ylim(max(layout.slots, 2) - 0.4, -0.6)
    panel.axis("off")
    left_out = f", {tree.left_out} nodes left out" if tree.left_out else ""
    titled(figure, tree.subject, f"on {tree.instance}{left_out}")
    return figure


def _draw_edge(panel: Axes, parent: Place, child: Place, node: TreeNode) -> None:
    width = THICKEST * float(node.reached)
    color, style = (OBSERVED, "-") if node.reached else (FAINT, ":")
    panel.plot(
        *((parent.depth, child.depth), (parent.slot, child.slot)),
        color=color,
        linestyle=style,
        linewidth=max(width, 0.8),
        solid_capstyle="round",
        zorder=1,
    )
    share = "" if node.proposed == 1 else f" of {short(node.proposed)}"
    _write(panel, f"{short(node.reached)}{share}", _along(parent, child, 0.58), INK)


def _draw_exit(panel: Axes, parent: Place, end: Place, node: TreeNode) -> None:
    panel.plot(
        *((parent.depth, end.depth), (parent.slot, end.slot)),
        color=OTHER,
        linestyle=(0, (2.5, 1.2)),
        linewidth=max(THICKEST * float(node.residual), 0.8),
        dash_capstyle="butt",
        zorder=1,
    )
    panel.text(
        *(end.depth + 0.03, end.slot, f"residual {short(node.residual)}"),
        color=OTHER,
        size=7,
        va="center",
    )


def _draw_node(panel: Axes, path: str, place: Place) -> None:
    """Draw a circle with the node's token; the root, which has none, is a dot."""
    at = ([place.depth], [place.slot])
    if not path:
        panel.scatter(*at, s=60, color=INK, zorder=2)
        return
    panel.scatter(*at, s=170, color=PAPER, edgecolor=INK, linewidth=1, zorder=2)
    token = path.rpartition(",")[2]
    panel.text(*(place.depth, place.slot, token), ha="center", va="center", size=7.5, zorder=3)


def _along(start: Place, end: Place, share: float) -> Place:
    return Place(
        start.depth + share * (end.depth - start.depth),
        start.slot + share * (end.slot - start.slot),
    )


def _write(panel: Axes, text: str, place: Place, color: str) -> None:
    """Write on an edge, on a ground of the paper's."""
    box = {"boxstyle": "round,pad=0.12", "facecolor": PAPER, "edgecolor": "none"}
    panel.text(
        *(place.depth, place.slot, text),
        ha="center",
        va="center",
        size=6.5,
        color=color,
        bbox=box,
        zorder=2,
    )
