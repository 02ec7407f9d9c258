"""F38: a fleet of three workers over twelve hosts, killed at random; then stores and workers that lie.

1,200 images of twelve hosts are cut into partitions of 40 and fewer, a host into three of them, so that its rate is divided.
Three workers do them, each a process on its own, as `--partition N` or over a pipe, and are ended at random moments: by SIGKILL,
by SIGTERM, by the end of their pipe in either direction. In the end `collect` must prove the job complete, with the bytes of an
undisturbed job, and no host may have seen more than rate x t + burst in any time t, over all workers and kills. The controls
break the store afterwards in each way that a lying worker or store could, and `collect` must name the partition.
"""
import gzip, hashlib, json, os, queue, subprocess, sys, threading, time

from fleet.bucket import Bucket
from frame import Failure
from frame.job import Job
from frame.places import REPOSITORY, built
from network.f32_politeness import HOPS, Lateness, worst
from servers import namespace
from servers.server import HTTPServer, Kept, response
from frame import png

TITLE = "kill -9 of three workers over twelve hosts, and stores and workers that lie"
TRIES, CI_TRIES = 100, 12
NEEDS = ["namespaces", "ip"]
HOSTS, IMAGES, PARTITION = 12, 100, 40
RATE, BURST = 60, 20
WORKERS = 3
PLACES = {"folder": None, "loopback": "loopback-store", "seaweedfs": "seaweedfs", "moto": "moto"}


def run(trial):
    namespace.answer()
    chosen = list(PLACES) if trial.tries >= TRIES else ["folder", "loopback"]
    wanted = None
    for place in chosen:
        origin = Origin()
        if wanted is None:
            wanted = undisturbed(trial, origin)
            origin.arrivals.clear()
        store = Store(place, trial)
        fleet = Fleet(trial, place, store)
        seconds, kills = fleet.work(trial.tries)
        proof = fleet.collect()
        origin.end()
        made = store.outputs()
        items = [json.loads(line) for line in gzip.decompress(store.read("collected/results.jsonl.gz")).splitlines()]
        lost = HOSTS * IMAGES - sum(item["state"] == "done" for item in items)
        doubled = len(items) - len({item["index"] for item in items})
        wrong = [path for path, data in made.items() if wanted.get(path) != data] + [path for path in wanted if path not in made]
        excess = max(origin.excess().values())
        caught, controls = fleet.controls() if place == "folder" else fleet.conditions()
        trial.row(
            case=place, tries=f"{kills} ends of workers, {fleet.partitions} partitions, {seconds:.0f} s",
            expected="lost 0, doubled 0, wrong 0, over rate × t + burst 0, collect 0",
            seen=f"lost {lost}, doubled {doubled}, wrong {len(wrong)}, worst window {excess:+.1f}, collect {proof.returncode}",
            good=not (lost or doubled or wrong) and round(excess, 1) <= 0 and proof.returncode == 0,
            control=f"{controls} lies", caught=caught)
        store.end()


class Origin:
    """Twelve hosts with a hundred images each, which write down when they are asked."""

    def __init__(self):
        self.arrivals, self.lock = {}, threading.Lock()
        self.lateness = Lateness()
        self.server = HTTPServer(self.answer)

    def answer(self, request, connection):
        with self.lock:
            self.arrivals.setdefault(request.address, []).append(request.time)
        return Kept(response(png(int(request.path.strip("/").split(".")[0]))))

    def excess(self):
        """The requests of each host's worst window above what is allowed in it."""
        return {host: worst(sorted(times), RATE, BURST) - RATE * HOPS * self.lateness.most for host, times in self.arrivals.items()}

    def end(self):
        self.lateness.ended = True
        self.server.stop()


def urls():
    return [f"http://{namespace.public(10 + host)}/{host * IMAGES + image}.png" for image in range(IMAGES) for host in range(HOSTS)]


SETTINGS = {"loading": {"rate": f"{RATE}/s", "burst": BURST}, "network": {}, "retry": {"attempts": 8, "backoff": "20ms..100ms"}}


def undisturbed(trial, origin):
    """The outputs of the same job on one machine."""
    job = Job(trial.folder("reference"), urls(), **SETTINGS)
    outcome = job.run(limit=300)
    if outcome.exit != 0:
        raise Failure(f"without a fault: exit {outcome.exit}: {outcome.output}{outcome.errors}")
    return {str(path.relative_to(job.folder / "out")): path.read_bytes() for path in (job.folder / "out").rglob("*") if path.is_file()}


