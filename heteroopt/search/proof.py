"""How far a plan can be from the fastest possible: CP-SAT on a relaxed model, with bound and gap as they close.

First the sections between operators that everything passes are bounded one by one, then the whole graph.

Needs the extra "proof" (ortools), which is imported when a proof runs and not before.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import HeteroOptError, PlanError
from heteroopt.search.proof_model import ProofModel, Sections, build, distances, order_of
from heteroopt.search.proof_sections import SectionChain
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.lower_bound import makespan_lower_bound_ps
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.schedule import Schedule

Genes = NDArray[np.integer[Any]]

MOST_OPERATORS = 250
OPTIMAL_GAP = 1e-4
"""A plan within this share of the bound counts as optimal: it is what rounding to steps may leave."""
STATUSES = ("running", "optimal", "feasible", "stopped", "limit")
"""``optimal``: the plan meets the bound. ``feasible``: the relaxed model is solved, and what is left of the gap lies in
what it leaves out; more time changes nothing. ``limit``: the time is over. ``stopped``: by the caller."""

_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class ProofState:
    """``bound_ps``: no legal plan can be faster. ``time_ps``: makespan of the plan that is compared with it."""

    status: str
    time_ps: int
    bound_ps: int
    seconds: float

    @property
    def gap(self) -> float:
        """Share by which a faster plan could beat this one at most; 0 for a plan that takes no time."""
        return (self.time_ps - self.bound_ps) / self.bound_ps if self.bound_ps > 0 else float(self.time_ps > 0)


def proof_available() -> bool:
    """Whether ortools is installed."""
    return find_spec("ortools") is not None


def check_provable(n_operators: int) -> None:
    """Raise ``HeteroOptError`` ``proof_unavailable`` without ortools, ``PlanError`` ``proof_too_large`` above 250."""
    if n_operators > MOST_OPERATORS:
        raise PlanError(
            "proof_too_large",
            f"Proofs are for at most {MOST_OPERATORS} operators; this plan has {n_operators}.",
            hint="The lower bound of the front holds at any size. Fusion leaves fewer operators.",
            n_operators=n_operators,
            limit=MOST_OPERATORS,
        )
    if not proof_available():
        raise HeteroOptError(
            "proof_unavailable",
            "Proofs need the package ortools, which is not installed.",
            hint="Install it with `./run setup --with proof`, or `pip install heteroopt[proof]`.",
            extra="proof",
        )


class Proof:
    """A lower bound of the makespan of every legal plan, and how far the plan given is from it.

    ``order``, ``device`` int[n]: the best plan known, from which CP-SAT starts. Raises as :func:`check_provable`, and
    ``PlanError`` for a plan that is not legal.

    With one worker and the same version of ortools, the bounds come in the same order in every run; which of them is
    the last before ``limit_s`` depends on the machine, unless ``limit_work`` ends the run first.
    """

    def __init__(self, problem: Problem, order: Genes, device: Genes) -> None:
        check_provable(problem.n_operators)
        self.problem = problem
        self._cp_model: Any = importlib.import_module("ortools.sat.python.cp_model")
        self._best = decode_one(problem, np.asarray(order, np.int32), np.asarray(device, np.int32))
        self._bound_ps = min(makespan_lower_bound_ps(problem), self._best.makespan_ps)
        self._status = "running"
        self._seconds = 0.0
        self._found: tuple[list[int], list[int]] | None = None
        self._lock = threading.Lock()

    @property
    def state(self) -> ProofState:
        """Bound and gap now."""
        with self._lock:
            return ProofState(self._status, self._best.makespan_ps, self._bound_ps, self._seconds)

    def run(
        self,
        limit_s: float = 90.0,
        workers: int = 1,
        on_progress: Callable[[ProofState], bool | None] | None = None,
        *,
        seed: int = 1,
        limit_work: float | None = None,
    ) -> ProofState:
        """Raise the bound until it meets the plan, the time is over or ``on_progress`` returns ``False``.

        ``on_progress`` is called about ten times a second in the caller's thread. ``limit_work`` is CP-SAT's own count
        of work (about seconds), which makes the result of one worker the same on every machine.
        """
        begin = time.monotonic()
        if self._closed():
            return self._end("optimal", begin)
        distance = distances(self.problem)
        sections = self._sections(distance, limit_s, seed, limit_work, begin, on_progress)
        if sections is None:
            return self._end("stopped", begin)
        if self._closed():
            return self._end("optimal", begin)
        limit_s = max(0.0, limit_s - (time.monotonic() - begin))
        built = build(self._cp_model, self.problem, self._best, self._bound_ps, distance, sections)
        solver = self._solver(built, limit_s, workers, seed, limit_work)
        answer: list[Any] = []
        watcher = self._watcher(built)
        # A thread whose ``join`` is interrupted counts as ended for Python 3.11, so this says whether it has.
        ended = threading.Event()

        def solve() -> None:
            try:
                answer.append(solver.solve(built.model, watcher))
            finally:
                ended.set()

        worker = threading.Thread(target=solve, name="proof", daemon=True)
        worker.start()
        stopped = False
        try:
            while not ended.wait(_POLL_S):
                with self._lock:
                    self._seconds = time.monotonic() - begin
                stopped = stopped or (on_progress is not None and on_progress(self.state) is False)
                if stopped or self._closed():
                    solver.stop_search()
        finally:
            while not ended.is_set():
                solver.stop_search()
                ended.wait(_POLL_S)
            worker.join()
        if not answer or answer[0] in (self._cp_model.INFEASIBLE, self._cp_model.MODEL_INVALID):
            raise HeteroOptError("proof_failed", "The solver ended without an answer.")
        self._raise_bound(built, solver.best_objective_bound)
        if self._closed():
            return self._end("optimal", begin)
        if answer[0] == self._cp_model.OPTIMAL:
            return self._end("feasible", begin)
        return self._end("stopped" if stopped else "limit", begin)

    def solver_plan(self) -> Schedule | None:
        """CP-SAT's last plan as the decoder runs it, faster or not; ``None`` where it has found none.

        CP-SAT's makespan is one of the relaxed model; only what the decoder says counts.
        """
        with self._lock:
            found = self._found
        if found is None:
            return None
        start, device = np.array(found[0], np.int64), np.array(found[1], np.int32)
        return decode_one(self.problem, order_of(self.problem, start), device)

    def plan(self) -> Schedule:
        """The fastest plan that is known: the one given, or CP-SAT's last one if that decodes to less."""
        other = self.solver_plan()
        if other is None:
            return self._best
        better = (other.overflow_bytes, other.makespan_ps) < (self._best.overflow_bytes, self._best.makespan_ps)
        return other if better else self._best

    def _sections(
        self,
        distance: NDArray[np.int64],
        limit_s: float,
        seed: int,
        limit_work: float | None,
        begin: float,
        on_progress: Callable[[ProofState], bool | None] | None,
    ) -> Sections | None:
        """Bound the sections between gates one by one, and with them the whole; ``None`` if told to stop.

        What does not fit into half of the time stays unbounded, which is valid too.
        """
        chain = SectionChain(self._cp_model, self.problem, self._best, distance, seed)
        work = None if limit_work is None else limit_work / 2
        while chain.step(limit_s / 2 - (time.monotonic() - begin), work):
            with self._lock:
                self._seconds = time.monotonic() - begin
            if on_progress is not None and on_progress(self.state) is False:
                return None
        with self._lock:
            self._bound_ps = max(self._bound_ps, min(chain.bound_ps, self._best.makespan_ps))
        return chain.sections

    def _solver(self, built: ProofModel, limit_s: float, workers: int, seed: int, limit_work: float | None) -> Any:
        solver = self._cp_model.CpSolver()
        parameters = solver.parameters
        parameters.max_time_in_seconds = float(limit_s)
        parameters.num_workers = int(workers)
        parameters.random_seed = int(seed)
        parameters.catch_sigint_signal = False  # Ctrl-C is for the caller: the solver's own handler swallows it.
        if limit_work is not None:
            parameters.max_deterministic_time = float(limit_work)
        solver.best_bound_callback = lambda bound: self._raise_bound(built, bound)
        return solver

    def _watcher(self, built: ProofModel) -> Any:
        proof = self

        class Watcher(self._cp_model.CpSolverSolutionCallback):  # type: ignore[misc, name-defined]
            """Keeps the last solution."""

            def on_solution_callback(self) -> None:
                operators = range(len(built.start))
                start = [int(self.value(built.start[i])) for i in operators]
                device = [
                    next(d for d, literal in built.chosen[i].items() if self.boolean_value(literal)) for i in operators
                ]
                with proof._lock:
                    proof._found = (start, device)

        return Watcher()

    def _raise_bound(self, built: ProofModel, steps: float) -> None:
        """Whole steps: an integer objective cannot lie between two of them."""
        if not np.isfinite(steps):
            return
        bound = int(np.ceil(steps - 1e-6)) * built.step_ps
        with self._lock:
            self._bound_ps = max(self._bound_ps, min(bound, self._best.makespan_ps))

    def _closed(self) -> bool:
        with self._lock:
            return self._best.makespan_ps <= self._bound_ps * (1 + OPTIMAL_GAP)

    def _end(self, status: str, begin: float) -> ProofState:
        with self._lock:
            self._status, self._seconds = status, time.monotonic() - begin
        return self.state
