"""NVIDIA GPUs through ONNX Runtime's CUDA provider, the CUDA driver and NVML. Not verified on hardware."""
