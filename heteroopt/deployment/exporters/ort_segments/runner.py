"""Runs a plan's segments on their devices, several items at a time: needs numpy, onnxruntime and this folder.

    python runner.py --items 32                 # made-up inputs; prints latency, throughput and each segment's time
    python runner.py --inputs in.npz --outputs out.npz

    from runner import Plan
    with Plan(".") as plan:
        outputs = plan.run({"input": array})    # one item
        for outputs in plan.stream(items):      # many, in their order, several in flight

Each device has a thread of its own, which takes the oldest item's next segment. `plan.json` says what runs where; a
device's entry ("runtime", "provider", "options", "threads", "cpus") may be changed there, or given to `Plan(devices=)`.
"""

import argparse
import collections
import ctypes
import json
import os
import queue
import sys
import threading
import time
import zipfile

import numpy as np


class PlanRefused(Exception):
    """The plan cannot run here; says why and what to do."""


def threads_of(device):
    """As many as stated, else one for each of the device's own cores; 0 leaves it to the runtime.

    Left to itself, ONNX Runtime starts a thread for each core of the machine and puts it there, outside of `cpus` too.
    """
    return int(device.get("threads") or len(device.get("cpus") or ()))


def stay_on(device):
    """Keep this thread, and those that it starts, on the device's cores."""
    if device.get("cpus") and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, device["cpus"])


NUMBERS = {"float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"}
IN_NUMPY = {"tensor(%s)" % name for name in NUMBERS | {"float", "double", "string"}}
IN_NUMPY |= {"seq(%s)" % name for name in IN_NUMPY}


def in_numpy(value):
    """A value of ONNX Runtime's own as an array: bfloat16 as float32, which holds it exactly."""
    if not hasattr(value, "data_type"):
        return value
    if value.data_type() != "tensor(bfloat16)":
        return value.numpy()
    size = int(np.prod(value.shape(), dtype=np.int64))
    raw = (ctypes.c_uint16 * size).from_address(value.data_ptr()) if size else ()
    return (np.array(raw, np.uint32) << 16).view(np.float32).reshape(value.shape())


class OrtSegment:
    """A segment in ONNX Runtime. `kept`: outputs that others read (all: None); what numpy has no type for, such as
    bfloat16, goes from one to the next as ONNX Runtime's own value.
    """

    def __init__(self, path, device, kept=None):
        import onnxruntime as ort

        provider = device.get("provider", "CPUExecutionProvider")
        if provider not in ort.get_available_providers():
            raise PlanRefused(
                "Device %s needs %s, which this onnxruntime does not have (it has %s). Install the onnxruntime build "
                "for it, or set another provider for the device in plan.json."
                % (device["name"], provider, ", ".join(ort.get_available_providers()))
            )
        options = ort.SessionOptions()
        options.log_severity_level = 3
        if threads_of(device):
            options.intra_op_num_threads = threads_of(device)
            options.inter_op_num_threads = 1
        # Work that is done must not keep cores busy that the next segment needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        providers = [(provider, {k: str(v) for k, v in device.get("options", {}).items()})]
        if provider != "CPUExecutionProvider":
            providers.append("CPUExecutionProvider")
        self.session = ort.InferenceSession(path, options, providers=providers)
        self.outputs = [o.name for o in self.session.get_outputs()]
        self.kinds = {o.name: o.type for o in self.session.get_outputs()}
        self.plain = all(kind in IN_NUMPY for name, kind in self.kinds.items() if kept is None or name in kept)
        self.value = ort.OrtValue.ortvalue_from_numpy

    def run(self, feeds):
        if self.plain:
            return dict(zip(self.outputs, self.session.run(None, feeds)))
        for name, value in feeds.items():
            if isinstance(value, list):
                raise PlanRefused(
                    "%s is a sequence, which cannot be handed to a segment that gives bfloat16 or the like. Plan what "
                    "makes and reads it on one device." % name
                )
            feeds[name] = value if hasattr(value, "data_type") else self.value(np.asarray(value))
        made = zip(self.outputs, self.session.run_with_ort_values(self.outputs, feeds))
        return {name: value.numpy() if self.kinds[name] in IN_NUMPY else value for name, value in made}


