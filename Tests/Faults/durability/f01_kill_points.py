"""F1: kill -9 at every call that changes a file.

A run is killed at its n-th call (create, write, link, rename, unlink, truncate, sync, mkdir; a write is made by half), for each
n from 1 to the last, and then resumed. Afterwards the outputs must be those of an undisturbed run, nothing acknowledged may
have been loaded again, and nothing temporary may be left. The cases: a first run; a run that replaces outputs, whose manifest
was changed; a run that writes shards; the library's DataCache (cache-bench). CI tries points at random. The control kills where
the bytes of new files reach them late: it must find wrong files.
"""
import json, shutil, subprocess

from frame import Job, Origin, built, preload, undisturbed
from frame.shards import members

TITLE = "kill -9 at every call that changes a file"
TRIES, CI_TRIES = 1_000_000, 4  # points of each case at most
IMAGES = 8
SHARDS = {"pack": "tar", "itemsPerFile": 5, "index": "index.jsonl"}
EXPECTED = "0 bad, 0 acknowledged again"


def run(trial):
    origin = Origin()
    late = {"NB_LATE_DATA": "1000"}
    for case in [FirstRun, Replacing, Shards]:
        sweep = Sweep(trial, case(trial, origin))
        sweep.go({}, most=trial.tries)
        control = Sweep(trial, sweep.case)
        if case is not Shards:  # they have names before their bytes, and are cut to what is recorded
            control.go(late, most=min(trial.tries, 24), last=10)  # when much was acknowledged
        trial.row(case=case.__name__, tries=f"{sweep.points} kill points of {sweep.calls}", expected=EXPECTED,
                  seen=f"{sweep.bad} bad, {sweep.again} acknowledged again", good=not sweep.bad and not sweep.again,
                  control=f"late bytes: {control.bad} bad" if control.points else "",
                  caught=control.bad > 0 if control.points else None)
    cache(trial)


class FirstRun:
    """A job that was never run."""
    keys = {}

    def __init__(self, trial, origin):
        self.trial, self.origin = trial, origin
        self.urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
        self.template = trial.folder(type(self).__name__)
        self.wanted = self.prepare()

    def prepare(self):
        wanted, _ = undisturbed(self.template / "reference", self.urls, **self.keys)
        Job(self.template / "job", self.urls, **self.keys)
        return wanted

    def fresh(self):
        """A copy of the job as it is before the run that is killed."""
        folder = self.trial.work / "job"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.template / "job", folder)
        job = Job(folder, self.urls, **self.keys)
        self.origin.requests.clear()
        return job

    def bad(self, job):
        """What is wrong with the finished job; empty if nothing is."""
        found = job.examine(self.wanted)
        return "" if found.good else f"{found}: {[list_[:2] for list_ in found if list_]}"


class Replacing(FirstRun):
    """A job that was finished before its manifest was changed."""

    def prepare(self):
        outputs = [{"processors": [{"resize": {"width": width}}], "format": "jpeg", "path": "{stem}.{ext}"} for width in (60, 44)]
        undisturbed(self.template / "job", self.urls, outputs=outputs[:1])
        self.keys = {"outputs": outputs[1:]}
        wanted, _ = undisturbed(self.template / "reference", self.urls, **self.keys)
        return wanted


class Shards(FirstRun):
    """A job that packs its outputs into tar files; their order is that of the run."""
    keys = {"dataset": SHARDS}

    def prepare(self):
        super().prepare()
        return members(self.template / "reference/out")

    def bad(self, job):
        states = {item["state"] for item in job.items()}
        there = members(job.folder / "out")
        parts = list((job.folder / "out").rglob("*.part")) + list((job.folder / "out").rglob(".nb-*"))
        same = sorted(there.values()) == sorted(self.wanted.values())
        return "" if same and states == {"done"} and not parts else f"{len(there)} members, {states}, {parts}"


class Sweep:
    def __init__(self, trial, case):
        self.trial, self.case = trial, case
        self.points = self.calls = self.bad = self.again = 0

    def go(self, environment, *, most, last=1):
        """Kills at each point, or at so many of them by chance; of the last tenth of them if `last` is 10."""
        environment = {"LD_PRELOAD": preload("faults"), **environment}
        journal = self.trial.work / "calls"
        journal.unlink(missing_ok=True)
        self.case.fresh().run(environment={**environment, "NB_CALLS": str(journal)})
        self.calls = len(journal.read_text().splitlines())
        every = list(range(1 + self.calls - self.calls // last, self.calls + 1))
        for point in sorted(self.trial.random.sample(every, most)) if most < len(every) else every:
            self.kill(point, environment)

    def kill(self, point, environment):
        job = self.case.fresh()
        killed = job.run("run", "--json", environment={**environment, "NB_KILL_AT": str(point)})
        if killed.exit == 0:
            return  # it made fewer calls than the run that was counted
        self.points += 1
        asked = dict(self.case.origin.requests)
        resumed = job.run()
        bad = self.case.bad(job)
        if killed.exit != 137 or resumed.exit != 0 or bad:
            self.bad += 1
            if "NB_LATE_DATA" not in environment:
                self.trial.say(f"call {point}: exits {killed.exit} and {resumed.exit}: {bad}{resumed.errors[-200:]}")
        for url in killed.acknowledged:
            path = url.removeprefix(self.case.origin.url)
            self.again += self.case.origin.requests[path] > asked.get(path, 0)


def cache(trial):
    """Kills a dozen steps of a DataCache (cache-bench once), and examines what is left."""

    def sweep(environment, most):
        environment = {"LD_PRELOAD": preload("faults"), **environment}
        path, journal = trial.work / "cache", trial.work / "calls"
        journal.unlink(missing_ok=True)

        def once(more):
            shutil.rmtree(path, ignore_errors=True)
            return subprocess.run([built("cache-bench"), "once", path], env={**environment, **more}, stdout=subprocess.PIPE)

        once({"NB_CALLS": str(journal)})
        calls = len(journal.read_text().splitlines())
        points = bad = 0
        for point in sorted(trial.random.sample(range(1, calls + 1), min(most, calls))):
            killed = once({"NB_KILL_AT": str(point)})
            if killed.returncode == 0:
                continue
            points += 1
            (trial.work / "journal").write_bytes(killed.stdout)
            found = subprocess.run([built("cache-bench"), "examine", path, trial.work / "journal"], stdout=subprocess.PIPE)
            findings = json.loads(found.stdout) if found.returncode == 0 else {"integrity": "cannot be opened"}
            wrong = [name for name in ("lost", "wrong", "litter", "disagreements") if findings.get(name)]
            if wrong or findings["integrity"] != "ok":
                bad += 1
                if "NB_LATE_DATA" not in environment:
                    trial.say(f"call {point}: {findings}")
        return points, calls, bad

    points, calls, bad = sweep({}, trial.tries)
    # With the few points of CI it could miss them all.
    _, _, caught = sweep({"NB_LATE_DATA": "64"}, 40)
    trial.row(case="DataCache", tries=f"{points} kill points of {calls}", expected="0 bad", seen=f"{bad} bad", good=not bad,
              control=f"late bytes: {caught} bad", caught=caught > 0)
