"""FLOP of operators that look at a neighbourhood of each output: pooling, resampling, transforms, determinants."""

from __future__ import annotations

import math

from heteroopt.graph.flops_view import Formula, View, mac

_TAPS = {"linear": 2, "bilinear": 2, "trilinear": 2, "cubic": 4, "bicubic": 4}
"""Samples that one output needs along one axis."""


def _pool(each: int = 1, after: int = 0) -> Formula:
    """``each`` operations for every place of the window, padding included, and ``after`` on its result."""
    text = "out x kernel" if (each, after) == (1, 0) else f"out x ({each} x kernel + {after})"
    return Formula(
        text, lambda v: math.prod(v.out()) * (each * math.prod(v.attributes.get("kernel_shape", [1])) + after)
    )


def _resize(v: View) -> int:
    """2 x the samples that an output is interpolated from; ``antialias`` widens them where an axis shrinks."""
    base = _TAPS.get(str(v.attributes.get("mode", "nearest")))
    source, target = v.shape(0), v.out()
    if base is None:
        return 0
    taps = 1
    for before, after in zip(source, target, strict=True):
        if before != after:
            shrinks = v.attributes.get("antialias") and after < before
            taps *= -(-base * before // max(after, 1)) if shrinks else base
    return 0 if source == target else mac(math.prod(target) * taps)


def _grid_sample(v: View) -> int:
    """2 x the samples of each output, and 3 operations to place each coordinate of the grid [N, *, axes]."""
    grid = v.shape(1)
    base = _TAPS.get(str(v.attributes.get("mode", "linear")))
    samples = 0 if base is None else mac(base ** grid[-1])
    return math.prod(v.out()) * samples + 3 * math.prod(grid)


def _affine_grid(v: View) -> int:
    """theta [N, d, d + 1] times every place: d + 1 multiply-accumulates for each coordinate."""
    return mac(math.prod(v.out()) * v.shape(0)[-1])


def _roi_align(v: View) -> int:
    """Bilinear samples of each bin: 8 operations for each of ``sampling_ratio`` squared (4 where it is 0)."""
    ratio = int(v.attributes.get("sampling_ratio", 0))
    return 8 * math.prod(v.out()) * (ratio * ratio if ratio > 0 else 4)


def _lrn(v: View) -> int:
    return math.prod(v.out()) * (2 * int(v.attributes.get("size", 5)) + 4)


def _top_k(v: View) -> int:
    """A heap of K along ``axis``: each element is compared log2 K times."""
    chosen = v.out()[int(v.attributes.get("axis", -1))]
    return math.prod(v.shape(0)) * max(1, math.ceil(math.log2(max(chosen, 2))))


def fft_flops(points: int, real: bool) -> int:
    """5 N log2 N for one complex transform, half of it for real data: the customary count (FFTW, benchFFT)."""
    return math.ceil((2.5 if real else 5.0) * points * math.log2(points)) if points > 1 else 0


def _dft(v: View) -> int:
    """Input [.., N, .., 1 or 2]: one transform for every place of the other axes.

    From version 20 on the axis is an input that stands for the last one before the parts; before, an attribute, 1.
    """
    source, target = v.shape(0), v.out()
    axis = v.number(2) if v.given(2) else int(v.attributes.get("axis", 1 if v.version < 20 else -2))
    points = v.number(1) if v.given(1) else source[axis]
    others = math.prod(target[:-1]) // max(target[axis], 1)
    return others * fft_flops(points, source[-1] == 1)


def _stft(v: View) -> int:
    """Signal [B, L, 1 or 2], output [B, frames, bins, 2]: the window (if any), then one transform a frame."""
    batch, frames = v.out()[:2]
    points = v.shape(2)[0] if v.given(2) else v.number(3)
    values = v.shape(0)[-1] if len(v.shape(0)) > 2 else 1
    window = points * values if v.given(2) else 0
    return batch * frames * (window + fft_flops(points, values == 1))


def _real_fft(v: View) -> int:
    """X [.., N] (for the inverse [.., N/2 + 1, 2]), transformed over the last axis."""
    real = v.shape(0) if v.op_type == "Rfft" else v.out()
    return math.prod(real[:-1]) * fft_flops(real[-1], True)


def _determinant(v: View) -> int:
    """LU decomposition of each [n, n] matrix (Golub and Van Loan, 3.2) and the product of its diagonal."""
    *batch, n, _ = v.shape(0)
    return math.prod(batch) * (n * (n - 1) // 2 + (n - 1) * n * (2 * n - 1) // 3 + n - 1)


def _inverse(v: View) -> int:
    return 2 * math.prod(v.shape(0)) * v.shape(0)[-1]


def _suppression(v: View) -> int:
    """Boxes [B, N, 4], scores [B, C, N]: sort, then every kept box (at most ``max_output``) meets all others."""
    batch, classes, boxes = v.shape(1)
    kept = boxes
    if v.given(2) and v.inputs[2] is not None and v.inputs[2].data is not None:
        kept = min(boxes, v.number(2))
    return batch * classes * (boxes * math.ceil(math.log2(max(boxes, 2))) + 12 * kept * boxes)


def _multinomial(v: View) -> int:
    """Input [B, C], output [B, S]: softmax and running sum, then a random number and a binary search a sample."""
    search = math.ceil(math.log2(max(v.shape(0)[-1], 2)))
    return 6 * math.prod(v.shape(0)) + (4 + search) * math.prod(v.out())


def _sorted_unique(v: View) -> int:
    count = math.prod(v.shape(0))
    return count * math.ceil(math.log2(max(count, 2)))


SAMPLING: dict[str, Formula] = {
    "MaxPool": _pool(), "AveragePool": _pool(), "LpPool": _pool(2, 4),
    "RoiAlign": Formula("8 x out x samples of a bin", _roi_align),
    "MaxRoiPool": Formula("8 x out (regions are as large as the data says)", lambda v: 8 * math.prod(v.out()), False),
    "Resize": Formula("2 x out x taps (2 or 4 an axis that changes)", _resize),
    "Upsample": Formula("2 x out x taps (2 an axis that changes)", _resize),
    "GridSample": Formula("2 x out x taps (2 or 4 an axis) + 3 x grid", _grid_sample),
    "AffineGrid": Formula("2 x out x (axes + 1)", _affine_grid),
    "LRN": Formula("out x (2 x size + 4)", _lrn), "TopK": Formula("in x log2 K", _top_k),
    "DFT": Formula("5 N log2 N a transform, 2.5 N log2 N of real data", _dft),
    "STFT": Formula("frames x (window + 2.5 N log2 N), 5 N log2 N of complex data", _stft),
    "Det": Formula("LU: n(n-1)/2 + n(n-1)(2n-1)/3 + n - 1", _determinant),
    "NonMaxSuppression": Formula("B x C x (N log2 N + 12 x kept x N), from above", _suppression, False),
    "Multinomial": Formula("6 x in + out x (4 + log2 C)", _multinomial),
    "Unique": Formula("in x log2 in", _sorted_unique),
}  # fmt: skip
MICROSOFT_SAMPLING: dict[str, Formula] = {
    "QLinearAveragePool": _pool(), "NhwcMaxPool": _pool(), "MaxpoolWithMask": _pool(),
    "Rfft": Formula("2.5 N log2 N a transform", _real_fft), "Irfft": Formula("2.5 N log2 N a transform", _real_fft),
    "Inverse": Formula("2 n^3", _inverse), "CropAndResize": Formula("8 x out", lambda v: 8 * math.prod(v.out())),
    "CDist": Formula("out x (3 x width + 4)", lambda v: math.prod(v.out()) * (3 * v.shape(0)[-1] + 4)),
}  # fmt: skip
