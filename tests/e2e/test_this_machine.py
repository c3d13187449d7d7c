"""This machine in a real browser: probed, made a pool by one click, calibrated through ONNX Runtime, then in use."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import ROOT, Server

SECONDS = 240_000
"""Runtimes start a process and a calibration measures until it is steady: minutes on a loaded machine."""


@pytest.fixture
def host(server: Server) -> Iterator[None]:
    """The process that keeps this machine's devices, beside the server."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HETEROOPT_")}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings", "HETEROOPT_DATA_DIR": str(server.data_dir)}
    process = subprocess.Popen(
        [sys.executable, "manage.py", "worker", "--host"], cwd=ROOT, env=environment, start_new_session=True
    )
    yield
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_one_click_makes_the_pool_and_calibrating_is_used_by_itself(page: Page, host: None):
    page.goto("/hardware")
    expect(page.get_by_text("onnxruntime", exact=False).first).to_be_visible(timeout=SECONDS)
    page.goto("/pools")
    card = page.get_by_role("region", name="This machine")
    expect(card.get_by_text("can be calibrated here")).to_be_visible(timeout=SECONDS)
    card.get_by_role("button", name="Plan for this machine").click()
    page.wait_for_url(re.compile(r"/pools/[0-9a-f-]{36}$"))
    page.get_by_role("button", name=re.compile(r"^Calibrate \d+ devices?$")).click()
    dialog = page.get_by_role("dialog")
    for box in dialog.get_by_role("checkbox").all():
        box.set_checked(False)
    dialog.get_by_label("Distinct operators").fill("4")
    dialog.get_by_label("Time budget for each device, seconds").fill("5")
    dialog.get_by_role("button", name="Calibrate", exact=True).click()
    expect(page.get_by_text(re.compile(r"devices? uses? measured costs"))).to_be_visible(timeout=SECONDS)
    costs = page.get_by_role("region", name="Costs")
    expect(costs.get_by_text(re.compile(r"^Calibrated ")).first).to_be_visible()
    expect(costs.get_by_text("Estimated only")).to_have_count(0)
