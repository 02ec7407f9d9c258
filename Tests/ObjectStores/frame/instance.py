"""A running server: its folder, its processes, and their end."""
import ctypes
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

from frame.errors import StoreError
from frame.ports import free_ports

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
SECONDS_TO_END = 2

_libc = ctypes.CDLL(None, use_errno=True)


class Instance:
    """One server in one folder, which ends with this process."""

    def __init__(self, folder, binaries):
        self.folder = Path(folder).resolve()
        self.binaries = binaries
        self.children = {}
        self._last = []
        self._wake, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        # Processes whose parent ends become children of this one, so that `end` finds them.
        _libc.prctl(PR_SET_CHILD_SUBREAPER, 1)

    def ports(self, count):
        """`count` free ports."""
        return free_ports(count)

    def program(self, name):
        """The path of a program of the server's Python packages, else of the system."""
        own = self.binaries and self.binaries / name
        found = str(own) if own and own.exists() else shutil.which(name)
        if not found:
            raise StoreError(f"{name} is not installed")
        return found

    def run(self, *command, environment={}, log="setup"):
        """Runs a program to its end and returns its standard output."""
        command = [self.program(command[0]), *map(str, command[1:])]
        with open(self.folder / f"{log}.log", "ab") as errors:
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                   cwd=self.folder, env={**os.environ, **environment}, preexec_fn=_end_with_parent)
        if ended.returncode != 0:
            raise StoreError(f"{Path(command[0]).name} exited with {ended.returncode}; see {self.folder}/{log}.log")
        return ended.stdout.decode()

    def start(self, name, *command, environment={}):
        """Starts a process that writes NAME.log and NAME.pid in the folder."""
        command = [self.program(command[0]), *map(str, command[1:])]
        with open(self.folder / f"{name}.log", "ab") as log:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                                     env={**os.environ, **environment}, preexec_fn=_end_with_parent)
        self.children[name] = child
        (self.folder / f"{name}.pid").write_text(f"{child.pid}\n")
        return child

    def wait_until(self, ready, seconds, what):
        """Waits until `ready()` is true; false if standard input closed or a signal came before."""
        deadline = time.monotonic() + seconds
        while not ready():
            self.check_children()
            if time.monotonic() > deadline:
                raise StoreError(f"{what} is not ready after {seconds} s; see the logs in {self.folder}")
            if self.told_to_end(0.05):
                return False
        return True

    def check_children(self):
        for name, child in self.children.items():
            if child.poll() is not None:
                raise StoreError(f"{name} exited with {child.returncode}; see {self.folder}/{name}.log")

    def told_to_end(self, seconds):
        """Whether standard input closes or a signal comes within `seconds`."""
        ready, _, _ = select.select([self._wake, 0], [], [], seconds)
        return self._wake in ready or (0 in ready and not os.read(0, 4096))

    def at_end(self, action):
        """Has `end` call `action` when no process is left."""
        self._last.append(action)

    def end(self):
        """Ends every process that this one started, also those that a child left behind."""
        for child in reversed(self.children.values()):
            if child.poll() is None:
                child.terminate()
        deadline = time.monotonic() + SECONDS_TO_END
        for child in self.children.values():
            try:
                child.wait(max(0.01, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        while left := _children_of_this_process():
            for pid in left:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        for name in self.children:
            (self.folder / f"{name}.pid").unlink(missing_ok=True)
        for action in self._last:
            action()


def end_with_parent(number=signal.SIGTERM):
    """Has the kernel send this process a signal when its parent ends."""
    _libc.prctl(PR_SET_PDEATHSIG, number)


def _end_with_parent():
    # SIGKILL: the parent was killed itself, and nobody else would end a server that ignores SIGTERM.
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()


def _children_of_this_process():
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
