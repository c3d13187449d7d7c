"""The child of :mod:`heteroopt.search.archipelago`: reads epochs from standard input until it ends, and runs them."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from dataclasses import replace

from heteroopt.errors import HeteroOptError
from heteroopt.search.islands import emigrants, run_epoch, start_epoch


def main() -> None:
    """Serve the parent, which alone is told of an interruption; standard output is for answers only."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = sys.stdin.buffer
    problem, settings, warm_start = pickle.load(requests)
    # Made anew, so that its arrays are read-only again: the kernels are compiled for such ones.
    problem = replace(problem)
    while True:
        try:
            island, state, immigrants, until = pickle.load(requests)
        except EOFError:
            return
        try:
            search = start_epoch(problem, settings, island, state, immigrants, warm_start)
            run_epoch(search, until)
            answer: object = search.checkpoint(), emigrants(search)
        except HeteroOptError as error:
            answer = error.to_dict()
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
