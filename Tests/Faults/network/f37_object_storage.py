"""F37: a job from bucket to bucket, killed again and again while the store, its clock and the credentials go wrong.

Photographs in a bucket become three sizes in another one. The program is killed with SIGKILL at random moments. Meanwhile
the store answers 503 and 500, resets connections before and after writes took effect, tears and flips bytes; the
credentials end in the middle, and the store's clock runs ahead by an hour. In the end every object must be there with the
bytes of an undisturbed job in a folder, nothing else, no upload in parts may be left, and no file of the job may hold a
secret. The controls: `verify` finds an object whose bytes were changed, and the scan finds a secret that is put into a file.
"""
import json, pathlib, shutil, subprocess, time

from frame import Failure
from frame.job import Job
from frame.places import REPOSITORY, built, program_under_test

TITLE = "kill -9 in a job from bucket to bucket, with storms, ended credentials and a wrong clock"
TRIES, CI_TRIES = 60, 6
NEEDS = []
PHOTOGRAPHS, CI_PHOTOGRAPHS = 2000, 150
LARGEST, MOST_WIDTHS = 400, 100  # pixels wide, of originals that have 450 and more; outputs of one resize
STORM = [
    {"operation": None, "probability": 0.005, "fault": "slowDown"},
    {"operation": None, "probability": 0.02, "fault": "internalError"},
    {"operation": None, "probability": 0.02, "fault": "resetBefore"},
    {"operation": "PutObject", "probability": 0.05, "fault": "resetAfter"},
    {"operation": "GetObject", "probability": 0.02, "fault": "truncatedBody"},
]
OUTPUTS = [
    {"name": name, "processors": [{"resize": {"width": width}}], "format": form, "path": f"{name}/{{stem}}.{{ext}}"}
    for name, width, form in [("small", 48, "jpeg"), ("medium", 96, "webp"), ("large", 160, "jpeg")]
]
SECRETS = ["first/secret+key=", "second/secret+key=", "token+of/the=second"]


def run(trial):
    count = PHOTOGRAPHS if trial.tries >= TRIES else CI_PHOTOGRAPHS
    photographs = sources(trial.folder("photographs"), count)
    wanted = undisturbed(trial.folder("reference"), photographs)
    store = Store(trial.seed)
    store.tell(fill=[str(photographs), "photos"])
    job = BucketJob(trial.folder("job"), store, sorted(path.name for path in photographs.iterdir()))
    began = time.monotonic()
    kills, lives = kill(trial, store, job)
    seconds = time.monotonic() - began
    store.tell(faults=[])
    state = store.tell(list="out", dump=["out", str(trial.folder("made"))])
    made = {str(path.relative_to(trial.work / "made")): path.read_bytes()
            for path in (trial.work / "made").rglob("*") if path.is_file()}
    lost = [path for path in wanted if path not in made]
    wrong = [path for path, data in made.items() if wanted.get(path) != data]
    items = job.items()
    unfinished = [item["url"] for item in items if item["state"] != "done"]
    spent = [item["url"] for item in items if item["state"] == "failed"]
    doubled = len(items) - len({item["url"] for item in items})
    found = scan(trial.work / "job")
    (trial.work / "job" / "planted").write_text(f"x {SECRETS[0]} y")
    control = scan(trial.work / "job")
    verified = job.run("verify")
    (trial.folder("changed") / sorted(wanted)[0].split("/")[0]).mkdir()
    (trial.work / "changed" / sorted(wanted)[0]).write_bytes(b"changed")
    store.tell(fill=[str(trial.work / "changed"), "out"])
    damaged = job.run("verify")
    good = not (lost or wrong or unfinished or spent or doubled or state["uploads"] or found) and verified.exit == 0
    trial.row(
        tries=f"{kills} kills of a job of {count} photographs, {lives} runs in {seconds:.0f} s",
        expected="lost 0, doubled 0, wrong 0, unfinished 0, uploads left 0, secrets 0",
        seen=f"lost {len(lost)}, doubled {doubled}, wrong {len(wrong)}, unfinished {len(unfinished)}, "
             f"uploads left {len(state['uploads'])}, secrets {len(found)}; {state['counts']['PutObject']} requests to write "
             f"{len(wanted)} objects, {state['counts']['GetObject']} to read {count}",
        good=good, control=f"a planted secret: {len(control)} found; a changed object: verify ends with {damaged.exit}",
        caught=len(control) == len(found) + 1 and damaged.exit == 1)


