"""F14: damaged originals in the cache.

A finished job gets another size for its outputs, so that the next run needs the originals. Before it, files of the cache are cut,
emptied, swapped with each other, flipped in a bit or removed. The run must notice each (its length, or its hash after an unclean
end), load it again, and write the outputs of an undisturbed run. The control leaves the files alone: nothing may be loaded.
"""
import collections, shutil

from frame import Job, Origin, undisturbed

TITLE = "damaged originals in the cache"
TRIES, CI_TRIES = 40, 4  # rounds
IMAGES = 20
OUTPUTS = [[{"processors": [{"resize": {"width": width}}], "format": "jpeg", "path": "{stem}.{ext}"}] for width in (60, 44)]


def run(trial):
    origin = Origin()
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    wanted, _ = undisturbed(trial.folder("reference"), urls, outputs=OUTPUTS[1])
    undisturbed(trial.work / "clean", urls, outputs=OUTPUTS[0])
    unclean(trial, urls)
    seen = collections.Counter()
    for number in range(trial.tries):
        for wrong in attempt(trial, origin, urls, wanted, number):
            seen[wrong] += 1
    again = loaded_again(trial, origin, urls, "clean", {})
    trial.row(tries=f"{seen['damaged']} damaged files", expected="all detected, 0 served bad",
              seen=f"{seen['detected']} detected, {seen['served']} served bad, {seen['failed']} runs failed",
              good=seen["detected"] == seen["damaged"] and not seen["served"] and not seen["failed"],
              control=f"no damage: {again} loaded", caught=again == 0)


def unclean(trial, urls):
    """The same job, whose run was killed when all was done: hashes are checked after that."""
    while True:
        job = Job(trial.work / "unclean", urls, outputs=OUTPUTS[0])
        process = job.start("run", "--json")
        finished = 0
        while finished < IMAGES and (line := process.stdout.readline()):
            finished += b"item_finished" in line
        process.kill()
        process.communicate()
        # A cache that is closed has brought its log into its index.
        if (job.folder / "cache/index.sqlite-wal").exists():
            return
        shutil.rmtree(job.folder)


def loaded_again(trial, origin, urls, state, damages):
    return sum(start(trial, origin, urls, state, damages)[1].values())


def start(trial, origin, urls, state, damages):
    """Damages a copy of the finished job's cache and runs the changed job; returns the job, its requests and the outcome."""
    shutil.rmtree(trial.work / "job", ignore_errors=True)
    shutil.copytree(trial.work / state, trial.work / "job")
    job = Job(trial.work / "job", urls, outputs=OUTPUTS[1])
    for path, damage in damages.items():
        damage(job.folder / path)
    origin.requests.clear()
    outcome = job.run()
    return job, dict(origin.requests), outcome


def attempt(trial, origin, urls, wanted, number):
    state = ["clean", "unclean"][number % 2]
    folder = trial.work / state
    files = sorted(str(path.relative_to(folder)) for path in folder.glob("cache/[0-9a-f][0-9a-f]/*"))
    chosen = trial.random.sample(files, 4)
    # After a clean end only lengths are compared: what keeps its length is found by `cache verify`.
    kinds = ["cut", "empty", "removed"] + (["flipped", "swapped"] if state == "unclean" else [])
    damages, damaged = {}, 0
    for path in chosen:
        kind = trial.random.choice(kinds)
        other = folder / trial.random.choice([name for name in files if name != path])
        damages[path] = lambda file, kind=kind, other=other: KINDS[kind](file, other, trial.random)
        damaged += 1
    job, requests, outcome = start(trial, origin, urls, state, damages)
    found = job.examine(wanted)
    loaded = sum(requests.values())
    result = ["damaged"] * damaged + ["detected"] * min(damaged, loaded)
    if outcome.exit != 0:
        result.append("failed")
    if found.wrong or found.lost:
        result += ["served"] * max(1, len(found.wrong))
    if outcome.exit != 0 or not found.good or loaded != damaged:
        trial.say(f"round {number} ({state}): exit {outcome.exit}, {loaded} of {damaged} loaded again, {found} "
                  f"{outcome.errors[-200:]}")
    return result


def write(path, data):
    path.chmod(0o600)
    path.write_bytes(data)


KINDS = {
    "cut": lambda path, other, random: write(path, path.read_bytes()[:random.randrange(1, path.stat().st_size)]),
    "empty": lambda path, other, random: write(path, b""),
    "removed": lambda path, other, random: path.unlink(),
    "flipped": lambda path, other, random: write(path, flip(bytearray(path.read_bytes()), random)),
    "swapped": lambda path, other, random: write(path, other.read_bytes()),
}


def flip(data, random):
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return data
