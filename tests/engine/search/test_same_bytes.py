"""The same seed gives the same bytes in every process, whatever its hash seed and its numbers of threads (R19)."""

import hashlib
import os
import subprocess
import sys

import pytest

import heteroopt as hopt
from heteroopt.graph.samples import bert_encoder_onnx
from heteroopt.search.search import Search


def digests() -> list[str]:
    """Hashes of a front, of the plan file, of a search stopped and resumed, and of one that inherits the front."""
    graph = hopt.Graph.from_onnx(bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=16))
    pool = hopt.load_sample_pool("workstation")
    options = {"population_size": 16, "generations": 12}
    scheduler = hopt.Scheduler(graph, pool, **options)
    result = scheduler.run(seed=5)
    search = Search(scheduler.problem, result.settings)
    for _ in range(5):
        search.step()
    state = search.checkpoint()
    resumed = Search.resume(scheduler.problem, None, state)
    while not resumed.finished:
        resumed.step()
    warm = hopt.Scheduler(graph, pool, **options, warm_start=result).run(seed=5)
    contents = [
        result.front.to_bytes(),
        result.select().to_json().encode(),
        state,
        resumed.checkpoint(),
        warm.front.to_bytes(),
        pool.content_hash.encode(),
        graph.content_hash.encode(),
        scheduler.costs.content_hash.encode(),
    ]
    return [hashlib.sha256(content).hexdigest() for content in contents]


@pytest.mark.parametrize(("hash_seed", "threads"), [("0", "1"), ("4711", "3")])
def test_another_process_gives_the_same_bytes(hash_seed, threads):
    names = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    done = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, **dict.fromkeys(names, threads), "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == digests()


if __name__ == "__main__":
    print(*digests())