def kill(trial, store, job):
    """Runs the job until it is finished; returns the numbers of kills and of runs."""
    store.tell(faults=STORM, seed=trial.seed)
    kills = lives = 0
    while True:
        lives += 1
        if lives > 20 * trial.tries + 50:
            raise Failure(f"the job is not finished after {lives} runs")
        # The credentials end in the middle, and the clock jumps.
        if lives == trial.tries // 3:
            store.expire()
        if lives == trial.tries // 2:
            store.tell(clock=3600)
        moment = trial.random.uniform(0.1, 1.5) if kills < trial.tries else None
        outcome = job.run("run", "--json", limit=600, kill_after=moment)
        if outcome.exit == 137:
            kills += 1
        elif outcome.exit == 0:
            if kills >= trial.tries or moment is None:
                return kills, lives
            job.forget()
        elif outcome.exit != 4:
            raise Failure(f"exit {outcome.exit}: {outcome.errors[-600:]}")
        elif moment is None and "credentials" not in outcome.errors + outcome.output:
            trial.say(f"exit 4: {outcome.errors[-200:]}{outcome.output[-300:]}")


class Store:
    """The object store on loopback, which is told what to do."""

    def __init__(self, seed):
        words = [built("loopback-store"), "photos", "out"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.facts = json.loads(self.process.stdout.readline())
        self.key = {"accessKey": self.facts["accessKey"], "secretKey": self.facts["secretKey"]}
        self.keys = [self.key]

    def tell(self, **settings):
        self.process.stdin.write(json.dumps(settings) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def expire(self):
        """Ends the first key; the second one is temporary."""
        second = {"accessKey": "AKIDSECOND", "secretKey": SECRETS[1], "sessionToken": SECRETS[2]}
        self.keys = [second]
        self.tell(keys=[{**self.key, "expiresIn": -1}, {**second, "expiresIn": 86400}])


class BucketJob(Job):
    """The job; its credentials are in the shared file, which is written anew when they have ended."""

    def __init__(self, folder, store, names):
        self.store = store
        super().__init__(
            folder, [f"s3://photos/{name}" for name in names], outputs=OUTPUTS, destination="s3://out",
            storage={"s3": {"endpoint": store.facts["endpoint"], "putRate": "100000/s", "buckets": ["photos"]}}, network={},
            retry={"attempts": 20, "backoff": "10ms..200ms"}, loading={"rate": "100000/s", "burst": 1000})

    def start(self, *words, environment={}, **settings):
        shared = self.folder.parent / "credentials"
        lines = ["[default]"]
        for key in self.store.keys:
            lines += [f"aws_access_key_id = {key['accessKey']}", f"aws_secret_access_key = {key['secretKey']}"]
            if "sessionToken" in key:
                lines.append(f"aws_session_token = {key['sessionToken']}")
        shared.write_text("\n".join(lines) + "\n")
        own = {"AWS_SHARED_CREDENTIALS_FILE": str(shared), "AWS_EC2_METADATA_DISABLED": "true"}
        return super().start(*words, environment={**own, **environment}, **settings)

    def forget(self):
        """Begins anew, so that there is something to kill; what is written stays."""
        shutil.rmtree(self.folder / ".nuke-batch", ignore_errors=True)
        shutil.rmtree(self.folder / "cache", ignore_errors=True)


def sources(folder, count):
    """The project's photographs, each in many widths and qualities: JPEGs that differ."""
    photographs = REPOSITORY / "Jobs/photos"
    share = count // sum(path.suffix in (".jpg", ".png") for path in photographs.iterdir())
    for step in range(0, share, MOST_WIDTHS):
        widths = ",".join(str(LARGEST - number) for number in range(min(MOST_WIDTHS, share - step)))
        quality = str(90 - step // MOST_WIDTHS)
        words = ["resize", photographs, "--width", widths, "--quality", quality, "--format", "jpeg",
                 "--name", f"{{stem}} {{width}} {quality}.{{ext}}", "-o", folder]
        made = subprocess.run([program_under_test(), *words], cwd=folder.parent, capture_output=True, text=True)
        if made.returncode != 0:
            raise Failure(f"the photographs cannot be made: {made.stdout}{made.stderr}")
    shutil.rmtree(folder / ".nuke-batch")
    return folder


def undisturbed(folder, photographs):
    """The outputs of the same images in a folder."""
    job = Job(folder, [f"{photographs}/{path.name}" for path in photographs.iterdir()], outputs=OUTPUTS,
              network={"fileRoots": [str(photographs)]})
    outcome = job.run(limit=600)
    if outcome.exit != 0:
        raise Failure(f"without a fault: exit {outcome.exit}: {outcome.output}{outcome.errors}")
    return {str(path.relative_to(job.folder / "out")): path.read_bytes()
            for path in (job.folder / "out").rglob("*") if path.is_file()}


def scan(folder):
    """The files that hold a secret."""
    secrets = [text.encode() for text in SECRETS]
    return [str(path) for path in pathlib.Path(folder).rglob("*")
            if path.is_file() and any(secret in path.read_bytes() for secret in secrets)]
