"""Models from PyTorch, converted on the user's machine; a server never loads such a file."""
