"""Ascend processors through ONNX Runtime's CANN provider, pyACL and npu-smi. Not verified on hardware."""
