"""Search settings: defaults by size, round trip, refusals."""

import pytest

from heteroopt.errors import SettingsError
from heteroopt.search.settings import OBJECTIVES, SearchSettings


@pytest.mark.parametrize(
    ("n", "population", "generations"), [(1, 128, 200), (1000, 128, 200), (1001, 96, 267), (5001, 64, 400)]
)
def test_defaults_keep_the_number_of_evaluations(n, population, generations):
    resolved = SearchSettings().resolved(n)
    assert (resolved.population_size, resolved.generations) == (population, generations)


def test_given_values_stay():
    resolved = SearchSettings(population_size=20, generations=3).resolved(5000)
    assert (resolved.population_size, resolved.generations) == (20, 3)
    assert SearchSettings(population_size=20).resolved(5000).generations == 200
    assert SearchSettings().resolved(10).polish_decodes == 10_240
    assert SearchSettings(polish_decodes=0).resolved(10).polish_decodes == 0


def test_round_trip():
    settings = SearchSettings(population_size=12, seed=9, makespan_cap=None, objectives=("energy",))
    assert SearchSettings.from_dict(settings.to_dict()) == settings
    assert SearchSettings.from_dict({}).objectives == OBJECTIVES


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"population_size": 3}, "setting_out_of_range"),
        ({"population_size": True}, "setting_out_of_range"),
        ({"population_size": 20.0}, "setting_out_of_range"),
        ({"polish_decodes": -1}, "setting_out_of_range"),
        ({"generations": -1}, "setting_out_of_range"),
        ({"mutation_prob": float("nan")}, "setting_out_of_range"),
        ({"mutation_prob": 1.01}, "setting_out_of_range"),
        ({"makespan_cap": 0.9}, "setting_out_of_range"),
        ({"seed": -1}, "setting_out_of_range"),
        ({"front_size": 0}, "setting_out_of_range"),
        ({"objectives": []}, "objectives_invalid"),
        ({"objectives": ["energy", "energy"]}, "objectives_invalid"),
        ({"objectives": ["price"]}, "objective_unknown"),
        ({"objectives": "energy"}, "objectives_invalid"),
        ({"colour": 1}, "setting_unknown"),
    ],
)
def test_refusals(values, code):
    with pytest.raises(SettingsError) as refusal:
        SearchSettings.from_dict(values)
    assert refusal.value.code == code
