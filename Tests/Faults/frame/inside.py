"""The process that injects one fault, inside its namespaces."""
import fcntl, json, os, random, signal, socket, struct, sys

from . import programs, table
from .places import WORK, program_under_test

SIOCSIFFLAGS, IFF_UP = 0x8914, 1


class Trial:
    """What a fault's program is given."""

    def __init__(self, number, *, seed, tries, rows):
        self.number, self.seed, self.tries = number, seed, tries
        self.work = WORK / number
        self.program = program_under_test()
        # Each fault has random numbers of its own, whichever faults run before it.
        self.random = random.Random(f"{seed} {number}")
        self._rows = rows

    def say(self, text):
        """Tells what goes on, on standard error."""
        print(f"  {text}", file=sys.stderr, flush=True)

    def row(self, *, tries, expected, seen, good, control="", caught=None, case=""):
        """Adds a line to the table: `good`, the promise was kept; `caught`, the control failed as it must."""
        name = f"{self.number} {case}".strip()
        control = f"{control}: as it must" if caught else f"{control}: NOT SEEN" if caught is False else control
        line = table.row(name, tries=tries, expected=expected, seen=seen, control=control, good=good and caught is not False)
        self._rows.write(json.dumps(line) + "\n")
        self._rows.flush()
        self.say(f"{name}: {seen}" + (f"; control: {control}" if control else ""))

    def folder(self, name):
        """A new folder in the fault's work folder."""
        path = self.work / name
        path.mkdir(parents=True)
        return path


def raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def main(options):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # A shell that starts this in the background, or nohup, has these ignored, and so would the program under test.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if os.getpid() == 1:
        raise_loopback()
    [fault] = programs.find(options.faults)
    with open(int(options.inside), "w") as rows:
        fault.module.run(Trial(fault.number, seed=options.seed, tries=options.tries, rows=rows))
