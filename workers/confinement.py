"""Takes a process's rights away for good, by Linux's own means that need no privilege: seccomp and Landlock.

Imports the standard library only, since the sandbox's child loads it before anything else. Every function says whether
the kernel took part; where it did not (another system, an old kernel), the caller goes on with what else it has.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable
from typing import Any, Final

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCH_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
CLONE_THREAD: Final = 0x00010000
_X32: Final = 0x40000000

# Calls that open a connection, start or touch another process, or reach into the kernel; their numbers by machine.
_REFUSED: Final = {
    "x86_64": {
        "socket": 41, "connect": 42, "socketpair": 53, "fork": 57, "vfork": 58, "execve": 59, "kill": 62, "ptrace": 101,
        "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "init_module": 175, "tkill": 200,
        "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272, "perf_event_open": 298,
        "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "finit_module": 313,
        "bpf": 321, "execveat": 322, "userfaultfd": 323, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297,
        "setpriority": 141, "sched_setparam": 142, "sched_setscheduler": 144, "ioprio_set": 251, "sched_setattr": 314,
    },
    "aarch64": {
        "socket": 198, "connect": 203, "socketpair": 199, "execve": 221, "kill": 129, "ptrace": 117, "mount": 40,
        "umount2": 39, "pivot_root": 41, "chroot": 51, "init_module": 105, "tkill": 130, "kexec_load": 104,
        "add_key": 217, "request_key": 218, "keyctl": 219, "unshare": 97, "perf_event_open": 241,
        "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271, "finit_module": 273,
        "bpf": 280, "execveat": 281, "userfaultfd": 282, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240,
        "setpriority": 140, "sched_setparam": 118, "sched_setscheduler": 119, "ioprio_set": 30, "sched_setattr": 274,
    },
}  # fmt: skip
# The same on every machine.
_REFUSED_EVERYWHERE: Final = {"pidfd_send_signal": 424, "io_uring_setup": 425, "pidfd_open": 434, "pidfd_getfd": 438}
_CLONE3: Final = 435
_CLONE: Final = {"x86_64": 56, "aarch64": 220}
# What a process may do to itself only: send a signal (abort does), read and set limits, keep a thread to some cores.
_TGKILL: Final = {"x86_64": 234, "aarch64": 131}
_PRLIMIT: Final = {"x86_64": 302, "aarch64": 261}
_SET_AFFINITY: Final = {"x86_64": 203, "aarch64": 122}
_ARCHITECTURE: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH: Final = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_ALL_FILE_RIGHTS: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_NEWEST_FILE_RIGHTS: Final = (1 << 16) - 1
_OF_A_FILE: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15


def no_new_privileges(libc: Any) -> None:
    """No program that this process starts may gain rights; the kernel asks for this before the rest."""
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def refuse_calls(libc: Any) -> bool:
    """Have the kernel refuse sockets, processes, debugging, and signals to, limits and cores of other processes with
    EPERM from now on (seccomp); threads stay."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _REFUSED or struct.calcsize("P") != 8:
        return False
    code = program(machine, os.getpid())
    steps = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(steps))
    return bool(
        libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.create_string_buffer(header, len(header)), 0, 0) == 0
    )


def program(machine: str, own: int) -> bytes:
    """The filter for the process ``own`` as the kernel's packet-filter code: eight bytes a step."""
    steps = [
        (_LOAD, 0, 0, _ARCH_AT),
        (_JUMP_EQUAL, 1, 0, _ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_JUMP_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
        # The C library falls back to clone, whose flags can be looked at.
        (_JUMP_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _ERRNO | _ENOSYS),
    ]
    for number in (*_REFUSED[machine].values(), *_REFUSED_EVERYWHERE.values()):
        steps += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | _EPERM)]
    steps += _where_first_argument(_TGKILL[machine], (_JUMP_EQUAL, own))
    steps += _where_first_argument(_PRLIMIT[machine], (_JUMP_EQUAL, 0), (_JUMP_EQUAL, own))
    steps += _where_first_argument(_SET_AFFINITY[machine], (_JUMP_EQUAL, 0))
    steps += _where_first_argument(_CLONE[machine], (_JUMP_ANY_BIT, CLONE_THREAD))
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _where_first_argument(number: int, *tests: tuple[int, int]) -> list[tuple[int, int, int, int]]:
    """Steps that allow the call ``number`` if its first argument (its lower 32 bits) passes one of ``tests``."""
    jumps = [(test, len(tests) - i, 0, value) for i, (test, value) in enumerate(tests)]
    return [
        (_JUMP_EQUAL, 0, len(tests) + 3, number),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        *jumps,
        (_RETURN, 0, 0, _ERRNO | _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def confine_files(libc: Any, *, readable: Iterable[str], files: Iterable[int], writable: str) -> bool:
    """Let this process open nothing but what lies below ``readable`` and the open ``files`` (both to read only), and
    below the folder ``writable``, from now on (Landlock)."""
    libc.syscall.restype = ctypes.c_long
    if sys.platform != "linux":
        return False
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if version < 1:
        return False
    every = _ALL_FILE_RIGHTS.get(version, _NEWEST_FILE_RIGHTS)
    # From version 4 on, TCP can be refused too: two bits, bind and connect.
    handled = struct.pack("QQ", every, 3) if version >= 4 else struct.pack("Q", every)
    ruleset = libc.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), ctypes.c_uint32(0))
    if ruleset < 0:
        return False
    try:
        for path in readable:
            _allow_path(libc, ruleset, path, _READ_FILE | _READ_DIR | _EXECUTE)
        _allow_path(libc, ruleset, writable, every & ~_EXECUTE)
        for descriptor in files:
            _allow(libc, ruleset, descriptor, _READ_FILE)
        return bool(libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)) == 0)
    finally:
        os.close(ruleset)


def _allow_path(libc: Any, ruleset: int, path: str, rights: int) -> None:
    """A path that is not there needs no right."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        _allow(libc, ruleset, descriptor, rights if os.path.isdir(path) else rights & _OF_A_FILE)
    finally:
        os.close(descriptor)


def _allow(libc: Any, ruleset: int, descriptor: int, rights: int) -> None:
    rule = struct.pack("=Qi", rights, descriptor)
    libc.syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PATH_BENEATH), rule, ctypes.c_uint32(0))


def code_paths(project: str) -> list[str]:
    """What a Python program of this project reads of the system: its interpreter, libraries and own code."""
    own = ("heteroopt", "apps", "workers", "config", "benchmarks", "tests", "device_templates")
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, *(path for path in sys.path if os.path.isdir(path))}
    # A checkout has its data folder inside: only the packages of the project itself are let in.
    prefixes.discard(project)
    libraries = (
        "/lib",
        "/lib64",
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        "/etc/ld.so.cache",
        "/dev/null",
        "/dev/urandom",
    )
    facts = ("/sys/devices/system/cpu", "/proc/cpuinfo", "/proc/meminfo", "/usr/share/zoneinfo")
    return [*sorted(prefixes), *(os.path.join(project, name) for name in own), *libraries, *facts]


def nothing(_payload: Any, _files: Any) -> None:
    """What the sandbox runs to see how it is kept."""
