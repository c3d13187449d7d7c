"""The sweep for the peak, its sort, and the bound that spares it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.simulation.peak import N_BUCKETS, exact_peak, peak_bound, sort_events
from heteroopt.simulation.schedule import STAYS


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 40), max_size=150), st.booleans())
def test_sort_keeps_times_and_sizes_together(times, nearly_sorted):
    time = np.array(sorted(times[:-3]) + times[-3:] if nearly_sorted else times, np.int64)
    size = np.arange(len(time), dtype=np.int64)
    original = time.copy()
    scratch = np.zeros((2, len(time)), np.int64)
    sort_events(time, size, scratch[0], scratch[1], len(time))
    assert time.tolist() == sorted(original.tolist())
    assert original[size].tolist() == time.tolist()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 50), st.booleans()), max_size=60),
    st.integers(1, 1000),
)
def test_bound_is_never_below_the_peak_and_the_peak_is_right(spans, scale):
    n = len(spans)
    start = np.array([[a // scale] for a, _, _, _ in spans], np.int64).reshape(n, 1)
    end = np.array([[STAYS if stays else (a + b) // scale] for a, b, _, stays in spans], np.int64).reshape(n, 1)
    size = np.array([c for _, _, c, _ in spans], np.int64)
    held = np.arange(n, dtype=np.int32)[None]
    makespan = max([0, *start[:, 0].tolist(), *(e for e in end[:, 0].tolist() if e != STAYS)])
    expected = max(
        [0] + [int(size[(start[:, 0] <= t) & (t < end[:, 0])].sum()) for t in start[:, 0].tolist()],
    )
    scratch = np.zeros((2, 3, max(1, n)), np.int64)
    assert exact_peak(0, start, end, held, n, size, scratch[0], scratch[1]) == expected
    bucket = np.zeros(N_BUCKETS + 1, np.int64)
    bound = peak_bound(0, makespan, start, end, held, n, size, bucket)
    assert expected <= bound <= size.sum()
