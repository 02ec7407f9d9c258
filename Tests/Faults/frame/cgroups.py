"""Control groups that limit a program's memory or processes. Needs root; version 1 and 2."""
import os, pathlib

ROOT = pathlib.Path("/sys/fs/cgroup")
NAME = "nuke-batch-faults"
LIMITS = {"memory": ("memory.limit_in_bytes", "memory.max"), "pids": ("pids.max", "pids.max")}


def group(controller):
    """The folder of the group for a controller, below this process's own; and its version."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return ROOT / controller / path.lstrip("/") / NAME, 1
    return ROOT / NAME, 2


def limit(controller, value):
    """Makes the group with a limit. Returns what a program is to be started with, as Popen's preexec_fn; None if it cannot be."""
    folder, version = group(controller)
    try:
        folder.mkdir(exist_ok=True)
        (folder / LIMITS[controller][version - 1]).write_text(str(value))
    except OSError:
        return None
    return lambda: (folder / "cgroup.procs").write_text("0")


def remove():
    """Removes the groups; nobody may be in them."""
    for controller in LIMITS:
        try:
            os.rmdir(group(controller)[0])
        except OSError:
            pass
