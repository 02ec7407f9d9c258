"""F9: little memory: large originals, a memory limit of the system, no address space, no threads.

Memory is the most that was resident without being a file's (RssAnon, every 10 ms). Large originals must stay within
`limits.memory` + 64 MB; where the system's limit (control group) leaves as much, the run must finish. A process that the system
kills for its memory (exit 137) may lose nothing and quarantine nothing. Without address space or threads a run may end with 4; it
may not hang or crash. The control is a limit so low that the process must be killed.
"""
import pathlib, resource, shutil, subprocess, time

from frame import Job, Origin, cgroups, png, undisturbed
from frame.images import noise_png
from machine.f07_errors import blame

TITLE = "memory: large originals, control groups, no address space, no threads"
NEEDS = ["root"]
TRIES = 24  # large originals
MB = 1_000_000
LIMIT = 20
OUTPUTS = [{"processors": [{"resize": {"width": 64}}], "format": "jpeg", "path": "{stem}.{ext}"}]
WHOLE = [{"processors": [{"rotate": {"degrees": 90}}], "format": "jpeg", "path": "{stem}.{ext}"}]  # needs all pixels at once
LOADING = {"rate": "100000/s", "burst": 100000, "concurrency": 16, "perHost": 16}


def run(trial):
    large(trial, "bodies of 84 MB", noise_png(trial.random, 5300, 5300), 256, trial.tries)
    large(trial, "bodies of 1.9 MB", noise_png(trial.random, 800, 800), 100, 8 * trial.tries)
    large(trial, "36 MB of pixels each", png(1, 4000, 3000), 128, trial.tries, WHOLE)
    killed(trial)
    refused(trial)


def large(trial, case, body, budget, count, outputs=OUTPUTS):
    origin = Origin(lambda path: body)
    job = Job(trial.work / "large", [f"{origin.url}/{number}.png" for number in range(count)], outputs=outputs, loading=LOADING,
              limits={"memory": f"{budget}MB"})
    process = job.start("run", stdout=subprocess.DEVNULL)
    anonymous, whole = watch(process)
    outcome = job.end(process)
    trial.row(case=case, tries=f"{count} originals", expected=f"exit 0, ≤ {budget} + 64 MB",
              seen=f"exit {outcome.exit}, {anonymous / MB:.0f} MB ({whole / MB:.0f} with files)",
              good=outcome.exit == 0 and anonymous <= (budget + 64) * MB)
    if outcome.exit != 0:
        trial.say(outcome.errors[-300:])
    origin.shutdown()
    shutil.rmtree(trial.work / "large")


def watch(process):
    """The most memory that a process has until it ends: without files, and with them."""
    anonymous = whole = 0
    while process.poll() is None:
        try:
            status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines())
            anonymous = max(anonymous, 1024 * int(status["RssAnon"].split()[0]))
            whole = max(whole, 1024 * int(status["VmHWM"].split()[0]))
        except (KeyError, OSError):
            pass
        time.sleep(0.01)
    return anonymous, whole


def killed(trial):
    """20 images of 36 MB of pixels where the system kills what takes more than a limit."""
    body = png(1, 4000, 3000)
    origin = Origin(lambda path: body)
    urls = [f"{origin.url}/{number}.png" for number in range(20)]
    wanted, _ = undisturbed(trial.folder("reference"), urls, outputs=WHOLE)
    for megabytes, memory, must_finish in [(256, "128MB", True), (48, "1GiB", False)]:
        preexec = cgroups.limit("memory", megabytes * MB)
        if preexec is None:
            trial.row(case="system's limit", tries=0, expected="", seen="left out: no control group can be made", good=None)
            return
        shutil.rmtree(trial.work / "job", ignore_errors=True)
        job = Job(trial.work / "job", urls, outputs=WHOLE, limits={"memory": memory})
        outcome = job.run(preexec_fn=preexec)
        quarantined = [item for item in job.items() if item["state"] in ("quarantined", "failed")]
        resumed = job.run()
        found = job.examine(wanted)
        expected = "exit 0" if must_finish else "exit 137, 0 quarantined"
        trial.row(case=f"system's limit {megabytes} MB", tries="20 originals", expected=f"{expected}, 0 lost",
                  seen=f"exit {outcome.exit}, {len(quarantined)} quarantined; resumed: exit {resumed.exit}, {len(found.lost)} lost",
                  good=not quarantined and resumed.exit == 0 and found.good and (outcome.exit == 0) == must_finish,
                  control="" if must_finish else f"exit {outcome.exit}", caught=None if must_finish else outcome.exit == 137)


def refused(trial):
    """Runs that get no address space or no threads."""
    origin = Origin()
    urls = [f"{origin.url}/{number}.png" for number in range(20)]
    wanted, _ = undisturbed(trial.folder("small"), urls)
    cases = [(f"{size} MB of address space", lambda size=size: resource.setrlimit(resource.RLIMIT_AS, (size * MB, size * MB)))
             for size in (150, 300, 600, 1000, 2000)]
    cases += [(f"{count} threads", None) for count in (8, 16, 24)]
    for name, preexec in cases:
        if name.endswith("threads"):
            preexec = cgroups.limit("pids", int(name.split()[0]))
            if preexec is None:
                trial.row(case="threads", tries=0, expected="", seen="left out: no control group can be made", good=None)
                break
        shutil.rmtree(trial.work / "job", ignore_errors=True)
        job = Job(trial.work / "job", urls)
        process = job.start("run", preexec_fn=preexec)
        outcome = job.end(process, kill_after=LIMIT)
        hung = outcome.seconds >= LIMIT
        listing = job.run("items", "--json")
        blamed = blame(job.items()) if listing.exit == 0 else []
        resumed = job.run()
        found = job.examine(wanted)
        trial.row(case=name, tries=1, expected="exit 0 or 4, 0 blamed, 0 lost",
                  seen=f"{'HUNG' if hung else f'exit {outcome.exit}'} after {outcome.seconds:.1f} s, {len(blamed)} blamed; "
                       f"resumed: exit {resumed.exit}, {len(found.lost)} lost",
                  good=not hung and outcome.exit in (0, 4) and not blamed and resumed.exit == 0 and found.good)
        if outcome.exit not in (0, 4) and not hung:
            trial.say(outcome.errors[-200:])
