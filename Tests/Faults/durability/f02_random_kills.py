"""F2: kill -9 at random times under load, and a chain of resumes.

A job of 500 images is killed after a random time, up to a fifth of what it takes, and run again, until it is finished; then
the next one begins, until there were enough kills. Outputs must be those of an undisturbed run, byte for byte. The control
kills where the bytes of new files reach them later than their names do: it must find wrong files.
"""
import shutil

from frame import Job, Origin, preload, undisturbed

TITLE = "kill -9 at random times, under load"
TRIES, CI_TRIES = 200, 8
IMAGES = 500
CONCURRENCY = 16
EXPECTED = f"0 lost, 0 wrong, 0 litter, 0 acknowledged again, requests again ≤ {2 * CONCURRENCY} a kill"


def run(trial):
    origin = Origin()
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    wanted, outcome = undisturbed(trial.folder("reference"), urls, loading=LOADING)
    longest = outcome.seconds
    trial.say(f"a run takes {longest:.1f} s")

    chain = Chain(trial, origin, urls, wanted, longest)
    chain.kill(trial.tries, {})
    again = chain.repeated
    control = Chain(trial, origin, urls, wanted, longest)
    control.kill(max(5, trial.tries // 20), {"LD_PRELOAD": preload("faults"), "NB_LATE_DATA": "1000"})
    trial.row(
        tries=f"{trial.tries} kills of {chain.lives} jobs", expected=EXPECTED,
        seen=f"{chain.lost} lost, {chain.wrong} wrong, {chain.litter} litter, {chain.redone} acknowledged again, "
             f"requests again: {sum(again) / max(1, len(again)):.1f} a kill, {max(again, default=0)} at most; "
             f"resumed after {1000 * max(chain.starts):.0f} ms at most",
        good=chain.bad == 0 and max(again, default=0) <= 2 * CONCURRENCY,
        control=f"late bytes: {control.bad} wrong", caught=control.bad > 0)


LOADING = {"rate": "100000/s", "burst": 100000, "concurrency": CONCURRENCY}


class Chain:
    """Jobs that are killed and resumed until each is finished."""

    def __init__(self, trial, origin, urls, wanted, longest):
        self.trial, self.origin, self.urls, self.wanted, self.longest = trial, origin, urls, wanted, longest
        self.kills = self.lives = self.lost = self.wrong = self.litter = self.redone = self.bad = 0
        self.repeated, self.starts = [], []

    def kill(self, count, environment):
        while self.kills < count:
            self.live(count, environment)

    def live(self, count, environment):
        """One job from its plan to its end."""
        self.lives += 1
        folder = self.trial.work / "job"
        shutil.rmtree(folder, ignore_errors=True)
        job = Job(folder, self.urls, loading=LOADING)
        self.origin.requests.clear()
        acknowledged, before, killed = {}, 0, False
        while True:
            may_kill = self.kills < count
            moment = self.trial.random.uniform(0, self.longest / 5) if may_kill else None
            outcome = job.run("run", "--json", environment=environment, kill_after=moment)
            requests = self.origin.requests
            if killed:
                # What this run asked for again, the kill before it has cost.
                repeated = sum(number - 1 for number in requests.values())
                self.repeated.append(repeated - before)
                before = repeated
            self.redone += sum(requests[path] > number for path, number in acknowledged.items())
            for url in outcome.acknowledged:
                path = url.removeprefix(self.origin.url)
                acknowledged.setdefault(path, requests[path])
            killed = outcome.exit == 137
            self.kills += killed
            if not killed:
                break
        if outcome.exit != 0:
            self.bad += 1
            self.trial.say(f"exit {outcome.exit}: {outcome.errors[-300:]}")
        found = job.examine(self.wanted)
        self.lost += len(found.lost) + len(found.unfinished)
        self.wrong += len(found.wrong) + len(found.damaged)
        self.litter += len(found.litter)
        self.bad += sum(map(len, found)) + self.redone
        if not found.good and not environment:
            self.trial.say(f"job {self.lives}: {found}: {[list_[:3] for list_ in found if list_]}")
        self.starts.append(first_event(job, environment))


def first_event(job, environment):
    """Seconds until a run of the finished job has read its state."""
    return job.run("run", "--json", environment=environment).seconds
