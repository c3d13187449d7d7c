"""Times cases on a device one after another: budget, stop, resume, throttling, energy."""

from __future__ import annotations

import hashlib
import json
import math
import time
from typing import Any, Callable

import numpy as np

from heteroopt.calibration.portable.counters import power_w
from heteroopt.calibration.portable.timing import Rule, measure

WATCH_AFTER = 8
WATCHED_S = 1e-3
LOOKS = 3
"""At the shape that is watched, before a device is said to have become slower or faster."""
ROUNDS = 3
"""Of taking flagged shapes again."""

BUNDLE_FORMAT = "heteroopt-calibration-1"
LAUNCH = "launch"
"""Role of the cases that do next to nothing: they tell what starting a program costs."""
LAYOUT = "layout"
"""Role of the cases that tell what taking images into the runtime's own layout and back costs, for each byte."""
WEIGHTS = "weights"
"""Role of the case that tells how long reading weights takes that no cache holds, for each byte."""
OVERHEADS = (LAUNCH, LAYOUT, WEIGHTS)


class Session:
    """Times cases on a device one after another, inside a budget; it can be stopped, and goes on from a checkpoint.

    ``device`` has ``open(case)``, which returns something with ``run(count)`` and ``close()``, ``joules()`` (a counter
    or None) and ``describe()``. ``checkpoint``: what ``state()`` returned, of the same cases and device. ``progress``
    is called with (done, total, phase) after each case; False stops. ``save`` gets the state every ``save_every_s``.
    """

    def __init__(
        self,
        device: Any,
        cases: list[dict[str, Any]],
        rule: Rule | None = None,
        budget_s: float = 120.0,
        checkpoint: dict[str, Any] | None = None,
        progress: Callable[[int, int, str], Any] | None = None,
        save: Callable[[dict[str, Any]], None] | None = None,
        save_every_s: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.device = device
        self.cases = [case for case in cases if case.get("role") not in OVERHEADS]
        self.launch = [case for case in cases if case.get("role") == LAUNCH]
        self.layout = [case for case in cases if case.get("role") == LAYOUT]
        self.weights = [case for case in cases if case.get("role") == WEIGHTS]
        self.rule = rule or Rule()
        self.description = device.describe()
        self.rows: dict[str, dict[str, Any]] = {}
        self.failed: dict[str, dict[str, Any]] = {}
        self.flags: list[str] = []
        self.launch_s = 0.0
        self.layout_s_per_byte = 0.0
        self.weight_s_per_byte = 0.0
        self.energy: dict[str, Any] = {"source": "", "idle_power_w": 0.0, "power_w": {}}
        self.stopped = ""
        self._key = hashlib.sha256(json.dumps([case["key"] for case in cases]).encode()).hexdigest()[:16]
        self._budget_s, self._clock, self._sleep, self._begin = budget_s, clock, sleep, clock()
        self._spent_s = 0.0
        self._progress = progress or (lambda done, total, phase: True)
        self._save, self._save_every_s, self._saved = save, save_every_s, self._begin
        self._watched: Any = None
        self._steady_s = 0.0
        self._warm = False
        self._was_slow = False
        self._cooled_s = 0.0
        self._watched_at = self._begin
        self._since_watch: list[str] = []
        if checkpoint is not None:
            self._resume(checkpoint)

    def run(self) -> dict[str, Any]:
        """Time everything that is left and return the bundle; what could not be timed is listed with the reason."""
        if self.launch and not self.launch_s and self._goes_on("overheads"):
            self.launch_s = self._launch_overhead()
            self.layout_s_per_byte = self._layout_cost()
            self.weight_s_per_byte = self._weight_cost()
        if self.cases and len(self.rows) < len(self.cases):
            self._first_round()
            self._second_round()
            self._energies()
        if self._watched is not None:
            self._watched.close()
        return self.bundle()

    def _launch_overhead(self) -> float:
        """Seconds that starting a program costs, without what each operator in it does."""
        found = {}
        for case in self.launch:
            row = self._timed(case)
            self.failed.pop(case["key"], None)
            if row:
                found[int(case["operators"])] = float(row["minimum_s"])
        if not found:
            return 0.0
        few, many = min(found), max(found)
        each = (found[many] - found[few]) / max(1, many - few)
        return max(0.0, found[few] - few * max(0.0, each))

    def _layout_cost(self) -> float:
        """Seconds a byte that a program spends on the layout of images, whatever it computes: the median over sizes."""
        found: dict[int, dict[int, float]] = {}
        for case in self.layout:
            row = self._timed(case)
            self.failed.pop(case["key"], None)
            if row:
                found.setdefault(int(case["moved_bytes"]), {})[int(case["operators"])] = float(row["minimum_s"])
        costs = []
        for moved, seconds in found.items():
            few, many = min(seconds), max(seconds)
            if few < many:
                each = (seconds[many] - seconds[few]) / (many - few)
                costs.append((seconds[few] - few * each - self.launch_s) / moved)
        return max(0.0, float(np.median(costs))) if costs else 0.0

    def _weight_cost(self) -> float:
        """Seconds a byte of reading weights from memory; 0 where it was not measured."""
        for case in self.weights:
            row = self._timed(case)
            self.failed.pop(case["key"], None)
            if row:
                return max(0.0, float(row["minimum_s"]) - self.launch_s) / int(case["moved_bytes"])
        return 0.0

    def state(self) -> dict[str, Any]:
        """What a later session needs to go on: plain JSON."""
        return {
            "cases": self._key, "fingerprint": self.description["fingerprint"], "rows": self.rows,
            "failed": self.failed, "flags": self.flags, "launch_s": self.launch_s, "spent_s": self.spent_s,
            "layout_s_per_byte": self.layout_s_per_byte, "weight_s_per_byte": self.weight_s_per_byte,
        }  # fmt: skip

    @property
    def spent_s(self) -> float:
        """Seconds that this and the earlier sessions took."""
        return self._spent_s + self._clock() - self._begin

    def bundle(self) -> dict[str, Any]:
        """The result so far, as the package reads it."""
        rows = [self.rows[case["key"]] for case in self.cases if case["key"] in self.rows]
        content = {
            "format": BUNDLE_FORMAT, "device": self.description, "launch_overhead_s": self.launch_s,
            "layout_s_per_byte": self.layout_s_per_byte, "weight_s_per_byte": self.weight_s_per_byte, "rows": rows,
            "failed": list(self.failed.values()), "flags": self.flags, "energy": self.energy, "stopped": self.stopped,
            "cases": len(self.cases), "own_untimed": self._own_untimed(), "seconds": round(self.spent_s, 3),
            "measured_at": int(time.time()),
        }  # fmt: skip
        return {**content, "hash": content_hash(content)}

    def _own_untimed(self) -> int:
        """How many operators of the user's models the session ended before."""
        done = self.rows.keys() | self.failed.keys()
        return sum(1 for case in self.cases if case.get("from_model") and case["key"] not in done)

    def _first_round(self) -> None:
        for case in self.cases:
            if case["key"] in self.rows or case["key"] in self.failed:
                continue
            if not self._goes_on("measure"):
                break
            row = self._timed(case, warm=self._warm)
            if row:
                self._warm = True
                self.rows[case["key"]] = row
                self._since_watch.append(case["key"])
            if self._watched is None and len(self.rows) >= WATCH_AFTER:
                self._watch_first()
            if self._is_time_to_watch():
                self._watch()
            self._keep()
        if self._since_watch:
            self._watch()

    def _second_round(self) -> None:
        """Take flagged shapes again, those of the user's models first, and keep what is better; nothing is averaged."""
        self._take_again([case for case in self.cases if self._flags_of(case) - {"spikes"}])
        for _ in range(ROUNDS - 1):
            self._take_again([case for case in self.cases if "throttled" in self._flags_of(case)])

    def _flags_of(self, case: dict[str, Any]) -> set[str]:
        return set(self.rows[case["key"]]["flags"]) if case["key"] in self.rows else set()

    def _take_again(self, suspects: list[dict[str, Any]]) -> None:
        suspects = sorted(suspects, key=lambda case: not case.get("from_model"))
        was_throttled = any("throttled" in self._flags_of(case) for case in suspects)
        if self.stopped or "unstable" in self.flags or (was_throttled and not self._recovered()):
            return
        for case in suspects:
            if self.stopped or not self._goes_on("again"):
                return
            if self._was_slow and not self._recovered():
                return
            row = self._timed(case)
            old = self.rows[case["key"]]
            if not row:
                self.failed.pop(case["key"], None)
                continue
            row["attempts"] += old["attempts"]
            throttled = "throttled" in old["flags"]
            if throttled or _rank(row) < _rank(old):
                self.rows[case["key"]] = row
                self._since_watch.append(case["key"])
            if self._is_time_to_watch():
                self._watch()
            self._keep()
        if self._since_watch:
            self._watch()

    def _timed(self, case: dict[str, Any], warm: bool = True) -> dict[str, Any]:
        try:
            program = self.device.open(case)
            try:
                if not warm:
                    spent, begin = 0.0, self._clock()
                    while max(spent, self._clock() - begin) < self.rule.device_warm_up_s:
                        spent += sum(program.run(3))
                timing = measure(program.run, self.rule)
            finally:
                program.close()
        except Exception as error:  # a runtime refuses an operator in any way it likes
            self._end_if_dead(error)
            said = getattr(error, "message", "") or "{}: {}".format(type(error).__name__, error)
            self.failed[case["key"]] = {"key": case["key"], "facts": case["facts"], "why": str(said)[:500]}
            return {}
        return {"facts": case["facts"], "from_model": bool(case.get("from_model")), **timing.row()}

    # throttling

    def _watch_first(self) -> None:
        """Choose a shape that has been timed, of about a millisecond, to be timed again from time to time."""
        done = [case for case in self.cases if case["key"] in self.rows]
        chosen = min(done, key=lambda case: abs(math.log(self.rows[case["key"]]["median_s"] / WATCHED_S)))
        try:
            self._watched = self.device.open(chosen)
        except Exception as error:  # it worked before
            self._end_if_dead(error)
            return
        self._steady_s = self.rows[chosen["key"]]["minimum_s"]
        self._watch()

    def _watched_now(self) -> float | None:
        """Least seconds of the shape that is watched; None where the device no longer runs it."""
        try:
            return measure(self._watched.run, self.rule).minimum_s
        except Exception as error:  # as above
            self._end_if_dead(error)
            self._watched = None
            return None

    def _is_steady(self, now: float) -> bool:
        return self._steady_s / (1 + self.rule.drift) <= now <= self._steady_s * (1 + self.rule.drift)

    def _end_if_dead(self, error: Exception) -> None:
        code = str(getattr(error, "code", ""))
        if code in ("runtime_died", "runtime_timeout"):
            self.stopped = code

    def _is_time_to_watch(self) -> bool:
        long_ago = self._clock() - self._watched_at > self.rule.watch_every_s
        return bool(self._since_watch) and (long_ago or len(self._since_watch) >= self.rule.watch_every)

    def _watch(self) -> None:
        """Compare with the start; what was timed since the device was last seen as fast as then is flagged if not."""
        suspects, self._since_watch, self._watched_at = self._since_watch, [], self._clock()
        if self._watched is None or self.stopped.startswith("runtime_"):
            return
        now = self._watched_now()
        for _ in range(LOOKS - 1):  # a disturbance passes, a slower device stays
            if now is None or self._is_steady(now):
                break
            now = self._watched_now()
        if now is None:
            return
        ratio = now / max(self._steady_s, 1e-12)
        slow, self._was_slow = self._was_slow, ratio > 1 + self.rule.drift
        if not slow and 1 / (1 + self.rule.drift) <= ratio <= 1 + self.rule.drift:
            return
        for key in self.rows if ratio < 1 / (1 + self.rule.drift) else suspects:
            if "throttled" not in self.rows[key]["flags"]:
                self.rows[key]["flags"].append("throttled")
        if ratio < 1 / (1 + self.rule.drift):
            self._steady_s *= ratio  # what was taken for steady was slow already
        if "throttling" not in self.flags:
            self.flags.append("throttling")

    def _recovered(self) -> bool:
        """Let the device cool down, ``longest_cool_down_s`` in all; say whether it is as fast as at the start again."""
        while self._cooled_s <= self.rule.longest_cool_down_s:
            if not self._goes_on("cool_down"):
                return False
            self._sleep(self.rule.cool_down_s)
            self._cooled_s += max(self.rule.cool_down_s, 0.1)
            if self._watched is None:
                return True
            now = self._watched_now()
            if now is None:
                return False
            if now <= (1 + self.rule.drift) * self._steady_s:
                self._was_slow = False
                return True
        self.flags.append("unstable")
        return False

    # energy

    def _energies(self) -> None:
        """Power above idle for each class of operators: its heaviest shape runs for a window of a second or more."""
        idle = None if self.stopped else self._idle_w()
        if idle is None:
            return
        heaviest: dict[str, dict[str, Any]] = {}
        for case in self.cases:
            name = case["facts"]["op_class"]
            if case["key"] in self.rows and case["facts"]["flops"] >= heaviest.get(name, case)["facts"]["flops"]:
                heaviest[name] = case
        powers = {}
        for name, case in sorted(heaviest.items()):
            if not self._goes_on("energy"):
                break
            try:
                busy = self._busy_w(case)
            except Exception as error:  # as above
                self._end_if_dead(error)
                continue
            if busy is not None:
                powers[name] = max(0.0, busy - idle)
        self.energy = {"source": "measured" if powers else "", "idle_power_w": idle, "power_w": powers}

    def _idle_w(self) -> float | None:
        try:
            if self.device.joules() is None:
                return None
            return power_w(self.device.joules, lambda: self._sleep(0.05), self.rule.energy_window_s, self._clock)
        except Exception as error:  # what was timed is kept all the same
            self._end_if_dead(error)
            return None

    def _busy_w(self, case: dict[str, Any]) -> float | None:
        program = self.device.open(case)
        try:
            runs = max(1, int(0.05 / max(self.rows[case["key"]]["median_s"], 1e-9)))
            return power_w(self.device.joules, lambda: program.run(runs), self.rule.energy_window_s, self._clock)
        finally:
            program.close()

    # how far it is

    def _goes_on(self, phase: str) -> bool:
        if self.stopped:
            return False
        if self.spent_s >= self._budget_s:
            self.stopped = "budget"
        elif self._progress(len(self.rows) + len(self.failed), len(self.cases), phase) is False:
            self.stopped = "stopped"
        return not self.stopped

    def _keep(self) -> None:
        if self._save is not None and self._clock() - self._saved >= self._save_every_s:
            self._save(self.state())
            self._saved = self._clock()

    def _resume(self, state: dict[str, Any]) -> None:
        if state["cases"] != self._key or state["fingerprint"] != self.description["fingerprint"]:
            raise ValueError("the checkpoint is of other cases, another device or another version of its runtime")
        self.rows, self.failed, self.flags = dict(state["rows"]), dict(state["failed"]), list(state["flags"])
        self.launch_s, self._spent_s = float(state["launch_s"]), float(state["spent_s"])
        self.layout_s_per_byte = float(state.get("layout_s_per_byte", 0.0))
        self.weight_s_per_byte = float(state.get("weight_s_per_byte", 0.0))


def _rank(row: dict[str, Any]) -> tuple[int, float]:
    return len(row["flags"]), row["spread_s"] / max(row["median_s"], 1e-12)


def content_hash(content: dict[str, Any]) -> str:
    """SHA-256 over a bundle without its hash."""
    rest = {key: value for key, value in content.items() if key != "hash"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
