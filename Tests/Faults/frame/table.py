"""The table of figures."""

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
