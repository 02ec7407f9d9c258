"""F15: outputs that were deleted or edited between runs.

`verify` must report exactly these (exit 1), and `verify --repair` must make exactly these again, from the cache, as an
undisturbed run made them. The control is an untouched job: nothing is reported.
"""
import re, shutil

from frame import Job, Origin, undisturbed

TITLE = "outputs that were deleted or edited between runs"
TRIES, CI_TRIES = 30, 3  # rounds
IMAGES = 20


def run(trial):
    origin = Origin()
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    wanted, _ = undisturbed(trial.work / "template", urls)
    untouched = Job(trial.work / "template", urls).run("verify")
    changed = reported = repaired = requests = bad = 0
    for number in range(trial.tries):
        shutil.rmtree(trial.work / "job", ignore_errors=True)
        shutil.copytree(trial.work / "template", trial.work / "job", copy_function=shutil.copy2)
        job = Job(trial.work / "job", urls)
        origin.requests.clear()
        chosen = trial.random.sample(sorted(wanted), trial.random.randint(1, 8))
        for path in chosen:
            edit(job.folder / "out" / path, trial.random)
        before = inodes(job)
        verified = job.run("verify")
        damaged = count(verified)
        repair = job.run("verify", "--repair")
        made = sum(before.get(path) != inode for path, inode in inodes(job).items())
        found = job.examine(wanted)
        changed += len(chosen)
        reported += damaged
        repaired += made
        requests += sum(origin.requests.values())
        if verified.exit != 1 or damaged != len(chosen) or repair.exit != 0 or not found.good or made > len(chosen):
            bad += 1
            trial.say(f"round {number}: {len(chosen)} changed; verify: exit {verified.exit}, {damaged}; "
                      f"repair: exit {repair.exit}, {made}; {found} {repair.errors[-200:]}")
    trial.row(tries=f"{changed} outputs in {trial.tries} rounds", expected="exactly these reported and made again, 0 requests",
              seen=f"{reported} reported, {repaired} made again, {requests} requests, {bad} rounds wrong",
              good=not bad and requests == 0, control=f"untouched: exit {untouched.exit}, {count(untouched)} reported",
              caught=untouched.exit == 0 and count(untouched) == 0)


def count(outcome):
    """The number of damaged outputs that verify names in its last line."""
    match = re.search(r"(\d+) damaged", outcome.output)
    return int(match[1]) if match else -1


def inodes(job):
    return {path: (job.folder / "out" / path).stat().st_ino for path in job.outputs()}


def edit(path, random):
    kind = random.randrange(4)
    if kind == 0:
        path.unlink()
        return
    data = bytearray(path.read_bytes())
    if kind == 1:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    elif kind == 2:
        del data[random.randrange(len(data)):]
    else:
        data += b"edited"
    path.write_bytes(data)
