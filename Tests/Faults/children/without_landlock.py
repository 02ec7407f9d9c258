"""Starts a program as on a kernel without Landlock, or under a filter that forbids it: `without_landlock.py missing|forbidden PROGRAM …`."""
import ctypes, errno, os, struct, sys

NEW_RULESET, RESTRICT_SELF = 444, 446  # the same numbers on every architecture
LOAD, AT_LEAST, ABOVE, RETURN = 0x20, 0x35, 0x25, 0x06  # classic BPF
ALLOW, FAIL = 0x7FFF0000, 0x00050000
NO_NEW_PRIVS, SET_SECCOMP, FILTER = 38, 22, 2


def main():
    error = {"missing": errno.ENOSYS, "forbidden": errno.EPERM}[sys.argv[1]]
    steps = [(LOAD, 0, 0, 0), (AT_LEAST, 0, 1, NEW_RULESET), (ABOVE, 0, 1, RESTRICT_SELF), (RETURN, 0, 0, ALLOW),
             (RETURN, 0, 0, FAIL | error)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))

    class Program(ctypes.Structure):
        _fields_ = [("count", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    program = Program(len(steps), ctypes.addressof(code))
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(NO_NEW_PRIVS, 1, 0, 0, 0)
    if library.prctl(SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0) != 0:
        sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
    os.execv(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