class Fleet:
    """A job, its plan in a store, and the workers on this machine."""

    def __init__(self, trial, place, store):
        self.trial, self.store = trial, store
        self.folder = trial.folder(f"fleet-{place}")
        self.job = Job(self.folder, urls(), **SETTINGS)
        self.plan = None
        planned = self.command("plan", "job.json", "--partition-items", str(PARTITION), "--json")
        if planned.returncode != 0:
            raise Failure(f"plan: exit {planned.returncode}: {planned.stderr}")
        plan = json.loads(planned.stdout)
        self.partitions, self.plan = plan["partitions"], plan["hash"]

    def words(self, action, *words):
        return [self.trial.program, "fleet", action, *words, "--store", self.store.name]

    def command(self, action, *words, **settings):
        return subprocess.run(self.words(action, *words), cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=600, **settings)

    @property
    def environment(self):
        # A folder of this user needs no hash.
        told = {"NUKE_BATCH_PLAN": self.plan} if self.plan and self.store.process else {}
        return {**os.environ, "SWIFT_BACKTRACE": "enable=no", **self.store.environment, **told}

    def work(self, tries):
        """Does all partitions with three workers, `tries` of which are ended; returns the seconds and the number of ends."""
        began, self.ends, self.lock = time.monotonic(), 0, threading.Lock()
        self.left, self.failures = queue.Queue(), []
        while True:
            for number in self.missing():
                self.left.put(number)
            threads = [threading.Thread(target=self.worker, args=(name, tries)) for name in range(WORKERS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if self.failures:
                raise Failure(self.failures[0])
            if not self.missing():
                return time.monotonic() - began, self.ends
            if time.monotonic() - began > 900:
                raise Failure(f"partitions {self.missing()} are not committed after 900 s")

    def missing(self):
        status = self.command("status", "--json")
        if status.returncode != 0:
            raise Failure(f"status: exit {status.returncode}: {status.stderr}")
        return json.loads(status.stdout)["missing"]

    def worker(self, name, tries):
        scratch = self.folder / f"scratch-{name}"
        scratch.mkdir(exist_ok=True)
        while True:
            try:
                number = self.left.get_nowait()
            except queue.Empty:
                return
            with self.lock:
                ended = self.ends < tries
                self.ends += ended
                way = self.trial.random.choice(["kill", "kill", "kill", "term", "input", "output"]) if ended else None
                moment = self.trial.random.uniform(0.05, 1.6)
                pipe = way in ("input", "output") or self.trial.random.random() < 0.5
            words = self.words("work", "--scratch", str(scratch), *(["-"] if pipe else ["--partition", str(number)]))
            process = subprocess.Popen(words, cwd=self.folder, env=self.environment, text=True, stderr=subprocess.PIPE,
                                       stdin=subprocess.PIPE if pipe else subprocess.DEVNULL, stdout=subprocess.PIPE)
            try:
                if pipe:
                    process.stdin.write(f"{number}\n")
                    process.stdin.flush()
                    if way != "output":
                        process.stdin.close()
                if way:
                    try:
                        process.wait(moment)
                    except subprocess.TimeoutExpired:
                        pass
                if way == "kill":
                    process.kill()
                elif way == "term":
                    process.terminate()
                elif way == "output":
                    process.stdout.close()
                    process.stdin.close()
                errors = process.stderr.read()
                process.wait(300)
            except (subprocess.TimeoutExpired, BrokenPipeError, ValueError) as error:
                process.kill()
                self.failures.append(f"partition {number}: {error!r}")
                return
            if process.returncode not in (0, -9, -15, 4, 143):
                self.failures.append(f"partition {number}: exit {process.returncode}: {errors[-400:]}")
                return

    def collect(self):
        return self.command("collect", "--scratch", str(self.folder))

    def conditions(self):
        """A second commit by force, which any store allows."""
        return self.lies([self.second_winner])

    def controls(self):
        return self.lies([self.second_winner, self.wrong_counts, self.changed_row, self.changed_row_and_digest, self.doubled_row,
                          self.no_commit, self.foreign_commit, self.foreign_plan])

    def lies(self, lies):
        """Tells each lie to a copy of the store; returns whether all were found, and their number."""
        found = 0
        for lie in lies:
            partition = self.trial.random.randrange(self.partitions)
            undo = self.store.snapshot()
            exit, word = lie(partition)
            proof = self.collect()
            undo()
            if proof.returncode == exit and word in proof.stdout + proof.stderr:
                found += 1
            else:
                self.trial.say(f"{lie.__name__}: exit {proof.returncode}, {proof.stdout}{proof.stderr}")
        after = self.collect()
        return found == len(lies) and after.returncode == 0, f"{found} of {len(lies)}"

    def commit(self, partition):
        return json.loads(self.store.read(f"commits/{partition:06}.json"))

    def write_commit(self, partition, commit):
        self.store.write(f"commits/{partition:06}.json", json.dumps(commit).encode())

    def second_winner(self, partition):
        commit = self.commit(partition)
        other = {**commit, "attempt": "0" * 8 + commit["attempt"][8:]}
        rows = self.store.read(f"attempts/{partition:06}/{commit['attempt']}.jsonl.gz")
        self.store.write(f"attempts/{partition:06}/{other['attempt']}.jsonl.gz", rows)
        self.write_commit(partition, other)
        self.store.write(f"attempts/{partition:06}/{other['attempt']}.won", b"{}")
        return 4, f"partition {partition}"

    def wrong_counts(self, partition):
        commit = self.commit(partition)
        commit["counts"]["done"] += 1
        self.write_commit(partition, commit)
        return 4, f"partition {partition}"

    def rows(self, partition, change, digest):
        commit = self.commit(partition)
        path = f"attempts/{partition:06}/{commit['attempt']}.jsonl.gz"
        rows = change([json.loads(line) for line in gzip.decompress(self.store.read(path)).splitlines()])
        data = gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
        self.store.write(path, data)
        if digest:
            self.write_commit(partition, {**commit, "sha256": hashlib.sha256(data).hexdigest()})
        return 4, f"partition {partition}"

    def changed_row(self, partition):
        return self.rows(partition, lambda rows: [{**rows[0], "original": "0" * 64}] + rows[1:], digest=False)

    def changed_row_and_digest(self, partition):
        return self.rows(partition, lambda rows: [{**rows[0], "key": "0" * 32}] + rows[1:], digest=True)

    def doubled_row(self, partition):
        return self.rows(partition, lambda rows: [rows[0]] + rows[:-1], digest=True)

    def no_commit(self, partition):
        commit = self.commit(partition)
        self.store.remove(f"commits/{partition:06}.json")
        self.store.remove(f"attempts/{partition:06}/{commit['attempt']}.won")
        return 5, f"partition {partition}"

    def foreign_commit(self, partition):
        self.write_commit(self.partitions + 7, self.commit(partition))
        return 4, f"commits/{self.partitions + 7:06}.json is no commit"

    def foreign_plan(self, partition):
        self.write_commit(partition, {**self.commit(partition), "plan": "0" * 64})
        return 4, f"partition {partition}"


class Store:
    """The store of a fleet: a folder, or a bucket of a server on loopback."""

    def __init__(self, place, trial):
        self.folder = trial.work / f"store-{place}"
        self.environment, self.process = {}, None
        if place == "folder":
            self.name = str(self.folder)
            return
        if place == "loopback":
            words = [built("loopback-store"), "fleet"]
        else:
            words = [sys.executable, REPOSITORY / "Tests/ObjectStores/start", place, trial.work / f"server-{place}"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise Failure(f"{place} did not start; run Tests/ObjectStores/install {place} before")
        facts = json.loads(line)
        self.environment = {
            "AWS_ENDPOINT_URL": facts["endpoint"], "AWS_REGION": facts["region"], "AWS_ACCESS_KEY_ID": facts["accessKey"],
            "AWS_SECRET_ACCESS_KEY": facts["secretKey"], "AWS_EC2_METADATA_DISABLED": "true"}
        self.client = Bucket(facts, "fleet")
        if place != "loopback":
            self.client.create()
        self.name = "s3://fleet/job"

    def read(self, key):
        return (self.folder / key).read_bytes() if self.process is None else self.client.get(f"job/{key}")

    def write(self, key, data):
        if self.process is None:
            (self.folder / key).write_bytes(data)
        else:
            self.client.put(f"job/{key}", data)

    def remove(self, key):
        if self.process is None:
            (self.folder / key).unlink()
        else:
            self.client.delete(f"job/{key}")

    def keys(self):
        if self.process is None:
            return [str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()]
        return [key.removeprefix("job/") for key in self.client.list("job/")]

    def outputs(self):
        return {key.removeprefix("out/"): self.read(key) for key in self.keys() if key.startswith("out/")}

    def snapshot(self):
        """Returns a function that undoes what is changed from here on."""
        before = {key: self.read(key) for key in self.keys() if key.startswith(("commits/", "attempts/"))}

        def undo():
            for key in self.keys():
                if key.startswith(("commits/", "attempts/")) and key not in before:
                    self.remove(key)
            for key, data in before.items():
                self.write(key, data)
        return undo

    def end(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
