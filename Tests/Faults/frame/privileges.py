"""What this process may do, and what a fault needs of it."""
import functools, os, shutil, subprocess

ROOT, NAMESPACES, NOTHING = "root", "namespaces", "nothing"
SAID = {
    ROOT: "as root, in namespaces",
    NAMESPACES: "in namespaces, without root",
    NOTHING: "without namespaces (run as root to inject all)",
}


def namespaces(*more):
    # The first process of the namespaces dies with the one that started it, and all others die with the first.
    return ["setpriv", "--pdeathsig", "KILL", "unshare", *more, "--mount", "--net", "--pid", "--fork", "--kill-child",
            "--mount-proc"]


@functools.cache
def level():
    for name, words in [(ROOT, namespaces()), (NAMESPACES, namespaces("--user", "--map-root-user"))]:
        if name == ROOT and os.geteuid() != 0:
            continue
        if subprocess.run([*words, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            return name
    return NOTHING


def privilege():
    return SAID[level()]


def wrapped(words):
    """The command in namespaces of its own, as far as this process may make them."""
    return {
        ROOT: namespaces(),
        NAMESPACES: namespaces("--user", "--map-root-user"),
        NOTHING: ["setpriv", "--pdeathsig", "KILL"],
    }[level()] + words


def left_out(module):
    """Why a fault cannot be injected here; None if it can. `NEEDS` lists "root", "namespaces" and programs."""
    for need in getattr(module, "NEEDS", []):
        if need == ROOT and level() != ROOT:
            return "needs root"
        if need == NAMESPACES and level() == NOTHING:
            return "needs root or namespaces"
        if need not in (ROOT, NAMESPACES) and not shutil.which(need):
            return f"there is no {need}; .ci/install-packages Tests/Faults/packages.txt"
    return None
