"""Confinement of this process by the kernel, for files that may be hostile: prctl(2), setrlimit(2), landlock(7)."""

import ctypes
import os
import resource
import signal
import sys

_NEW_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same numbers on every architecture since Linux 5.13
_PATH_BENEATH = 1
_EXECUTE, _READ_FILE, _READ_FOLDER = 1, 4, 8
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
# The file access rights of each version of Landlock: 13 in version 1, then REFER, TRUNCATE, none, and device ioctl.
_FILE_RIGHTS = [13, 14, 15, 15, 16]
# The path under which a file that is open as standard input can be opened again, even one without a name (proc(5)).
STANDARD_INPUT = "/proc/self/fd/0"


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def end_with_parent(parent):
    """Lets the kernel end this process together with `parent`, which started it."""
    _c().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)


def confine(paths, memory):
    """Leaves this process the files at `paths` and Python's own to read, nothing to write but what is open, no network, and
    `memory` more bytes of address space. Where the kernel has no Landlock, only the rest is in force."""
    _limit(memory)
    c = _c()
    c.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    version = c.syscall(_NEW_RULESET, None, 0, 1)
    if version < 1:
        return
    rights = (1 << _FILE_RIGHTS[min(version, len(_FILE_RIGHTS)) - 1]) - 1
    rules = _Ruleset(rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = c.syscall(_NEW_RULESET, ctypes.byref(rules), size, 0)
    if ruleset < 0:
        return
    for folder in {"/usr", "/lib", "/lib64", "/proc", "/sys/devices/system", sys.prefix, sys.base_prefix, *sys.path}:
        _allow(c, ruleset, folder, _EXECUTE | _READ_FILE | _READ_FOLDER)
    for path in paths:
        _allow(c, ruleset, STANDARD_INPUT if path == "-" else path, _READ_FILE)
    c.syscall(_RESTRICT, ruleset, 0)
    os.close(ruleset)


def _allow(c, ruleset, path, rights):
    if not path:
        return
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is missing needs no rule
    try:
        if not os.path.isdir(path):
            rights &= _EXECUTE | _READ_FILE
        c.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(_PathRule(rights, opened)), 0)
    finally:
        os.close(opened)


def _limit(memory):
    with open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    for what, value in ((resource.RLIMIT_AS, taken + memory), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (value if hard < 0 else min(value, hard), hard))
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def _c():
    c = ctypes.CDLL(None, use_errno=True)
    c.syscall.restype = ctypes.c_long
    return c
