"""A job of nuke-batch in a folder of its own: starts its commands and examines what they left."""
import hashlib, json, os, pathlib, sqlite3, subprocess, time, typing

from .places import program_under_test

OUTPUTS = [
    {"name": "small", "processors": [{"resize": {"width": 60}}], "format": "jpeg", "path": "small/{stem}.{ext}"},
    {"name": "web", "processors": [{"resize": {"width": 40}}], "format": "webp", "path": "web/{stem}.{ext}"},
]


class Failure(Exception):
    """The program did what no fault may make it do."""


class Outcome(typing.NamedTuple):
    exit: int  # 128 + the signal after a signal
    output: str
    errors: str
    seconds: float

    @property
    def events(self):
        """What `run --json` said, without a line that was cut off."""
        whole = self.output[:self.output.rfind("\n") + 1]
        return [json.loads(line) for line in whole.splitlines() if line.startswith("{")]

    @property
    def acknowledged(self):
        """The URLs that the run called finished."""
        return [event["item"]["url"] for event in self.events if event["event"] == "item_finished"]


class Findings(typing.NamedTuple):
    """What is wrong with a finished job."""
    lost: list  # outputs that are not there
    wrong: list  # files with other bytes than those of a run without faults
    litter: list  # temporary files
    unfinished: list  # items in another state than done
    damaged: list  # databases that fail SQLite's integrity check

    @property
    def good(self):
        return not any(self)

    def __str__(self):
        return ", ".join(f"{len(found)} {name}" for name, found in self._asdict().items())


class Job:
    def __init__(self, folder, urls, **keys):
        """A job of these URLs; `keys` are added to its manifest."""
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.manifest = {
            "sources": [{"list": "urls.txt"}], "outputs": OUTPUTS, "cache": {"directory": "cache"},
            "network": {"allow": ["127.0.0.1"]}, "loading": {"rate": "100000/s", "burst": 100000}, **keys}
        (self.folder / "urls.txt").write_text("".join(f"{url}\n" for url in urls))
        self.write()

    def write(self):
        (self.folder / "job.json").write_text(json.dumps(self.manifest))

    def start(self, command="run", *words, environment={}, before=(), **settings):
        """Starts a command of the program on the manifest, with the words `before` it; `settings` are Popen's."""
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **settings}
        # A crash is to be one, and not examined.
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **environment}
        return subprocess.Popen([*before, program_under_test(), command, "job.json", *words], cwd=self.folder, env=environment,
                                **settings)

    def end(self, process, *, limit=120, kill_after=None):
        """Waits for its end, or kills it after so many seconds; raises `Failure` if it hangs for `limit`."""
        began = time.monotonic()
        try:
            output, errors = process.communicate(timeout=limit if kill_after is None else kill_after)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            if kill_after is None:
                raise Failure(f"{process.args[1:]} has not ended after {limit} s: {text(errors)[-500:]}")
        exit = process.returncode if process.returncode >= 0 else 128 - process.returncode
        return Outcome(exit, text(output), text(errors), time.monotonic() - began)

    def run(self, command="run", *words, limit=120, kill_after=None, **settings):
        return self.end(self.start(command, *words, **settings), limit=limit, kill_after=kill_after)

    def items(self):
        listing = self.run("items", "--json")
        if listing.exit != 0:
            raise Failure(f"items: {listing.exit} {listing.errors}")
        return [json.loads(line) for line in listing.output.splitlines()]

    def outputs(self):
        """The SHA-256 of each file in the destination."""
        return {str(path.relative_to(self.folder / "out")): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in sorted((self.folder / "out").rglob("*")) if path.is_file()}

    def examine(self, wanted):
        """Compares the job with the outputs of the same one without faults."""
        there = self.outputs()
        litter = [str(path) for path in self.folder.rglob("*") if ".nb-" in path.name or path.suffix == ".tmp"]
        return Findings(
            lost=[path for path in wanted if path not in there],
            wrong=[path for path, digest in there.items() if digest != wanted.get(path) and ".nb-" not in path],
            litter=litter,
            unfinished=[item["url"] for item in self.items() if item["state"] != "done"],
            damaged=[str(path) for path in self.folder.rglob("*.sqlite") if integrity(path) != "ok"])


def integrity(path):
    """The answer of SQLite's integrity check."""
    database = sqlite3.connect(path)
    try:
        return database.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        return str(error)
    finally:
        database.close()


def text(data):
    return (data or b"").decode(errors="replace") if isinstance(data, (bytes, type(None))) else data


def undisturbed(folder, urls, **keys):
    """Runs a job without faults; returns its outputs, as `Job.examine` wants them, and its outcome."""
    job = Job(folder, urls, **keys)
    outcome = job.run()
    if outcome.exit != 0:
        raise Failure(f"without a fault: exit {outcome.exit}: {outcome.output}{outcome.errors}")
    return job.outputs(), outcome
