"""The fault programs: FOLDER/fNN_NAME.py."""
import importlib, sys, typing

from .places import FAULTS


class Fault(typing.NamedTuple):
    number: str
    module: object


def find(wanted=(), *, ci=False):
    """The programs in their order; ends this program if one that is wanted is not there."""
    sys.path.insert(0, str(FAULTS))
    paths = {f"F{int(path.stem[1:3])}": path for path in FAULTS.glob("*/f[0-9][0-9]_*.py")}
    unknown = set(wanted) - set(paths)
    if unknown:
        sys.exit(f"faults: there is no {', '.join(sorted(unknown))}; --list lists them")
    numbers = sorted(wanted or paths, key=lambda number: int(number[1:]))
    found = [Fault(number, importlib.import_module(f"{paths[number].parent.name}.{paths[number].stem}")) for number in numbers]
    return [fault for fault in found if not ci or getattr(fault.module, "CI_TRIES", 0)]
