"""F26: images of a few kilobytes that ask for gigabytes of memory or hours of time.

Each is a job of its own with limits.memory 256 MB, whose process is measured: at most 64 MB above that limit, at most 20 s of
CPU. The control raises limits.maxPixels and limits.memory for one of them: it must take more.
"""
from hostile.bombs import bombs, png_of, zeros
from servers import OUTPUTS
from servers.measured import measure
from frame import Job

TITLE = "decompression bombs: sizes, scans, frames, profiles, texts"
TRIES = 1
MEMORY, MOST_SECONDS = 256, 20
FLOOR = 64  # MB above the limit, of the program itself


def run(trial):
    wrong, peak, slowest, size = [], (0, ""), (0, ""), 0
    files = bombs()
    for name, (expected, data) in files.items():
        made, result = explode(trial, name, data, {"memory": f"{MEMORY}MB"})
        item = made.items()[0] if result.exit in (0, 1) else {"error": f"exit {result.exit}", "state": ""}
        seen = item["error"] or item["state"]
        if seen not in expected.split("|"):
            wrong.append(f"{name}: {seen}")
        peak, slowest = max(peak, (result.peak, name)), max(slowest, (result.cpu, name))
        size = max(size, len(data))
    _, control = explode(trial, "control.png", png_of(20000, 20000, data=zeros(20000 * 60001)),
                         {"memory": "3GB", "maxPixels": "400MP"})
    trial.row(
        tries=f"{len(files)} files, {size / 1e6:.1f} MB at most",
        expected=f"misclassified 0, memory ≤ {MEMORY + FLOOR} MB, CPU ≤ {MOST_SECONDS} s",
        seen=f"misclassified {len(wrong)}, {peak[0]:.0f} MB ({peak[1]}), {slowest[0]:.1f} s ({slowest[1]})" + "".join(f"; {line}" for line in wrong),
        good=not wrong and peak[0] <= MEMORY + FLOOR and slowest[0] <= MOST_SECONDS,
        control=f"limits raised: {control.peak:.0f} MB", caught=control.peak > MEMORY + FLOOR)


def explode(trial, name, data, limits):
    made = Job(trial.folder(name), [], sources=[{"files": "in/*"}], outputs=OUTPUTS, limits=limits)
    (made.folder / "in").mkdir()
    (made.folder / "in" / name).write_bytes(data)
    result = measure(made, limit=100)
    (made.folder / "in" / name).unlink()
    trial.say(f"{name}: exit {result.exit}, {result.peak:.0f} MB, {result.cpu:.1f} s")
    return made, result