class OpenVinoSegment:
    """A segment in OpenVINO, for devices whose runtime is "openvino"."""

    def __init__(self, path, device, kept=None):
        try:
            import openvino
        except ImportError:
            raise PlanRefused("Device %s needs the package openvino: pip install openvino." % device["name"])
        settings = {"INFERENCE_PRECISION_HINT": "f32"}
        if threads_of(device):
            settings["INFERENCE_NUM_THREADS"] = threads_of(device)
        if device.get("cpus") and device.get("provider", "CPU") == "CPU":
            settings["ENABLE_CPU_PINNING"] = False  # it would put this thread on cores of its own choice
        settings.update(device.get("options", {}))
        model = openvino.Core().compile_model(path, device.get("provider", "CPU"), settings)
        self.request = model.create_infer_request()
        self.names = [(port, sorted(port.names)) for port in model.outputs]

    def run(self, feeds):
        for name, value in feeds.items():
            if hasattr(value, "data_type"):
                raise PlanRefused(
                    "%s is a %s, which cannot be handed to OpenVINO. Let ONNX Runtime run this device too, or plan "
                    "what makes and reads it on one device." % (name, value.data_type())
                )
        found = self.request.infer(feeds)
        return {name: np.array(found[port]) for port, names in self.names for name in names}


RUNTIMES = {"onnxruntime": OrtSegment, "openvino": OpenVinoSegment}


LOGGED = 100_000


class Item:
    """One set of inputs on its way through the segments."""

    def __init__(self, number, values, waiting, readers):
        self.number, self.values, self.waiting, self.readers = number, values, waiting, readers
        self.left, self.error, self.done = len(waiting), None, threading.Event()
        self.started = time.perf_counter()
        self.finished = None


