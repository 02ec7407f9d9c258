"""Twelve nights of one job with real runs, in which everything goes wrong once; between them the clock jumps."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from . import series
from .origin import REPOSITORY, Host

PROGRAM = os.environ.get("NUKE_BATCH") or str(REPOSITORY / ".build/release/nuke-batch")
HOUR = 3600
DAY = 24 * HOUR
START = 1_780_281_000  # 2026-06-01 02:30 UTC, the first night
PICTURES = 30  # of each host in the first night


class Nights:
    """A job in a folder, its origin, and what its file of metrics held at which time since the first night."""

    def __init__(self, folder):
        self.folder, self.collected, self.exits = pathlib.Path(folder), [], []
        self.hosts = [Host("127.0.0.1"), Host("127.0.0.2")]
        self.file = self.folder / "night.prom"
        clock = self.folder / "clock.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", clock, REPOSITORY / "Tests/Faults/preloads/clock.c"], check=True)
        self.environment = {**os.environ, "LD_PRELOAD": str(clock), "NB_CLOCK": str(self.folder / "shift")}
        self.write(PICTURES)

    def write(self, pictures):
        """Writes the manifest of a job with so many pictures of each host."""
        urls = [f"http://{host.address}:{host.port}/{n}.jpg" for host in self.hosts for n in range(pictures)]
        (self.folder / "job.json").write_text(json.dumps({
            "name": 'night "A"', "sources": [{"urls": urls}], "destination": "out", "cache": {"directory": "cache"},
            "outputs": [{"processors": [{"resize": {"width": 16}}], "format": "jpeg", "path": "{index}.{ext}"}],
            "loading": {"rate": "500/s", "burst": 100}, "retry": {"backoff": "10ms..20ms", "recheck": "1d"},
            "network": {"allow": ["127.0.0.0/8"]}}))

    def set_clock(self, seconds):
        shift = self.folder / "shift.new"
        shift.write_text(str(int(START + seconds - time.time())))
        shift.replace(self.folder / "shift")

    def begin(self, seconds, *words):
        self.set_clock(seconds)
        self.file.unlink(missing_ok=True)
        return subprocess.Popen([PROGRAM, "run", "job.json", "--revalidate", "--json", "--metrics", str(self.file), *words],
                                cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, seconds, *words):
        """Runs the job to its end as cron does, and collects its metrics."""
        run = self.begin(seconds, *words)
        errors = run.communicate()[1]
        self.exits.append(run.returncode)
        self.collect(seconds, errors)

    def collect(self, seconds, errors=""):
        if not self.file.exists():
            raise AssertionError(f"no metrics: {errors}")
        self.collected.append((seconds, self.file.read_text()))

    def collect_active(self, seconds):
        """Collects what a run writes after the clock was set, while it works."""
        self.set_clock(seconds)
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if self.file.exists():
                values = series.values(self.file.read_text())
                written = next(v for k, v in values.items() if k[0] == "nuke_batch_written_timestamp_seconds")
                started = [v for k, v in values.items() if k[0] == "nuke_batch_last_run_start_timestamp_seconds"]
                active = [v for k, v in values.items() if k[0] == "nuke_batch_queue_length"]
                if written >= START + seconds and started and active:
                    return self.collect(seconds)
            time.sleep(0.2)
        raise AssertionError("the run wrote no metrics")

    def all(self):
        first, second = self.hosts
        self.run(0)
        # Two pictures are new, and one of them comes at the second request only.
        self.write(PICTURES + 1)
        asked = []
        second.answer = lambda number: 500 if number == PICTURES and not asked and not asked.append(number) else 200
        self.run(1 * DAY)
        second.heal()
        # A third of the pictures is missing.
        second.answer = lambda number: 404 if number >= PICTURES // 3 else 200
        self.run(2 * DAY)
        second.heal()
        self.run(3 * DAY)
        # A host is down; the first run meets it, and is stopped; the next one gives it up.
        second.stop()
        run = self.begin(4 * DAY)
        for line in run.stdout:
            if '"unreachable"' in line:
                run.send_signal(signal.SIGTERM)
                break
        run.communicate()
        self.exits.append(run.returncode)
        self.collect(4 * DAY)
        self.run(4 * DAY + HOUR)
        second.start()
        self.run(5 * DAY)
        # Nobody starts the job in the nights 6 and 7. In the next one, the destination is not mounted.
        (self.folder / "out").rename(self.folder / "elsewhere")
        self.run(8 * DAY)
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        (self.folder / "elsewhere").rename(self.folder / "out")
        # A run that is killed while it waits.
        first.stall()
        second.stall()
        run = self.begin(9 * DAY)
        self.collect_active(9 * DAY + 60)
        run.kill()
        run.communicate()
        self.exits.append(-run.returncode)
        # A run that waits for a whole day.
        run = self.begin(10 * DAY)
        for hours in (0.1, 8, 16, 25):
            self.collect_active(10 * DAY + hours * HOUR)
        run.send_signal(signal.SIGTERM)
        run.communicate()
        self.exits.append(run.returncode)
        self.collect(11 * DAY + 1.1 * HOUR)
        first.heal()
        second.heal()
        self.run(11 * DAY + 2 * HOUR)
        return self
