"""F3: power cuts.

A job, its state, cache and outputs lie on a file system of its own. At a random moment of a run that file system is shut down
without writing anything more (FS_IOC_SHUTDOWN), the process is killed, and the disk is mounted again. At once, each output that
was acknowledged must be there with the bytes of an undisturbed run; then the job goes on. Tries are divided between file
systems and the forms of output: files, and tar shards; a DataCache (cache-bench) is cut as well. The control is the same with
syncs that do nothing: it must lose something.
"""
import hashlib, json, os, shutil, signal, subprocess, tarfile, time

from frame import Job, Origin, built, preload, undisturbed
from frame.disks import SYSTEMS, Disk
from frame.shards import members, members_so_far

TITLE = "power cuts on ext4 and XFS"
NEEDS = ["root", "mkfs.ext4"]
TRIES = 300
IMAGES = 150
SHARDS = {"pack": "tar", "itemsPerFile": 40, "index": "index.jsonl"}
LOADING = {"rate": "100000/s", "burst": 100000}
NO_SYNC = {"NB_NO_SYNC": "1"}


def run(trial):
    origin = Origin()
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    systems = [name for name, (make, *_) in SYSTEMS.items() if shutil.which(make[0])]
    for name in set(SYSTEMS) - set(systems):
        trial.row(case=name, tries=0, expected="", seen=f"left out: there is no {SYSTEMS[name][0][0]}", good=None)
    cuts = -(-trial.tries // (2 * len(systems)))
    for form in [Files, Shards]:
        wanted = form.reference(trial, urls)
        for system in systems:
            trials = [Cuts(trial, form, system, urls, wanted) for _ in range(2)]
            trials[0].go(cuts, {})
            trials[1].go(min(cuts, 6), {"LD_PRELOAD": preload("faults"), **NO_SYNC})
            report(trial, f"{form.__name__}, {system}", trials)
    for system in systems:
        trials = [CacheCuts(trial, system) for _ in range(2)]
        trials[0].go(cuts, {})
        trials[1].go(min(cuts, 6), {"LD_PRELOAD": preload("faults"), **NO_SYNC})
        report(trial, f"DataCache, {system}", trials)


def report(trial, case, trials):
    real, control = trials
    trial.row(case=case, tries=f"{real.cuts} cuts", expected="0 lost, 0 wrong, databases ok",
              seen=f"{real.lost} lost and {real.wrong} wrong of {real.acknowledged:,} acknowledged, "
                   f"{real.damaged or 'no'} damaged databases", good=real.bad == 0,
              control=f"no syncs: {control.bad} of {control.cuts} cuts lost something", caught=control.bad > 0)


class Files:
    keys = {"loading": LOADING}

    @classmethod
    def reference(form, trial, urls):
        """The digests that an undisturbed run leaves."""
        folder = trial.folder(f"reference-{form.__name__}")
        undisturbed(folder, urls, **form.keys)
        return form.digests(folder / "out")

    @staticmethod
    def digests(folder):
        """By the number of the image."""
        found = {}
        for path in folder.rglob("*.*"):
            if path.suffix in (".jpeg", ".jpg", ".webp"):
                found.setdefault(path.stem, []).append(hashlib.sha256(path.read_bytes()).hexdigest())
        return {number: sorted(list_) for number, list_ in found.items()}

    there = digests


class Shards(Files):
    keys = {"loading": LOADING, "dataset": SHARDS}

    @staticmethod
    def digests(folder):
        """By shard and name in it."""
        return members(folder)

    there = staticmethod(members_so_far)


class Cuts:
    """Jobs on one file system, each cut again and again until it is finished."""

    def __init__(self, trial, form, system, urls, wanted):
        self.trial, self.form, self.system, self.urls, self.wanted = trial, form, system, urls, wanted
        self.cuts = self.acknowledged = self.lost = self.wrong = self.damaged = self.bad = 0

    def go(self, count, environment):
        while self.cuts < count:
            disk = Disk(self.trial.work / "disk.img", self.trial.work / "mnt", self.system)
            try:
                self.live(disk, count, environment)
            finally:
                disk.detach()

    def live(self, disk, count, environment):
        job, acknowledged = Job(disk.mount / "job", self.urls, **self.form.keys), set()
        sync(disk)
        while self.cuts < count:
            journal = self.trial.work / "events"
            with open(journal, "wb") as events:
                process = job.start("run", "--json", environment=environment, stdout=events, stderr=subprocess.DEVNULL)
                finished = self.wait(process, journal)
                disk.cut()
                process.send_signal(signal.SIGKILL)
                process.wait()
            disk.restart()
            self.cuts += 1
            text = journal.read_text()
            for line in text[:text.rfind("\n") + 1].splitlines():
                event = json.loads(line)
                if event["event"] == "item_finished" and event["item"]["state"] == "done":
                    acknowledged.add(event["item"]["url"])
            bad = self.examine(job, acknowledged)
            self.bad += bad
            # Where something is lost it stays lost; the next cut is another job's.
            if finished or bad:
                self.acknowledged += len(acknowledged)
                return
        self.acknowledged += len(acknowledged)

    def wait(self, process, journal):
        """Waits for a random number of acknowledgements and a little more; whether the run ended meanwhile."""
        lines, left = self.trial.random.randrange(IMAGES // 2), self.trial.random.uniform(0, 0.1)
        while process.poll() is None and journal.read_bytes().count(b"\n") < lines:
            time.sleep(0.002)
        try:
            process.wait(left)
            return True
        except subprocess.TimeoutExpired:
            return False

    def examine(self, job, acknowledged):
        """Whether something that was acknowledged is not as it was."""
        try:
            there = self.form.there(job.folder / "out")
        except (tarfile.TarError, OSError) as error:
            self.trial.say(f"{self.system}: {error}")
            there = {}
        listing = job.run("items", "--json")
        if listing.exit != 0:
            self.damaged += 1
            if acknowledged:
                self.lost += len(acknowledged)
            return True
        items = {item["url"]: item for item in map(json.loads, listing.output.splitlines())}
        lost = [url for url in acknowledged if url not in items or items[url]["state"] != "done"]
        wrong = []
        for url in acknowledged - set(lost):
            if self.form is Files:
                number = url.rsplit("/", 1)[1].removesuffix(".png")
                if there.get(number) != self.wanted[number]:
                    wrong.append(url)
            else:
                digests = {output["sha256"] for output in items[url]["outputs"]}
                if not digests <= set(self.wanted.values()) or not digests <= set(there.values()):
                    wrong.append(url)
        self.lost += len(lost)
        self.wrong += len(wrong)
        return bool(lost or wrong)


class CacheCuts:
    """A DataCache that stores, replaces, removes and evicts on one file system."""

    def __init__(self, trial, system):
        self.trial, self.system = trial, system
        self.cuts = self.acknowledged = self.lost = self.wrong = self.damaged = self.bad = 0

    def go(self, count, environment):
        while self.cuts < count:
            disk = Disk(self.trial.work / "disk.img", self.trial.work / "mnt", self.system)
            try:
                journals = []
                for _ in range(min(10, count - self.cuts)):
                    if self.cut(disk, environment, journals):
                        break
            finally:
                disk.detach()

    def cut(self, disk, environment, journals):
        journal = self.trial.work / f"journal-{len(journals)}"
        journals.append(journal)
        number = len(journals)
        words = [built("cache-bench"), "work", disk.mount / "cache", f"r{number}x", str(self.trial.random.randrange(10**6)),
                 str(number * 1_000_000), "1000000", "4000000"]
        with open(journal, "wb") as output:
            process = subprocess.Popen(words, stdout=output, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
            while journal.stat().st_size < 200 and process.poll() is None:  # until it has begun
                time.sleep(0.001)
            time.sleep(self.trial.random.uniform(0, 0.4))
            disk.cut()
            process.kill()
            process.wait()
        disk.restart()
        self.cuts += 1
        self.acknowledged += sum(line.startswith("done") for line in journal.read_text().splitlines())
        looked = subprocess.run([built("cache-bench"), "examine", disk.mount / "cache", *journals], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        found = json.loads(looked.stdout) if looked.returncode == 0 else {"integrity": looked.stderr.decode()[-200:]}
        self.lost += len(found.get("lost", []))
        self.wrong += len(found.get("wrong", [])) + len(found.get("litter", [])) + len(found.get("disagreements", []))
        self.damaged += found["integrity"] != "ok"
        bad = any(found.get(name) for name in ("lost", "wrong", "litter", "disagreements")) or found["integrity"] != "ok"
        if bad and not environment:
            self.trial.say(f"{self.system}: {found}")
        self.bad += bad
        return bad


def sync(disk):
    subprocess.run(["sync", "-f", disk.mount], check=True)