class Plan:
    """The segments, loaded on their devices. `in_flight`: items that are worked on at once, at most.

    `log` holds (item, segment, begin, end) in seconds of `time.perf_counter` of the newest `LOGGED` segments that ran.
    """

    def __init__(self, folder=".", in_flight=4, devices=None):
        with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
            self.plan = json.load(file)
        if self.plan.get("format") != "heteroopt-ort-segments" or self.plan.get("format_version") != 1:
            raise PlanRefused("plan.json is not of a version that this runner reads; use the runner beside it.")
        self.segments = self.plan["segments"]
        self.devices = {d["name"]: dict(d, **(devices or {}).get(d["name"], {})) for d in self.plan["devices"]}
        self.log = collections.deque(maxlen=LOGGED)
        self._in_flight = max(1, in_flight)
        self._room = threading.BoundedSemaphore(self._in_flight)
        self._closed = False
        self._lock = threading.Lock()
        self._number = 0
        self._next = [[] for _ in self.segments]
        self._readers = {}
        maker = {name: s["index"] for s in self.segments for name in s["outputs"]}
        self._waiting = []
        for s in self.segments:
            before = {maker[name] for name in s["inputs"] if name in maker}
            self._waiting.append(len(before))
            for index in before:
                self._next[index].append(s["index"])
            for name in s["inputs"]:
                self._readers[name] = self._readers.get(name, 0) + 1
        for name in self.plan["outputs"]:
            self._readers[name] = self._readers.get(name, 0) + 1
        self._queues = {name: queue.PriorityQueue() for name in self.devices}
        self._threads, loaded, failed = [], threading.Semaphore(0), []
        for device in self.devices.values():
            thread = threading.Thread(target=self._serve, args=(folder, device, loaded, failed), daemon=True)
            thread.start()
            self._threads.append(thread)
        for _ in self._threads:
            loaded.acquire()
        if failed:
            self.close()
            raise failed[0]

    def run(self, inputs):
        """The outputs by name of one item; raises what the first failing segment raised."""
        return self._finish(self.submit(inputs))

    def stream(self, items):
        """The outputs of each item, in their order; of the items only those in flight are taken ahead."""
        started = []
        for inputs in items:
            while started and started[0].done.is_set():
                yield self._finish(started.pop(0))
            started.append(self.submit(inputs))
        for item in started:
            yield self._finish(item)

    def submit(self, inputs):
        """Start one item as soon as there is room for it."""
        missing = [name for name in self.plan["inputs"] if name not in inputs]
        unknown = [name for name in inputs if name not in self.plan["inputs"]]
        if missing or unknown:
            raise PlanRefused(
                "The model's inputs are %s; %s." % (
                    ", ".join(self.plan["inputs"]),
                    "missing: " + ", ".join(missing) if missing else "unknown: " + ", ".join(unknown),
                )
            )  # fmt: skip
        self._room.acquire()
        if self._closed:
            self._room.release()
            raise PlanRefused("The plan is closed; open it again with Plan(folder).")
        with self._lock:
            item = Item(self._number, dict(inputs), list(self._waiting), dict(self._readers))
            self._number += 1
        for segment in self.segments:
            if self._waiting[segment["index"]] == 0:
                self._queues[segment["device"]].put((item.number, segment["index"], item))
        return item

    def _finish(self, item):
        item.done.wait()
        if item.error is not None:
            raise item.error
        return {name: in_numpy(item.values[name]) for name in self.plan["outputs"]}

    def _serve(self, folder, device, loaded, failed):
        """The thread of one device: loads its segments, then runs what is ready, the oldest item first."""
        sessions = {}
        kept = {name for s in self.segments for name in s["inputs"]} | set(self.plan["outputs"])
        try:
            stay_on(device)
            kind = RUNTIMES.get(device.get("runtime", "onnxruntime"))
            if kind is None:
                raise PlanRefused("Device %s has the unknown runtime %r." % (device["name"], device.get("runtime")))
            for s in self.segments:
                if s["device"] == device["name"]:
                    sessions[s["index"]] = self._load(kind, s, os.path.join(folder, s["file"]), device, kept)
        except Exception as error:  # reported by the constructor
            failed.append(error)
            return
        finally:
            loaded.release()
        while True:
            _, index, item = self._queues[device["name"]].get()
            if item is None:
                return
            if item.error is None:
                self._run(sessions[index], self.segments[index], item)

    def _load(self, kind, segment, path, device, kept):
        try:
            return kind(path, device, kept)
        except PlanRefused:
            raise
        except Exception as error:
            raise PlanRefused(
                "Segment %d (%s) cannot be loaded on device %s by %s: %s"
                % (segment["index"], segment["file"], device["name"], device.get("runtime", "onnxruntime"), error)
            )

    def _run(self, session, segment, item):
        try:
            begin = time.perf_counter()
            made = session.run({name: item.values[name] for name in segment["inputs"]})
            self.log.append((item.number, segment["index"], begin, time.perf_counter()))
        except Exception as error:
            with self._lock:
                first = item.error is None
                item.error = item.error or RuntimeError(
                    "Segment %d (%s) failed on device %s: %s"
                    % (segment["index"], segment["file"], segment["device"], error)
                )
            if first:
                self._end(item)
            return
        ready = []
        with self._lock:
            for name in segment["outputs"]:
                if item.readers.get(name):
                    item.values[name] = made[name]
            for name in segment["inputs"]:
                item.readers[name] -= 1
                if not item.readers[name]:
                    del item.values[name]
            item.left -= 1
            ended = item.left == 0 and item.error is None
            for index in self._next[segment["index"]]:
                item.waiting[index] -= 1
                if item.waiting[index] == 0:
                    ready.append(index)
        for index in ready:
            self._queues[self.segments[index]["device"]].put((item.number, index, item))
        if ended:
            self._end(item)

    def _end(self, item):
        item.finished = time.perf_counter()
        item.done.set()
        self._room.release()

    def close(self):
        """Let the devices go; items in flight are finished first."""
        if self._closed:
            return
        for _ in range(self._in_flight):
            self._room.acquire()
        self._closed = True
        for _ in range(self._in_flight):
            self._room.release()
        for number, name in enumerate(self._queues):
            self._queues[name].put((sys.maxsize, number, None))
        for thread in self._threads:
            thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def made_up(plan, seed=0):
    """Inputs of the planned types and sizes: normal numbers, and 0 or 1 for integers and flags."""
    random = np.random.RandomState(seed)
    found = {}
    for name in plan["inputs"]:
        entry = plan["tensors"].get(name, {"shape": (), "dtype": "unknown"})
        if entry["dtype"] not in NUMBERS | {"float32", "float64"}:
            raise PlanRefused(
                "No input can be made up for %s, which is of type %s. Give it: --inputs, or Plan.run."
                % (name, entry["dtype"])
            )
        shape, kind = entry["shape"], np.dtype(entry["dtype"])
        if kind.kind == "f":
            found[name] = random.standard_normal(shape).astype(kind)
        else:
            found[name] = random.randint(0, 2, shape).astype(kind)
    return found


