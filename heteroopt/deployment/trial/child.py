"""The process of a trial run: runs an exported folder and the whole model on the same inputs; knows nothing of us.

    python child.py FOLDER MODEL RESULT.npz ITEMS IN_FLIGHT SEED

What it measured is one line of JSON on standard output. Outputs go to RESULT.npz, as ``v0``, ``v1`` and so on, because
names of tensors may be anything; ``values`` of the line says which is ``whole:NAME`` and which ``plan:NAME``.
"""

import gc
import importlib
import json
import os
import sys
import threading
import time

import numpy as np

STATM = open("/proc/self/statm", "rb", buffering=0)  # noqa: SIM115  (before the process may open nothing more)


def end_with_parent():
    """Whoever started this process holds the other end of its standard input, and lets go of it however it ends."""

    def wait():
        while os.read(0, 4096):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def resident_bytes():
    """Memory of this process."""
    return int(os.pread(STATM.fileno(), 200, 0).split()[1]) * os.sysconf("SC_PAGE_SIZE")


def plain(value):
    """An array of numbers or texts: of a sequence or a map all elements one after the other, of no value none."""
    if value is None:
        return np.zeros(0)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return np.concatenate([np.ravel(plain(one)) for one in value]) if value else np.zeros(0)
    value = np.asarray(value)
    return value.astype(str) if value.dtype == object else value


def run_whole(runner, path, inputs, repeats):
    """Outputs and median seconds of the model in one piece."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    kinds = {output.name: output.type for output in session.get_outputs()}
    plain = [name for name, kind in kinds.items() if kind in runner.IN_NUMPY]
    others = [name for name in kinds if name not in plain]
    found, seconds = dict(zip(plain, session.run(plain, inputs))) if plain else {}, []
    held = {name: ort.OrtValue.ortvalue_from_numpy(value) for name, value in inputs.items()} if others else {}
    if others:
        found.update(zip(others, map(runner.in_numpy, session.run_with_ort_values(others, held))))
    for _ in range(repeats):
        begin = time.perf_counter()
        session.run_with_ort_values(others, held) if others else session.run(None, inputs)
        seconds.append(time.perf_counter() - begin)
    return {name: found[name] for name in kinds}, float(np.median(seconds))


def memory_of_segments(runner, folder, document, inputs):
    """Bytes that each segment adds when it is loaded and run once, in the order of the segments."""
    devices = {device["name"]: device for device in document["devices"]}
    values, found = dict(inputs), []
    for segment in document["segments"]:
        device = devices[segment["device"]]
        gc.collect()
        before = resident_bytes()
        loaded = runner.RUNTIMES[device["runtime"]](os.path.join(folder, segment["file"]), device)
        values.update(loaded.run({name: values[name] for name in segment["inputs"]}))
        found.append(max(0, resident_bytes() - before))
    return found


def measure(folder, model, items, in_flight, seed, told=lambda done, total, phase: None):
    """Figures, and the outputs as ``whole:NAME`` and ``plan:NAME``. ``told`` hears how far it is: it may raise."""
    total = 2 * items + 2
    told(0, total, "segments")
    sys.path.insert(0, folder)
    runner = importlib.import_module("runner")

    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
        document = json.load(file)
    inputs = runner.made_up(document, seed)
    memory = memory_of_segments(runner, folder, document, inputs)
    told(1, total, "whole")
    whole, whole_s = run_whole(runner, model, inputs, items)
    told(2, total, "alone")
    with runner.Plan(folder, in_flight) as plan:
        outputs = plan.run(inputs)
        plan.log.clear()
        latencies = []
        for done in range(items):
            begin = time.perf_counter()
            plan.run(inputs)
            latencies.append(time.perf_counter() - begin)
            told(3 + done, total, "alone")
        alone = list(plan.log)
        begin = time.perf_counter()
        for done, _ in enumerate(plan.stream(inputs for _ in range(items))):
            told(3 + items + done, total, "in_flight")
        seconds = time.perf_counter() - begin
    starts = {}
    for item, _, start, _ in alone:
        starts[item] = min(start, starts.get(item, start))
    times, begins = [], []
    for segment in document["segments"]:
        rows = [row for row in alone if row[1] == segment["index"]]
        times.append(float(np.median([end - start for _, _, start, end in rows])))
        begins.append(float(np.median([start - starts[item] for item, _, start, _ in rows])))
    measured = {
        "latency_s": float(np.median(latencies)),
        "throughput_per_s": items / seconds,
        "whole_s": whole_s,
        "segments_s": times,
        "starts_s": begins,
        "memory_bytes": memory,
    }
    values = {"whole:" + name: plain(value) for name, value in whole.items()}
    values.update({"plan:" + name: plain(value) for name, value in outputs.items()})
    return measured, values


def main(folder, model, result, items, in_flight, seed):
    """Measure and print."""
    measured, values = measure(folder, model, items, in_flight, seed)
    np.savez(result, **{"v%d" % number: value for number, value in enumerate(values.values())})
    print(json.dumps(dict(measured, values=list(values))))


if __name__ == "__main__":
    end_with_parent()
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6]))
    except Exception as error:
        sys.exit("%s: %s" % (type(error).__name__, error))
