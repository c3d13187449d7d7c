"""The benchmark of published workloads on own small files: what it reports can be recomputed."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.published import device_loads, parse_workload, read_workload
from benchmarks.published_blocks import color_blocks, contiguity_blocks
from benchmarks.workloads import main, plan, to_problem
from heteroopt.search.bottleneck.contiguous import Effort
from heteroopt.simulation.decoder import decode_batch


def document(times, edges, *, accelerators=2, capacity=10.0, slowdown=10.0, **columns):
    """Nodes 0, 1, ... by accelerator time; edges (source, target, cost); columns by name override the defaults."""
    nodes = [
        {"id": k, "cpuLatency": slowdown * time, "fpgaLatency": time, "supportedOnFpga": 1, "size": 1.0,
         "isBackwardNode": 0, **{name: values[k] for name, values in columns.items() if values[k] is not None}}
        for k, time in enumerate(times)
    ]  # fmt: skip
    links = [{"sourceId": a, "destId": b, "cost": cost} for a, b, cost in edges]
    return {"maxFPGAs": accelerators, "maxCPUs": 1, "maxSizePerFPGA": capacity, "nodes": nodes, "edges": links}


CHAIN = document([4.0, 3.0, 2.0, 5.0], [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])


def test_loads_by_hand():
    """Node 0's output is written once and read once by each of two accelerators; the CPU does not pay."""
    fan = parse_workload(document([4.0, 3.0, 2.0, 5.0], [(0, k, 1.5) for k in (1, 2, 3)], accelerators=3), "fan")
    on = ["accelerator0", "accelerator1", "accelerator1", "accelerator2"]
    loads = device_loads(fan, dict(enumerate(on)))
    assert loads == {"accelerator0": 5.5, "accelerator1": 6.5, "accelerator2": 6.5, "cpu0": 0.0}
    loads = device_loads(fan, dict(enumerate(["cpu0", "accelerator1", "accelerator1", "cpu0"])))
    assert loads == {"accelerator0": 0.0, "accelerator1": 6.5, "accelerator2": 0.0, "cpu0": 90.0}


@pytest.mark.parametrize(
    ("change", "placement", "message"),
    [
        ({}, ["cpu0", "cpu0", "cpu0"], "Node 3 is on None"),
        ({}, ["cpu1"] * 4, "Node 0 is on 'cpu1'"),
        ({"supportedOnFpga": [1, 0, 1, 1]}, ["accelerator0"] * 4, "Node 1 cannot"),
        ({"colorClass": [None, 7, 8, 7]}, ["cpu0", "cpu0", "cpu0", "accelerator1"], "Colour class 7"),
        ({"size": [1.0, 1.0, 9.0, 0.0]}, ["accelerator0"] * 4, "11 of 10 bytes"),
    ],
)
def test_placements_that_are_not_allowed(change, placement, message):
    workload = parse_workload(document([4.0, 3.0, 2.0, 5.0], [(0, 1, 1.0)], **change), "file")
    with pytest.raises(ValueError, match=message):
        device_loads(workload, dict(enumerate(placement)))


@pytest.mark.parametrize(
    "wrong",
    [
        {**CHAIN, "nodes": CHAIN["nodes"] + CHAIN["nodes"][:1]},
        {**CHAIN, "edges": [{"sourceId": 0, "destId": 9, "cost": 1.0}]},
        {**CHAIN, "edges": [{"sourceId": 0, "destId": k, "cost": float(k)} for k in (1, 2)]},
        {**CHAIN, "maxSizePerFPGA": float("nan")},
        {**CHAIN, "nodes": [], "edges": []},
        {**CHAIN, "edges": [*CHAIN["edges"], {"sourceId": 3, "destId": 1, "cost": 0.0}]},
        {**CHAIN, "maxFPGAs": -1},
        {**CHAIN, "maxFPGAs": 0, "maxCPUs": 0},
        {"nodes": CHAIN["nodes"], "edges": []},
        {**CHAIN, "nodes": "abc"},
        [1],
    ],
)
def test_files_that_are_wrong(wrong, tmp_path):
    path = tmp_path / "file.json"
    path.write_text(json.dumps(wrong))
    with pytest.raises(ValueError, match=r"file\.json|finite number"):
        read_workload(path)


def test_a_file_that_cannot_be_planned_ends_the_command_and_keeps_what_came_before(tmp_path, monkeypatch):
    good, bad, out = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "out.json"
    good.write_text(json.dumps(CHAIN))
    bad.write_text("hello")
    monkeypatch.setattr("sys.argv", ["workloads", str(good), str(bad), "--json", str(out), "--moves", "100"])
    with pytest.raises(SystemExit, match=r"bad\.json was not planned, nor what follows it: .*not JSON"):
        main()
    assert [row["file"] for row in json.loads(out.read_text())] == ["good.json"]


