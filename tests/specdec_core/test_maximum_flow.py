from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow as reference_flow

from specdec_core.maximum_flow import Link, maximum_flow

Network = tuple[dict[int, int], dict[int, int], dict[int, tuple[int, ...]]]


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Draw up to four sources and sinks, and any links between them."""
    sources, sinks = draw(st.integers(0, 4)), draw(st.integers(1, 4))
    amount = st.integers(0, 6)
    return (
        {source: draw(amount) for source in range(sources)},
        {sink: draw(amount) for sink in range(sinks)},
        {
            source: tuple(draw(st.lists(st.integers(0, sinks - 1), unique=True)))
            for source in range(sources)
        },
    )


def test_a_greedy_first_choice_is_taken_back() -> None:
    """Source a fills the only sink that b can go to, and has to be moved."""
    flow = maximum_flow({"a": 1, "b": 1}, {0: 1, 1: 1}, {"a": (0, 1), "b": (0,)})
    assert {link: amount for link, amount in flow.items() if amount} == {("a", 1): 1, ("b", 0): 1}


@given(networks())
def test_no_link_is_overdrawn(network: Network) -> None:
    supply, demand, links = network
    flow = maximum_flow(supply, demand, links)
    assert all(amount >= 0 for amount in flow.values())
    assert all(link.sink in links[link.source] for link in flow)
    assert all(carried_from(flow, source) <= supply[source] for source in supply)
    assert all(carried_to(flow, sink) <= demand[sink] for sink in demand)


@given(networks())
def test_as_much_is_carried_as_scipy_finds(network: Network) -> None:
    supply, demand, links = network
    assert sum(maximum_flow(supply, demand, links).values()) == reference(network)


@given(networks())
def test_as_much_is_carried_as_the_smallest_cut_lets_through(network: Network) -> None:
    """Of any set of sinks: what it takes, and what cannot go anywhere else."""
    supply, demand, links = network
    carried = sum(maximum_flow(supply, demand, links).values())
    cuts = [
        sum(demand[sink] for sink in cut)
        + sum(supply[source] for source in supply if not set(links[source]) <= set(cut))
        for size in range(len(demand) + 1)
        for cut in combinations(demand, size)
    ]
    assert carried == min(cuts)


@given(networks(), st.sampled_from([Fraction(1, 3), 0.1]))
def test_fractions_and_floats_carry_the_same_share(
    network: Network, share: Fraction | float
) -> None:
    supply, demand, links = network
    scaled = maximum_flow(
        {source: amount * share for source, amount in supply.items()},
        {sink: amount * share for sink, amount in demand.items()},
        links,
    )
    expected = sum(maximum_flow(supply, demand, links).values()) * share
    assert sum(scaled.values()) == pytest.approx(expected)


def carried_from(flow: Mapping[Link[int, int], Fraction | float], source: int) -> Fraction | float:
    return sum(amount for link, amount in flow.items() if link.source == source)


def carried_to(flow: Mapping[Link[int, int], Fraction | float], sink: int) -> Fraction | float:
    return sum(amount for link, amount in flow.items() if link.sink == sink)


def reference(network: Network) -> int:
    """Return the greatest amount by scipy: node 0 is where all begins, the last where it ends."""
    supply, demand, links = network
    size = len(supply) + len(demand) + 2
    capacity = np.zeros((size, size), dtype=np.int32)
    for source, amount in supply.items():
        capacity[0, 1 + source] = amount
        for sink in links[source]:
            capacity[1 + source, 1 + len(supply) + sink] = amount
    for sink, amount in demand.items():
        capacity[1 + len(supply) + sink, size - 1] = amount
    return int(reference_flow(csr_array(capacity), 0, size - 1).flow_value)
