"""Windows that slide over space: where they begin, how many there are, and the loops over one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heteroopt.runtimes.plugins.opencl.registry import Node


@dataclass(frozen=True, slots=True)
class Windows:
    """Of each axis of space: length of the input, of the window, stride, dilation, padding before, number."""

    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    counts: tuple[int, ...]

    def loops(self) -> tuple[str, str, str]:
        """Heads of loops ``k0``, ``k1``, ... over the window whose first place is ``s0``, ``s1``, ...; inside them
        ``at`` is the place in the plane of space, ``inside`` whether that is in the input; their closing braces.
        """
        heads, inside, at = "", [], "0"
        for axis, (kernel, dilation, size) in enumerate(zip(self.kernel, self.dilations, self.sizes, strict=True)):
            heads += f"    for (long k{axis} = 0; k{axis} < {kernel}L; ++k{axis}) {{\n"
            heads += f"    const long h{axis} = s{axis} + k{axis} * {dilation}L;\n"
            inside.append(f"h{axis} >= 0 && h{axis} < {size}L")
            at = f"({at}) * {size}L + h{axis}"
        heads += f"    const int inside = {' && '.join(inside)};\n    const long at = {at};\n"
        return heads, "at", "    }\n" * len(self.kernel)

    def first_places(self, index: str) -> str:
        """Declare ``s0``, ``s1``, ... of the window whose row-major number is ``index``."""
        text, behind = "", 1
        for axis in reversed(range(len(self.counts))):
            number = f"({index}) / {behind}L % {self.counts[axis]}L"
            text += f"    const long s{axis} = {number} * {self.strides[axis]}L - {self.begins[axis]}L;\n"
            behind *= self.counts[axis]
        return text


def windows_of(node: Node, sizes: Sequence[int], kernel: Sequence[int]) -> Windows:
    """Read strides, dilations and padding (named, or by ``auto_pad``), and count the windows."""
    rank = len(sizes)
    strides = tuple(int(n) for n in node.attributes.get("strides", [1] * rank))
    dilations = tuple(int(n) for n in node.attributes.get("dilations", [1] * rank))
    pads = [int(n) for n in node.attributes.get("pads", [0] * (2 * rank))]
    way = node.attributes.get("auto_pad", "NOTSET")
    if not len(kernel) == len(strides) == len(dilations) == rank or len(pads) != 2 * rank:
        raise node.refused("its attributes are of another rank than its input")
    begins, ends, counts = [], [], []
    for axis in range(rank):
        extent = (kernel[axis] - 1) * dilations[axis] + 1
        begin, end = pads[axis], pads[axis + rank]
        if way in ("SAME_UPPER", "SAME_LOWER"):
            missing = max(0, (-(-sizes[axis] // strides[axis]) - 1) * strides[axis] + extent - sizes[axis])
            begin = missing // 2 if way == "SAME_UPPER" else -(-missing // 2)
            end = missing - begin
        elif way == "VALID":
            begin = end = 0
        room = sizes[axis] + begin + end - extent
        count = room // strides[axis] + 1
        if node.whole("ceil_mode", 0) and way == "NOTSET":
            count = -(-room // strides[axis]) + 1
            if (count - 1) * strides[axis] >= sizes[axis] + begin:
                count -= 1  # a window must not begin in the padding at the end
        if room < 0:
            raise node.refused("a window is larger than the padded input")
        begins.append(begin)
        ends.append(end)
        counts.append(count)
    kernel = tuple(int(n) for n in kernel)
    return Windows(tuple(sizes), kernel, strides, dilations, tuple(begins), tuple(ends), tuple(counts))
