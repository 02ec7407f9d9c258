"""Builds the libraries that a program under test is started with (Tests/Faults/preloads)."""
import functools, subprocess

from .places import FAULTS, WORK


@functools.cache
def preload(name, *words):
    """The path of preloads/NAME.c as a library, for LD_PRELOAD; `words` are added to the compiler's."""
    library = WORK / f"{name}.so"
    subprocess.run(["cc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, FAULTS / f"preloads/{name}.c", *words],
                   check=True)
    return str(library)