def in_parts(name, value):
    """(name, array) of an output; of a sequence one for each element, of a map its keys and its values."""
    if isinstance(value, dict):
        yield from in_parts(name + "/keys", list(value))
        yield from in_parts(name + "/values", list(value.values()))
    elif isinstance(value, list) and any(isinstance(one, (list, dict, np.ndarray)) for one in value):
        for number, one in enumerate(value):
            yield from in_parts("%s/%d" % (name, number), one)
    elif value is not None:
        array = np.asarray(value)
        yield name, array.astype(str) if array.dtype == object else array


def save(path, outputs):
    """Write an .npz that `np.load` reads; by name of each array what it is called there.

    It keeps its name, or is called `output_N` where that would be no path inside an archive, or numpy's own.
    """
    arrays = dict(part for name, value in outputs.items() for part in in_parts(name, value))
    parts = {name: name.split("/") for name in arrays}
    plain = [
        name
        for name in arrays
        if name.isprintable() and len(name) <= 200 and not set(name) & set("\\:") and not name.endswith(".npy")
        and not {"", ".", ".."}.intersection(parts[name])
    ]  # fmt: skip
    keys = {name: name for name in plain}
    for number, name in enumerate(arrays):
        key = "output_%d" % number
        while name not in keys and key in plain:
            key += "_"
        keys.setdefault(name, key)
    with zipfile.ZipFile(path if path.endswith(".npz") else path + ".npz", "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(keys[name] + ".npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return keys


def main():
    """Run items and print what they took."""
    parser = argparse.ArgumentParser(description="Run a plan's segments on their devices.")
    parser.add_argument("--folder", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--items", type=int, default=16)
    parser.add_argument("--in-flight", type=int, default=4)
    parser.add_argument("--inputs", help=".npz of the model's inputs")
    parser.add_argument("--outputs", help=".npz to write the last item's outputs to")
    parser.add_argument("--devices", help="JSON object: settings by device name that replace those of plan.json")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with Plan(options.folder, options.in_flight, json.loads(options.devices or "{}")) as plan:
        inputs = dict(np.load(options.inputs)) if options.inputs else made_up(plan.plan)
        outputs = plan.run(inputs)
        plan.log.clear()
        latencies = []
        for _ in range(max(1, options.items)):
            begin = time.perf_counter()
            outputs = plan.run(inputs)
            latencies.append(time.perf_counter() - begin)
        alone = list(plan.log)
        begin = time.perf_counter()
        for streamed in plan.stream(inputs for _ in range(max(1, options.items))):
            outputs = streamed
        seconds = time.perf_counter() - begin
        times = [[b - a for _, index, a, b in alone if index == s["index"]] for s in plan.segments]
        report = {
            "latency_ms": 1e3 * float(np.median(latencies)),
            "throughput_per_s": max(1, options.items) / seconds,
            "segments_ms": [1e3 * float(np.median(rows)) for rows in times],
        }
        if options.outputs:
            report["outputs"] = save(options.outputs, outputs)
    if options.json:
        print(json.dumps(report))
        return
    print("latency %.3f ms, throughput %.1f items/s" % (report["latency_ms"], report["throughput_per_s"]))
    for name, key in report.get("outputs", {}).items():
        if key != name:
            print("  output %r is called %s in the file" % (name, key))
    for segment, ms in zip(plan.segments, report["segments_ms"]):
        print("  segment %d on %s: %.3f ms" % (segment["index"], segment["device"], ms))


if __name__ == "__main__":
    try:
        main()
    except PlanRefused as refusal:
        sys.exit(str(refusal))
