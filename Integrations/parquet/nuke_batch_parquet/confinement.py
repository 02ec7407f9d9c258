"""Confinement of this process by the kernel, for files that may be hostile: landlock(7), seccomp(2).

nuke-batch starts it in a sandbox: without sockets, with limits of memory, and with an end together with its own. Here it gives up
what it needed to set itself up.
"""

import base64
import ctypes
import os
import sys

_NEW_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same numbers on every architecture since Linux 5.13
_PATH_BENEATH = 1
_READ_FILE, _READ_FOLDER = 4, 8
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
# The file access rights of each version of Landlock: 13 in version 1, then REFER, TRUNCATE, none, and device ioctl.
_FILE_RIGHTS = [13, 14, 15, 15, 16]
# The variable with the filter of system calls: instructions of 8 bytes, in Base64.
_FILTER_VARIABLE, _INSTRUCTION_BYTES = "NUKE_BATCH_CHILD_FILTER", 8
# The path under which a file that is open as standard input can be opened again, even one without a name (proc(5)).
STANDARD_INPUT = "/proc/self/fd/0"


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


class _Filter(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def confine(paths):
    """Leaves this process the files at `paths` and Python's own to read, nothing to write but what is open, and no call of the
    system that it does not need. What the kernel does not have is left out."""
    c = ctypes.CDLL(None, use_errno=True)
    c.syscall.restype = ctypes.c_long
    c.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _leave_files(c, paths)
    _leave_calls(c)


def _leave_calls(c):
    instructions = base64.b64decode(os.environ.get(_FILTER_VARIABLE, ""))
    if instructions:
        wanted = _Filter(len(instructions) // _INSTRUCTION_BYTES, instructions)
        c.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(wanted), 0, 0)


def _leave_files(c, paths):
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
        _allow(c, ruleset, folder, _READ_FILE | _READ_FOLDER)
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
            rights &= _READ_FILE
        c.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(_PathRule(rights, opened)), 0)
    finally:
        os.close(opened)
