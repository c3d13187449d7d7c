"""An upload over a real web process that is killed at 40 % and goes on where it was, through a proxy that ends TLS."""

import sys

import pytest

from benchmarks.upload import PIECE_BYTES, content, measure
from tests.benchmarks.proxy import Proxy


def test_a_web_process_that_dies_costs_no_bytes_and_large_files_no_memory(tmp_path):
    if sys.platform != "linux":
        pytest.skip("reads /proc")
    size, proxies = 3 * PIECE_BYTES, []

    def proxy(port):
        proxies.append(Proxy(port, "plans.example.org"))
        return proxies[0].port

    found = measure(size, tmp_path, public_url="https://plans.example.org", proxy=proxy)
    proxies[0].close()
    # Addresses that the server hands out do not depend on the scheme and the host that it sees itself.
    assert {location.decode()[:13] for location in proxies[0].locations} == {"/", "/api/uploads/"}
    assert found["sha256_equal"]
    assert PIECE_BYTES <= found["resumed_at_bytes"] < 2 * PIECE_BYTES  # what came of the piece before the cut stays
    assert max(found["web_memory_growth_bytes"]) <= 64 << 20


def test_the_content_has_its_size_and_no_equal_blocks():
    blocks = list(content((3 << 20) + 5))
    assert [len(block) for block in blocks] == [1 << 20, 1 << 20, 1 << 20, 5]
    assert len(set(blocks)) == 4
