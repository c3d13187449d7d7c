"""OpenCL: every device of every platform of this host; operators become OpenCL C kernels of our own."""
