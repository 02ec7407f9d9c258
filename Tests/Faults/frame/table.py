"""The table of figures."""
import json

COLUMNS = ["fault", "tries", "expected", "seen", "control"]


def row(fault, *, tries="", expected="", seen="", control="", good=True):
    """`good`: True if the promise was kept and the control failed as it must, None if it was not tried."""
    return {"fault": fault, "tries": str(tries), "expected": expected, "seen": seen, "control": control, "good": good}


def text(rows):
    cells = [COLUMNS] + [[line[name] for name in COLUMNS] for line in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(COLUMNS) - 1)]
    marks = ["     "] + [{True: "ok   ", False: "WRONG", None: "-    "}[line["good"]] for line in rows]
    return "\n".join(
        mark + "  " + "  ".join([cell.ljust(width) for cell, width in zip(line, widths)] + line[-1:]).rstrip()
        for mark, line in zip(marks, cells))


def keep(rows, path):
    """Replaces the rows of these faults in a file that holds the last ones of every fault."""
    kept = kept_rows(path)
    faults = {line["fault"].split()[0] for line in rows}
    kept = [line for line in kept if line["fault"].split()[0] not in faults] + rows
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(sorted(kept, key=lambda line: int(line["fault"].split()[0][1:])), indent=1) + "\n")


def kept_rows(path):
    return json.loads(path.read_text()) if path.exists() else []
