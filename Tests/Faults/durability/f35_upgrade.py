"""F35: unfinished jobs of earlier releases.

Copies of the fixtures of EarlierStateTests, which a release left when it was killed in its middle: jobs with files and with
shards, of which seven of twelve images are done. The program under test must finish them without loading what was done. The
control forgets the state and the cache, after which everything must be loaded again.
"""
import http.server, shutil, threading

from frame import REPOSITORY, Job
from frame.images import png

TITLE = "unfinished jobs of earlier releases"
CI_TRIES = 1
FIXTURES = {"0.1.0": REPOSITORY / "Tests/CommandLineTests/Fixtures/UnfinishedJobs"}
LEFT, MISSING = {3, 9, 10, 11, 12}, 3


class Proxy(http.server.BaseHTTPRequestHandler):
    """Serves http://photos.example/N.png, but for one."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name = self.path.rsplit("/", 1)[1]
        body = b""
        # Datasets ask for a robots.txt, of which there is none.
        if name != "robots.txt":
            number = int(name.split(".")[0])
            self.server.asked.append(number)
            body = png(number, 4, 4) if number != MISSING else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def run(trial):
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    environment = {"http_proxy": f"http://127.0.0.1:{proxy.server_port}"}

    def resume(fixture, name, *, forget):
        folder = trial.work / "job"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(fixture, folder)
        for private in (".nuke-batch", "cache"):  # a checkout keeps no permissions of folders
            (folder / private).chmod(0o700)
            if forget:
                shutil.rmtree(folder / private)
        proxy.asked = []
        job = Unfinished(folder, name)
        outcome = job.run(environment=environment)
        verified = job.run("verify")
        return outcome, verified, [item["state"] for item in job.items()], set(proxy.asked)

    for version, fixture in FIXTURES.items():
        for name in ("files", "dataset"):
            outcome, verified, states, asked = resume(fixture, name, forget=False)
            good = outcome.exit == 1 and verified.exit == 0 and states.count("done") == 11 and asked <= LEFT
            _, _, _, all_again = resume(fixture, name, forget=True)
            trial.row(case=f"{version}, {name}", tries="12 items", expected="11 done, 1 missing, 0 of 7 loaded again",
                      seen=f"{states.count('done')} done, {states.count('failed')} missing, {len(asked - LEFT)} loaded again; "
                           f"verify: exit {verified.exit}",
                      good=good, control=f"forgotten: {len(all_again - LEFT)} loaded again", caught=len(all_again - LEFT) == 7)
            if not good:
                trial.say(outcome.errors[-400:])


class Unfinished(Job):
    """A job that is there already."""

    def __init__(self, folder, name):
        self.folder = folder
        shutil.copy(folder / f"{name}.json", folder / "job.json")
        for suffix in (".sqlite", ".sqlite-wal", ".lock", ".inflight"):
            path = folder / f".nuke-batch/{name}{suffix}"
            if path.exists():
                path.rename(folder / f".nuke-batch/job{suffix}")
