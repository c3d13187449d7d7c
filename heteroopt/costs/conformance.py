"""What any cost model has to do, as tests that a plugin's own test suite can run: subclass and give ``kind``."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from heteroopt.costs.cost_models import CostModel, checked_predictions, learned
from heteroopt.costs.facts import OperatorFacts
from heteroopt.costs.residual import TREES

PEAK, BANDWIDTH, START_S = 5e10, 1e10, 2e-6


class CostModelConformance:
    """``class TestMine(CostModelConformance): kind = Mine``; pytest runs it."""

    kind: ClassVar[type[CostModel]]

    def _rows(self, count: int = 60) -> list[OperatorFacts]:
        """Elementwise operators and products of sizes from tiny to large."""
        rows = []
        for number in range(count):
            size = int(16 * 1.15**number)
            product = number % 2 == 1
            rows.append(
                OperatorFacts(
                    op_types=("MatMul" if product else "Relu",), main="MatMul" if product else "Relu",
                    op_class="matmul" if product else "elementwise", precision="fp32",
                    flops=size * (128 if product else 1), bytes_read=4 * size, bytes_written=4 * size, weight_bytes=0,
                    inputs=(("float32", (size, 1)),), weights=(), outputs=(("float32", (size, 1)),), attributes={},
                    structure=f"row {number}",
                )
            )  # fmt: skip
        return rows

    def _seconds(self, rows: list[OperatorFacts]) -> np.ndarray:
        moved = np.array([facts.bytes_read + facts.bytes_written for facts in rows], np.float64)
        return START_S + np.array([facts.flops for facts in rows]) / PEAK + moved / BANDWIDTH

    def _fitted(self) -> CostModel:
        rows = self._rows()
        return learned(self.kind, rows, self._seconds(rows), START_S, TREES)

    def test_it_has_the_key_of_its_entry_point(self) -> None:
        """A key is a plain name."""
        assert self.kind.key.isidentifier()

    def test_it_learns_a_plain_law(self) -> None:
        """Within 30 % on what it was given."""
        rows = self._rows()
        found = checked_predictions(self._fitted(), rows)
        assert float(np.abs(found / self._seconds(rows) - 1.0).mean()) < 0.3

    def test_the_same_rows_give_the_same_predictions(self) -> None:
        """Bit for bit."""
        rows = self._rows()
        assert checked_predictions(self._fitted(), rows).tolist() == checked_predictions(self._fitted(), rows).tolist()

    def test_each_operator_is_predicted_by_itself(self) -> None:
        """One alone costs what it costs among others."""
        rows, model = self._rows(), self._fitted()
        among = checked_predictions(model, rows)
        assert [float(checked_predictions(model, [facts])[0]) for facts in rows[:5]] == among[:5].tolist()
        assert checked_predictions(model, []).shape == (0,)

    def test_types_that_it_has_not_seen_get_a_time(self) -> None:
        """Finite and above 0."""
        odd = OperatorFacts(("Odd",), "Odd", "movement", "fp32", 0, 0, 0, 0, (), (), (("float32", None),), {}, "odd")
        assert checked_predictions(self._fitted(), [odd])[0] > 0.0

    def test_few_rows_are_enough_to_say_something(self) -> None:
        """Folds of small calibrations are small."""
        rows = self._rows(12)
        model = learned(self.kind, rows, self._seconds(rows), START_S, TREES)
        assert (checked_predictions(model, self._rows()) > 0.0).all()
