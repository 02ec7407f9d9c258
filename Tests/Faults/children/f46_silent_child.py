"""F46: a program for Parquet that never says anything, or never stops.

A stand-in for the program is silent while it should send rows, writes to its standard error for ever, or sends one row for ever. The run
must end when its time is over, and at once after a signal, and neither memory nor disk may fill. The control is a stand-in that sends its
rows.
"""
import signal, time

from children.parquet import program, write_list
from frame import Job, Origin
from servers.measured import measure

TITLE = "a program for Parquet that is silent, or never stops"
TRIES, CI_TRIES = 1, 1
MOST_SECONDS, MOST_MEMORY, MOST_DISK = 20, 500, 200  # s, MB, MB
CASES = {
    "silent": "import time; time.sleep(1000)",
    "errors without end": "[os.write(2, b'x' * 65536) for _ in iter(int, 1)]",
    "a busy child": "[0 for _ in iter(int, 1)]",
    "rows without end": "frame(b'\"url\"\\r\\n'); [frame(b'http://127.0.0.1:9/x\\r\\n' * 3000) for _ in iter(int, 1)]",
}


def run(trial):
    origin = Origin()
    wrong, slowest, largest = [], 0, 0

    def job(name, instead):
        made = Job(trial.folder(name.replace(" ", "-")), [])
        write_list(made)
        return made, {"NUKE_BATCH_PARQUET": str(program(made.folder, "program", f"{origin.url}/1.png", instead))}

    for name, instead in CASES.items():
        made, environment = job(name, instead)
        outcome = measure(made, "run", "--max-duration", "3s", environment=environment, limit=120)
        disk = sum(path.stat().st_size for path in made.folder.rglob("*") if path.is_file()) / 1e6
        slowest, largest = max(slowest, outcome.seconds), max(largest, disk)
        # A list that is refused ends the run with 2; one that takes too long, with 5.
        if outcome.exit not in (2, 5) or outcome.seconds > MOST_SECONDS or outcome.peak > MOST_MEMORY or disk > MOST_DISK:
            wrong.append(name)
            trial.say(f"{name}: exit {outcome.exit}, {outcome.seconds:.0f} s, {outcome.peak:.0f} MB, {disk:.0f} MB of files; "
                      f"{outcome.errors[-200:]}")
    made, environment = job("signal", CASES["silent"])
    process = made.start(environment=environment)
    time.sleep(2)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    stopped = made.end(process, limit=60)
    if stopped.exit != 143 or time.monotonic() - began > 5:
        wrong.append("signal")
        trial.say(f"signal: exit {stopped.exit} after {time.monotonic() - began:.1f} s")
    made, environment = job("control", "pass")
    control = made.run(environment=environment)
    trial.row(tries=f"{len(CASES) + 1} programs", expected=f"an end within {MOST_SECONDS} s, ≤ {MOST_MEMORY} MB, ≤ {MOST_DISK} MB of files",
              seen=f"{len(wrong)} wrong, ≤ {slowest:.0f} s, ≤ {largest:.0f} MB of files", good=not wrong,
              control=f"a program that sends its rows: exit {control.exit}", caught=control.exit == 0)
