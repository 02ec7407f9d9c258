"""The folders and programs that the faults use."""
import os, pathlib, sys

FAULTS = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = FAULTS.parents[1]
WORK = REPOSITORY / ".build/faults"
FIGURES = WORK / "figures.json"


def program_under_test():
    """The path of nuke-batch; ends this program if there is none."""
    path = pathlib.Path(os.environ.get("NUKE_BATCH") or REPOSITORY / ".build/release/nuke-batch").resolve()
    if not os.access(path, os.X_OK):
        print(f"faults: there is no {path}; run `make build`, or name the program in NUKE_BATCH", file=sys.stderr)
        sys.exit(2)
    return path


def built(name):
    """The path of another program of the same build, such as cache-bench."""
    return program_under_test().parent / name
