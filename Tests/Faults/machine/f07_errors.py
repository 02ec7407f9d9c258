"""F7: errors of the file system: each errno at each call site, read-only and lost disks, file size limits, short writes.

A preloaded library lets one call of a run fail (or all from it on): each of 40 errors at each kind of call in each of the three
folders. The run may go on or end with 4; it may not crash, hang, or blame an item: none is failed, no attempt is spent. The next
run, without the fault, must finish the job with the outputs of an undisturbed run. The control lets the origin answer 404, which
must be seen as blame.
"""
import collections, errno, os, resource, shutil

from frame import Failure, Job, Origin, preload, undisturbed
from frame.disks import Disk

TITLE = "errors of the file system at each call, read-only and lost disks, short writes"
TRIES, CI_TRIES = 1_000_000, 10  # pairs of error and call site
IMAGES = 8
FOLDERS = {"/out": "outputs", "/cache": "cache", "/.nuke-batch": "state"}
ERRORS = """ENOSPC EIO EROFS EDQUOT EFBIG EMFILE ENFILE ENOMEM ESTALE ENOTCONN ETIMEDOUT EBUSY EACCES EPERM ENODEV ENXIO EAGAIN
EINTR ENOLCK ECANCELED ENOBUFS ECONNRESET EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH EREMOTEIO EPROTO EOPNOTSUPP EINVAL EBADMSG
EUCLEAN ENOMEDIUM EMEDIUMTYPE ESHUTDOWN ETXTBSY ECOMM ENOLINK EOVERFLOW ECONNABORTED""".split()
# What asks for the call to be made again may not last.
ONCE = {"EINTR", "EAGAIN"}


def run(trial):
    origin = Origin()
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    wanted, _ = undisturbed(trial.folder("reference"), urls)
    sweep(trial, urls, wanted)
    limits(trial, urls, wanted)
    if shutil.which("mkfs.ext4") and os.path.exists("/dev/loop-control"):
        lost_disk(trial, urls, wanted)


def sweep(trial, urls, wanted):
    sites = call_sites(trial, urls)
    pairs = [(site, name) for site in sorted(sites) for name in ERRORS]
    chosen = pairs if trial.tries >= len(pairs) else trial.random.sample(pairs, trial.tries)
    bad = collections.Counter()
    exits = collections.Counter()
    for (folder, call), name in chosen:
        lasts = name not in ONCE and trial.random.random() < 0.5
        at = trial.random.randint(1, sites[folder, call])
        environment = {"LD_PRELOAD": preload("faults"), "NB_FAIL": call, "NB_FAIL_PATH": f"{trial.work}/job{folder}",
                       "NB_FAIL_AT": str(at), "NB_FAIL_COUNT": "1000000" if lasts else "1",
                       "NB_ERRNO": str(getattr(errno, name))}
        where = f"{name} at {call} {at}{' and on' if lasts else ''} in {FOLDERS[folder]}"
        exit, wrong = attempt(trial, urls, wanted, where, environment=environment)
        exits[exit] += 1
        bad.update(wrong)
    blamed = control(trial)
    trial.row(case="errno", tries=f"{len(chosen)} of {len(ERRORS)} errors × {len(sites)} call sites",
              expected="exit 0 or 4; 0 items blamed, 0 lost", good=not bad,
              seen=f"{bad['blamed']} runs blamed items, {bad['lost']} lost something, {bad['crashed']} crashed or hung; "
                   "exits " + ", ".join(f"{code} ({count})" for code, count in sorted(exits.items())),
              control=f"404: {blamed} items blamed", caught=blamed == IMAGES)


def call_sites(trial, urls):
    """How often each call is made in each folder."""
    journal = trial.work / "calls"
    job = Job(trial.work / "job", urls)
    job.run(environment={"LD_PRELOAD": preload("faults"), "NB_CALLS": str(journal)})
    sites = collections.Counter()
    for line in journal.read_text().splitlines():
        call, path = line.split(" ", 1)
        for folder in FOLDERS:
            if f"{job.folder}{folder}" in path:
                sites[folder, call] += 1
    return sites


def attempt(trial, urls, wanted, where, **settings):
    """One run with a fault and one without; returns the exit code of the first, and what was wrong."""
    shutil.rmtree(trial.work / "job", ignore_errors=True)
    job = Job(trial.work / "job", urls)
    wrong = set()
    try:
        outcome = job.run(limit=60, **settings)
        exit = outcome.exit
    except Failure as failure:
        exit, outcome = 137, None
        trial.say(f"{where}: {failure}")
    if exit not in (0, 4):
        wrong.add("crashed" if exit > 128 else "blamed")
    listing = job.run("items", "--json")
    if listing.exit == 0 and blame(job.items()):
        wrong.add("blamed")
    resumed = job.run()
    try:
        found = job.examine(wanted)
    except Failure as failure:
        found = failure
    if resumed.exit != 0 or isinstance(found, Failure) or not found.good:
        wrong.add("lost")
    if wrong:
        trial.say(f"{where}: exit {exit}, then {resumed.exit}: {', '.join(sorted(wrong))}; {found}; "
                  f"{(outcome.output + outcome.errors)[-300:].strip() if outcome else ''}")
    return exit, wrong


def blame(items):
    """The items that were made to pay: failed, or with an attempt gone though they wait."""
    return [item["url"] for item in items
            if item["state"] in ("failed", "quarantined") or (item["state"] in ("pending", "retry") and item["attempts"])]


def control(trial):
    origin = Origin(lambda path: None)
    job = Job(trial.folder("control"), [f"{origin.url}/{number}.png" for number in range(IMAGES)])
    job.run()
    return len(blame(job.items()))


def limits(trial, urls, wanted):
    """Files that may not grow, and writes that write a part."""
    for name, settings in {
        "file size limit": {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))},
        "short writes": {"environment": {"LD_PRELOAD": preload("faults"), "NB_SHORT": "100"}},
    }.items():
        exit, wrong = attempt(trial, urls, wanted, name, **settings)
        expected = {0} if name == "short writes" else {4}
        trial.row(case=name, tries=1, expected=f"exit {min(expected)}, 0 items blamed, then finished",
                  good=not wrong and exit in expected, seen=f"exit {exit}, {', '.join(sorted(wrong)) or '0 blamed, 0 lost'}")


def lost_disk(trial, urls, wanted):
    """A disk that is gone in mid-run: every call gives EIO. What was on it is there again after a restart."""
    for folder, name in FOLDERS.items():
        shutil.rmtree(trial.work / "job", ignore_errors=True)
        job = Job(trial.work / "job", urls)
        disk = Disk(trial.work / "disk.img", job.folder / folder[1:], "ext4")
        os.chmod(job.folder / folder[1:], 0o700)
        process = job.start("run", "--json")
        while b"item_finished" not in (line := process.stdout.readline()) and line:
            pass
        disk.cut()
        outcome = job.end(process, limit=60)
        disk.restart()
        blamed = blame(job.items())
        resumed = job.run()
        found = job.examine(wanted)
        trial.row(case=f"lost disk of {name}", tries=1, expected="exit 0 or 4, 0 items blamed, then finished",
                  seen=f"exit {outcome.exit}, {len(blamed)} blamed; resumed: exit {resumed.exit}, {found}",
                  good=outcome.exit in (0, 4) and not blamed and resumed.exit == 0
                  and not any(kind for field, kind in found._asdict().items() if field != "litter"))
        disk.detach()
