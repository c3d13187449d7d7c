"""Pipeline schedules by hand, and the profile's fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heteroopt.training.pipeline import order, simulate
from heteroopt.training.profile import published_profile
from heteroopt.training.transformer import PRESETS


def test_orders_by_hand() -> None:
    assert order("1f1b", 0, 3, 4) == [
        (True, 0), (True, 1), (True, 2), (False, 0), (True, 3), (False, 1), (False, 2), (False, 3),
    ]  # fmt: skip
    assert order("1f1b", 2, 3, 2) == [(True, 0), (False, 0), (True, 1), (False, 1)]
    assert order("gpipe", 0, 3, 2) == [(True, 0), (True, 1), (False, 0), (False, 1)]


def test_two_stages_two_micro_batches_by_hand() -> None:
    """Forward 1 s, backward 2 s, 0.5 s to send. The last stage: F0 1.5-2.5, B0 2.5-4.5, F1 4.5-5.5, B1 5.5-7.5."""
    run = simulate([[3.0, 3.0], [3.0, 3.0]], [0.5])
    slots = sorted(run.slots, key=lambda slot: slot.start_s)
    assert [(s.stage, s.micro_batch, s.forward, s.start_s, s.end_s) for s in slots] == [
        (0, 0, True, 0.0, 1.0),
        (0, 1, True, 1.0, 2.0),
        (1, 0, True, 1.5, 2.5),
        (1, 0, False, 2.5, 4.5),
        (1, 1, True, 4.5, 5.5),
        (0, 0, False, 5.0, 7.0),
        (1, 1, False, 5.5, 7.5),
        (0, 1, False, 8.0, 10.0),
    ]  # fmt: skip
    assert run.finish_s == 10.0
    assert run.busy_share(0) == pytest.approx(0.6)


def test_one_stage_is_the_sum() -> None:
    assert simulate([[1.0, 2.0, 4.0]], []).finish_s == pytest.approx(7.0)


@given(
    st.integers(1, 5).flatmap(
        lambda stages: st.tuples(
            st.lists(st.floats(0.01, 5), min_size=stages, max_size=stages),
            st.lists(st.floats(0, 1), min_size=stages - 1, max_size=stages - 1),
            st.integers(1, 8),
            st.sampled_from(["1f1b", "gpipe"]),
        )
    )
)
def test_bounds_of_any_pipeline(case: tuple[list[float], list[float], int, str]) -> None:
    times, send, count, schedule = case
    run = simulate([[time] * count for time in times], send, schedule)  # type: ignore[arg-type]
    assert len(run.slots) == 2 * count * len(times)
    slowest, once = max(times), sum(times) + 2 * sum(send)
    assert run.finish_s >= max(count * slowest, once) - 1e-9
    assert run.finish_s <= count * once + 1e-9
    by_stage: dict[int, float] = {}
    for slot in run.slots:
        assert slot.start_s >= by_stage.get(slot.stage, 0.0) - 1e-12
        by_stage[slot.stage] = slot.end_s


def test_the_fit_is_close_to_every_row_of_the_profile() -> None:
    assert max(map(abs, published_profile().row_errors())) < 0.03


def test_measures_of_the_published_model() -> None:
    model = PRESETS["llama-32b"]
    assert model.layer_parameters() == 4 * 6656**2 + 3 * 6656 * 17920
    assert model.parameters() == pytest.approx(32.8e9, rel=0.01)
    # 201 h^2 bytes a layer without ZeRO-1; three quarters of it over four pipelines with it.
    profile = published_profile()
    whole = profile.state_bytes(model.layer_parameters(), 1, False)
    assert whole == pytest.approx(201 * 6656**2)
    assert profile.state_bytes(model.layer_parameters(), 4, True) == pytest.approx(whole * (0.75 / 4 + 0.25))
