"""One device handle over unlike runtimes: each vendor's library in a process of its own, behind one interface."""
