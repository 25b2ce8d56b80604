"""The greatest amount that can be carried from sources to the sinks that each is linked to.

Shortest augmenting paths (Edmonds and Karp): while some source that has something left is joined
to some sink that wants more, along links, and back along links that carry something, carry as much
as that path lets through.  Every such path empties a source, fills a sink or clears a link
exactly, so there are only so many, in fractions and in floats.

For the few sources and sinks of a reference; the plan that it finds is one of many.
"""

from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from specdec_core.distributions import Prob

Source = TypeVar("Source", bound=Hashable)
Sink = TypeVar("Sink", bound=Hashable)


class Link(NamedTuple, Generic[Source, Sink]):
    """A source and a sink that it can be carried to."""

    source: Source
    sink: Sink


def maximum_flow(
    supply: Mapping[Source, Prob],
    demand: Mapping[Sink, Prob],
    links: Mapping[Source, Sequence[Sink]],
) -> dict[Link[Source, Sink], Prob]:
    """Return how much each link carries, when all together carry as much as they can.

    Parameters
    ----------
    supply, demand : mapping to Fraction or float
        What each source has, and what each sink can take; nonnegative.
    links : mapping of source to sequence of sinks
        Where each source can be carried to.

    Examples
    --------
    >>> flow = maximum_flow({"a": 2, "b": 1}, {0: 1, 1: 2}, {"a": (0, 1), "b": (0,)})
    >>> {tuple(link): amount for link, amount in flow.items() if amount}
    {('a', 1): 2, ('b', 0): 1}
    """
    left, wanted = dict(supply), dict(demand)
    flow: dict[Link[Source, Sink], Prob] = {}
    while path := _shortest_path(left, wanted, links, flow):
        back = [Link(later.source, link.sink) for link, later in pairwise(path)]
        first, last = path[0].source, path[-1].sink
        amount = min(left[first], wanted[last], *(flow[link] for link in back))
        left[first] -= amount
        wanted[last] -= amount
        for link in path:
            flow[link] = flow.get(link, 0) + amount
        for link in back:
            flow[link] -= amount
    return flow


def _shortest_path(
    left: Mapping[Source, Prob],
    wanted: Mapping[Sink, Prob],
    links: Mapping[Source, Sequence[Sink]],
    flow: Mapping[Link[Source, Sink], Prob],
) -> list[Link[Source, Sink]]:
    """Return the forward links of a shortest path, or none if no source reaches a sink.

    From the sink of one link the path goes back to the source of the next.
    """
    paths: dict[Source, list[Link[Source, Sink]]] = {
        source: [] for source, amount in left.items() if amount > 0
    }
    seen: set[Sink] = set()
    queue = deque(paths)
    while queue:
        source = queue.popleft()
        for sink in links[source]:
            if sink in seen:
                continue
            seen.add(sink)
            path = [*paths[source], Link(source, sink)]
            if wanted[sink] > 0:
                return path
            for other in left:
                if other not in paths and flow.get(Link(other, sink), 0) > 0:
                    paths[other] = path
                    queue.append(other)
    return []
