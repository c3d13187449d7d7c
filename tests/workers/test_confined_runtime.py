"""A runtime that opens a stranger's model: its process loses its rights once a device is open, and still computes."""

from pathlib import Path

from heteroopt.precision.own_device import OwnDevice
from heteroopt.precision.training_graph import training_step
from heteroopt.precision.training_loss import train
from heteroopt.runtimes.configuration import PluginConfiguration
from workers.measuring_child import CONFINED

SIMULATED = "heteroopt.runtimes.plugins.simulated.runtime:SimulatedRuntime"


def rights(device: OwnDevice) -> dict[str, str]:
    """What the kernel says of the process that runs the plugin."""
    lines = Path(f"/proc/{device.handle().process.pid}/status").read_text().splitlines()
    said = dict(line.split(":", 1) for line in lines)
    return {name: said[name].strip() for name in ("NoNewPrivs", "Seccomp")}


def test_an_open_device_computes_without_the_right_to_do_anything_else():
    step = training_step("mlp", steps=2)
    settings = {"plugin": SIMULATED, "settings": {}}
    plain, confined = (
        OwnDevice(PluginConfiguration("simulated", SIMULATED)),
        OwnDevice(PluginConfiguration("simulated", CONFINED, settings=settings)),
    )
    try:
        assert train(confined, step) == train(plain, step)
        assert rights(confined) == {"NoNewPrivs": "1", "Seccomp": "2"}
    finally:
        plain.close()
        confined.close()
