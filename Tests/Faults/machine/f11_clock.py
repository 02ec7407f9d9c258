"""F11: clocks that jump.

A preloaded library moves the wall clock, not the monotonic one: by 400 days forward and back before a run, between two runs while
an item waits for its next attempt, and in the middle of a run. No run may hang, be busy while it waits, or wait longer than the
longest backoff. The control is a program that waits until a wall time (`date` in a loop), which must not end in time.
"""
import os, shutil, subprocess, threading, time

from frame import Job, Origin, png, preload, undisturbed

TITLE = "clocks that jump by 400 days"
IMAGES = 30
DAYS = 400 * 86_400
BACKOFF = 2.0  # s
RETRY = {"attempts": 4, "backoff": f"900ms..{BACKOFF:.0f}s"}


def run(trial):
    troubles = Troubles()
    origin = Origin(troubles)
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    library = preload("clock")
    shift = trial.work / "shift"

    def attempt(name, shifts, between):
        """Runs the job; `shifts`: (seconds after the start of the first run, shift). `between`: shift before the second."""
        shutil.rmtree(trial.work / "job", ignore_errors=True)
        job = Job(trial.work / "job", urls, retry=RETRY)
        troubles.begin()
        shift.write_text("0")
        environment = {"LD_PRELOAD": library, "NB_CLOCK": str(shift)}
        cpu, began = os.times(), time.monotonic()
        timers = [threading.Timer(delay, shift.write_text, [str(by)]) for delay, by in shifts]
        for timer in timers:
            timer.start()
        outcome = job.run(environment=environment, limit=120, kill_after=0.5 if between is not None else 30)
        if between is not None:
            shift.write_text(str(between))
            outcome = job.run(environment=environment, limit=120, kill_after=30)
        seconds = time.monotonic() - began
        after = os.times()
        used = after.children_user + after.children_system - cpu.children_user - cpu.children_system
        for timer in timers:
            timer.join()
        return outcome, seconds, used

    plain, normal, usual = attempt("no jump", [], None)
    caught = control(trial, library, shift)
    for name, shifts, between in [
        ("400 days on, before", [(0, DAYS)], None), ("400 days back, before", [(0, -DAYS)], None),
        ("400 days on, in a run", [(0.4, DAYS)], None), ("400 days back, in a run", [(0.4, -DAYS)], None),
        ("an hour back, in a run", [(0.4, -3600)], None), ("NTP steps", [(0.2 + n / 10, (-1) ** n) for n in range(10)], None),
        ("400 days on, between", [], DAYS), ("400 days back, between", [], -DAYS),
    ]:
        outcome, seconds, used = attempt(name, shifts, between)
        late = seconds - normal
        good = outcome.exit == 0 and late <= 4 * BACKOFF + 2 and used <= 3 * usual + 2
        trial.row(case=name, tries=1, expected=f"exit 0, at most {4 * BACKOFF:.0f} s more, not busy",
                  seen=f"{'HUNG' if outcome.exit == 137 else f'exit {outcome.exit}'}, {late:+.1f} s, {used:.1f} s of CPU",
                  good=good, control="wait for a wall time: not ended" if name == "400 days back, in a run" else "",
                  caught=caught if name == "400 days back, in a run" else None)


class Troubles:
    """Each image fails once with 503, and a third of them with a connection that is closed."""

    def __init__(self):
        self.begin()

    def begin(self):
        self.asked = set()

    def __call__(self, path):
        number = int(path[1:-4])
        if number % 3 == 0 and number not in self.asked:
            self.asked.add(number)
            raise ConnectionResetError
        return png(number)


def control(trial, library, shift):
    """Whether a program that waits for a wall time is seen to hang when the clock steps back."""
    shift.write_text("0")
    script = "import time; end = time.time() + 1\nwhile time.time() < end: time.sleep(0.01)"
    process = subprocess.Popen(["python3", "-c", script], env={**os.environ, "LD_PRELOAD": library, "NB_CLOCK": str(shift)})
    time.sleep(0.5)
    shift.write_text(str(-DAYS))
    try:
        process.wait(3)
        return False
    except subprocess.TimeoutExpired:
        return True
    finally:
        process.kill()
        process.wait()
