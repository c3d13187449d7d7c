"""CSV tables: units in headings, full precision, no formulas, exact way back."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.deployment.csv_cells import neutralised, restored, write_csv
from heteroopt.deployment.front_csv import front_csv


def parse(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_cells_that_a_spreadsheet_would_run_are_neutralised(start):
    name = f"{start}cmd|'/c calc'!A1"
    assert neutralised(name) == f"'{name}"
    assert parse(write_csv(["name"], [[name]]))[1] == [f"'{name}"]


def test_ordinary_text_and_numbers_stay_as_they_are():
    row = ["conv1/7x7_s2", -1.5, 0.1 + 0.2, 3, True, None]
    assert parse(write_csv(["a"] * 6, [row]))[1] == ["conv1/7x7_s2", "-1.5", "0.30000000000000004", "3", "true", ""]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30), st.floats(allow_nan=False, allow_infinity=False))
def test_round_trip_through_python_csv(text, number):
    # The module itself cannot carry a NUL in every version; names are sanitised before they get here.
    text = text.replace("\0", "")
    cells = parse(write_csv(["text", "number"], [[text, number]]))[1]
    assert restored(cells[0]) == text
    assert float(cells[1]) == number
    assert not cells[0].startswith(("=", "+", "-", "@", "\t", "\r"))


def test_front_table_has_one_row_per_plan_and_units_in_the_headings():
    plans = [{"number": 1, "exec_time_ms": 1 / 3, "energy_j": 2.5, "load_balance": 0.0, "feasible": True, "hash": "ab"}]
    rows = parse(front_csv(plans * 3))
    assert len(rows) == 4
    assert rows[0][:4] == ["plan", "execution time (ms)", "energy (J)", "load balance (variance)"]
    assert float(rows[1][1]) == 1 / 3
    assert rows[1][rows[0].index("feasible")] == "true"