def test_a_chain_is_cut_in_the_middle(tmp_path, capsys, monkeypatch):
    file, out = tmp_path / "chain.json", tmp_path / "out.json"
    file.write_text(json.dumps(CHAIN))
    monkeypatch.setattr("sys.argv", ["workloads", str(file), "--json", str(out), "--moves", "500"])
    main()
    assert "| chain | 4 | 14.000 | 8.000 |  | 8.000 | 1.0000 |" in capsys.readouterr().out
    (row,) = json.loads(out.read_text())
    placement = {int(node): device for node, device in row["placement"].items()}
    assert row["largest_load"] == max(device_loads(parse_workload(CHAIN, "chain"), placement).values()) == 8.0
    assert placement[0] == placement[1] != placement[2] == placement[3]
    assert row["seconds"] > 0


@st.composite
def workloads(draw):
    """Random documents: colours, backward nodes that mirror forward ones, some that no accelerator runs."""
    n = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    mirror = draw(st.booleans())
    edges = [(a, b) for b in range(n) for a in range(b) if rng.random() < 0.5]
    colors = [int(c) if rng.random() < 0.7 else None for c in rng.integers(0, n, n)]
    if mirror:
        edges += [(2 * n - 1 - b, 2 * n - 1 - a) for a, b in edges] + [(k, 2 * n - 1 - k) for k in range(n)]
        colors += [c if rng.random() < 0.7 else None for c in colors[::-1]]
    total = 2 * n if mirror else n
    cost = rng.integers(0, 5, total) / 4
    return document(
        (rng.integers(0, 9, total) / 2).tolist(), [(a, b, float(cost[a])) for a, b in edges],
        capacity=float(2 * total), slowdown=3.0, colorClass=colors, size=rng.integers(0, 4, total).tolist(),
        supportedOnFpga=(rng.random(total) < 0.9).tolist(), isBackwardNode=[k >= n for k in range(total)],
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(workloads(), st.integers(0, 99))
def test_what_is_reported_can_be_recomputed_and_is_at_most_the_split(tmp_path_factory, rows, seed):
    file = tmp_path_factory.mktemp("workload") / "file.json"
    file.write_text(json.dumps(rows))
    workload = parse_workload(rows, "file")
    planned = plan(file, 300, seed, Effort())
    placement = {int(node): device for node, device in planned.placement.items()}
    loads = device_loads(workload, placement)
    assert planned.largest_load == max(loads.values())
    if planned.contiguous_load is not None:
        assert planned.proven
        assert planned.largest_load <= planned.contiguous_load + 1e-9
    problem = to_problem(workload)
    index = {name: d for d, name in enumerate(workload.devices)}
    device = np.array([[index[placement[node.id]] for node in workload.nodes]], np.int32)
    order = np.arange(len(workload.nodes), dtype=np.int32)[None]
    busy = decode_batch(problem, order, device).busy_ps[0] / 1e9
    assert busy.tolist() == pytest.approx([loads[name] for name in workload.devices])


def test_blocks_keep_colours_together_and_go_round_backward_nodes():
    """Forward 0 -> 1 -> 2, backward 3 -> 4 -> 5 -> 6; 3, 4, 6 belong to 2, 1, 0; 5 belongs to none of them."""
    rows = document(
        [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0], [(k, k + 1, 0.5) for k in range(6)], colorClass=[0, 1, 2, 2, 1, None, 0],
        isBackwardNode=[0, 0, 0, 1, 1, 1, 1],
    )  # fmt: skip
    workload = parse_workload(rows, "file")
    assert color_blocks(workload)[0].tolist() == [0, 1, 2, 2, 1, 3, 0]
    block, count, precedence = contiguity_blocks(workload)
    first, second, third, orphan = block[0], block[1], block[2], block[5]
    assert block.tolist() == [first, second, third, third, second, orphan, first]
    assert count == 4
    assert first < orphan < second < third
    assert precedence.pred_idx[precedence.pred_ptr[orphan] : precedence.pred_ptr[orphan + 1]].tolist() == [first]


def test_idle_leaves_and_cycles_are_joined():
    """Weight 0 feeds 1 alone; the colour of 1 and 3 with 2 between them makes a cycle."""
    rows = document(
        [0.0, 1.0, 1.0, 1.0, 1.0], [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)],
        colorClass=[None, 5, None, 5, None],
    )  # fmt: skip
    block, count, _ = contiguity_blocks(parse_workload(rows, "file"))
    assert (block.tolist(), count) == ([0, 0, 0, 0, 1], 2)


def test_no_placement_of_a_small_file_is_better(tmp_path):
    rows = document(
        [3.0, 5.0, 2.0, 4.0, 1.0], [(0, 1, 0.5), (0, 2, 0.5), (1, 3, 1.0), (2, 3, 0.25), (3, 4, 1.0)],
        colorClass=[1, None, 2, None, 2], size=[5.0, 5.0, 1.0, 4.0, 1.0],
    )  # fmt: skip
    workload = parse_workload(rows, "file")
    best = np.inf
    for devices in product(workload.devices, repeat=5):
        try:
            best = min(best, max(device_loads(workload, dict(enumerate(devices))).values()))
        except ValueError:
            continue
    file = tmp_path / "file.json"
    file.write_text(json.dumps(rows))
    assert plan(file, 2000, 1, Effort()).largest_load == pytest.approx(best)
