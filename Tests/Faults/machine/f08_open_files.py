"""F8: few open files.

Runs with low limits of open files, and one whose limit is lowered while it works (prlimit). A soft limit is no obstacle where the
hard one is higher, and from 128 on a run must finish; below, it may refuse with exit code 4 and name the limit. No item is
blamed, and the next run without the limit finishes the job.
"""
import resource, shutil, time

from frame import Job, Origin, png, undisturbed
from machine.f07_errors import blame

TITLE = "few open files"
IMAGES = 60
LIMITS = [(24, 24), (64, 64), (128, 128), (256, 256), (24, 4096)]  # soft and hard
LOADING = {"rate": "100000/s", "burst": 100000, "concurrency": 64, "perHost": 64}


def run(trial):
    def answer(path):
        time.sleep(0.05)
        return png(int(path[1:-4]))

    origin = Origin(answer)
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    wanted, _ = undisturbed(trial.folder("reference"), urls, loading=LOADING)

    def case(name, may_refuse, start):
        shutil.rmtree(trial.work / "job", ignore_errors=True)
        job = Job(trial.work / "job", urls, loading=LOADING)
        outcome = job.end(start(job), limit=60)
        done = len(set(outcome.acknowledged))
        listing = job.run("items", "--json")
        blamed = blame(job.items()) if listing.exit == 0 else []
        resumed = job.run()
        found = job.examine(wanted)
        good = outcome.exit in ((0, 4) if may_refuse else (0,)) and not blamed and resumed.exit == 0 and found.good
        trial.row(case=name, tries=1, expected=f"exit 0{' or 4' if may_refuse else ''}, 0 blamed, 0 lost",
                  seen=f"exit {outcome.exit} after {outcome.seconds:.1f} s, {done} of {IMAGES} finished, {len(blamed)} blamed; "
                       f"resumed: exit {resumed.exit}, {len(found.lost)} lost", good=good)
        if not good:
            trial.say((outcome.output[-300:] if "{" not in outcome.output[-300:] else "") + outcome.errors[-300:])

    for soft, hard in LIMITS:
        case(f"limit {soft}" if soft == hard else f"soft limit {soft}, hard {hard}", hard < 128, lambda job: job.start(
            "run", "--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))))

    def lowered(job):
        process = job.start("run", "--json")
        time.sleep(trial.random.uniform(0.1, 0.3))
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (20, 20))
        return process

    case("lowered to 20 in mid-run", True, lowered)
