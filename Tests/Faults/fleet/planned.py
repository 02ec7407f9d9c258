"""A fleet's job in a folder, planned, whose worker has a folder for temporary files of its own."""
import json, os, subprocess

from frame import Failure


class Planned:
    """The job's plan has the hash `hash`; `fleet(words)` runs a command on its store."""

    def __init__(self, trial, job, temporary):
        self.program, self.job, self.temporary = trial.program, job, temporary
        self.store = trial.work / "store"
        planned = self.fleet("plan", "job.json", "--partition-items", "2", "--json")
        if planned.returncode != 0:
            raise Failure(f"plan: exit {planned.returncode}: {planned.stderr}")
        self.hash = json.loads(planned.stdout)["hash"]

    def fleet(self, *words):
        words = [self.program, "fleet", *words, "--store", str(self.store)]
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "TMPDIR": str(self.temporary)}
        return subprocess.run(words, cwd=self.job.folder, env=environment, capture_output=True, text=True, timeout=120)

    def work(self, *words):
        """Does the first partition, as a worker that was given the plan's hash."""
        return self.fleet("work", "--partition", "0", "--plan", self.hash, *words)
