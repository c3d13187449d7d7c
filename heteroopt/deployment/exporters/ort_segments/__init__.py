"""``ort-segments``: one ONNX file per segment of a plan, and a runner that executes them on their devices."""
