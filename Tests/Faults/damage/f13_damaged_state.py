"""F13: damaged state.

A job was killed in its middle; then its state is damaged: bits flipped, the database cut, emptied, replaced by noise, its log
deleted or damaged, its schema that of a later release (which must be refused). The next run may go on or end with 4; it may not
crash, hang, or begin from nothing without a word. After an exit 4, `doctor --rebuild` must make a state from the outputs; the
next run must finish the job with the outputs of an undisturbed run. The control deletes the whole state, which must be seen as a
beginning from nothing.
"""
import collections, shutil, sqlite3

from frame import Job, Origin, undisturbed

TITLE = "damaged state: bits, cuts, a lost log, a later schema"
TRIES, CI_TRIES = 500, 6
IMAGES = 16


def run(trial):
    origin = Origin()
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    wanted, _ = undisturbed(trial.folder("reference"), urls)
    template, done = half_done(trial, urls)
    seen = collections.Counter()
    for number in range(trial.tries):
        name = trial.random.choice(list(DAMAGES))
        shutil.rmtree(trial.work / "job", ignore_errors=True)
        shutil.copytree(template, trial.work / "job")
        job = Job(trial.work / "job", urls)
        what = DAMAGES[name](job.folder / ".nuke-batch", trial.random)
        for wrong in examine(trial, origin, job, wanted, done, f"{number}: {name} {what}"):
            seen[wrong] += 1
    shutil.rmtree(trial.work / "job")
    shutil.copytree(template, trial.work / "job")
    job = Job(trial.work / "job", urls)
    shutil.rmtree(job.folder / ".nuke-batch")
    origin.requests.clear()
    shutil.rmtree(job.folder / "cache")
    job.run()
    again = sum(origin.requests[path] for path in done)
    trial.row(tries=f"{trial.tries} damages", expected="0 crashes, 0 hangs, 0 begun from nothing, 0 lost, all rebuilt",
              seen=f"{seen['crash']} crashes, {seen['nothing']} begun from nothing, {seen['rebuild']} not rebuilt, "
                   f"{seen['lost']} lost; {seen['refused']} refused with 4",
              good=not any(seen[name] for name in ("crash", "nothing", "rebuild", "lost")),
              control=f"no state, no cache: {again} of {len(done)} loaded again", caught=again > len(done) / 2)


def half_done(trial, urls):
    """A job that was killed when half of its items were done; returns its folder and the paths of those."""
    while True:
        job = Job(trial.work / "template", urls)
        process = job.start("run", "--json")
        lines = []
        while len(lines) < IMAGES // 2 and (line := process.stdout.readline()):
            lines += [line] * (b"item_finished" in line)
        process.kill()
        process.communicate()
        items = [item for item in job.items() if item["state"] == "done"]
        if len(items) < IMAGES:
            return job.folder, {item["url"][item["url"].rindex("/"):] for item in items}
        shutil.rmtree(job.folder)


def examine(trial, origin, job, wanted, done, name):
    """What goes wrong with the damaged job."""
    origin.requests.clear()
    wrong = []
    outcome = job.run(kill_after=60)
    if outcome.exit not in (0, 1, 4):
        wrong.append("crash")
    again = sum(origin.requests[path] for path in done)
    if outcome.exit != 4 and again > len(done) / 2:
        wrong.append("nothing")
    if "later schema" in name:
        return wrong + ["refused" if outcome.exit == 4 and "newer release" in outcome.errors else "lost"]
    last = outcome
    if outcome.exit == 4:
        rebuilt = job.run("doctor", "--rebuild")
        if rebuilt.exit != 0:
            wrong.append("rebuild")
        last = job.run()
    if last.exit == 1:
        # Damage that no check can tell from a failure; it may be asked for again.
        last = job.run("retry")
    found = job.examine(wanted) if last.exit == 0 else None
    if found is None or found.lost or found.unfinished or found.wrong:
        wrong.append("lost")
    if wrong:
        trial.say(f"{name}: exit {outcome.exit}, at last {last.exit}: {wrong}; {outcome.errors[-300:].strip()} "
                  f"{found or last.errors[-200:]}")
    return wrong + ["refused"] * (outcome.exit == 4)


def flip(path, random, count=1):
    data = bytearray(path.read_bytes())
    places = [random.randrange(len(data) * 8) for _ in range(count)]
    for place in places:
        data[place // 8] ^= 1 << place % 8
    path.write_bytes(data)
    return f"at {places[:3]}"


def truncate(path, random):
    size = random.randrange(path.stat().st_size)
    with open(path, "r+b") as file:
        file.truncate(size)
    return f"to {size}"


def noise(path, random):
    start = random.randrange(path.stat().st_size)
    with open(path, "r+b") as file:
        file.seek(start)
        file.write(random.randbytes(min(4096, path.stat().st_size - start)))
    return f"from {start}"


def later_schema(folder, random):
    with sqlite3.connect(folder / "job.sqlite") as database:
        database.execute("PRAGMA user_version = 9999")
    database.close()
    return ""


def remove(path, random):
    path.unlink()
    return ""


def empty(path, random):
    path.write_bytes(b"")
    return ""


def checkpointed(damage):
    """Damages the database after its log was brought into it."""
    def apply(folder, random):
        database = sqlite3.connect(folder / "job.sqlite")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        return damage(folder / "job.sqlite", random)
    return apply


def on(name, damage):
    return lambda folder, random: damage(folder / name, random)


DAMAGES = {
    "a bit": checkpointed(flip), "20 bits": checkpointed(lambda path, random: flip(path, random, 20)),
    "cut": checkpointed(truncate), "noise": checkpointed(noise), "empty": checkpointed(empty),
    "bit before the log": on("job.sqlite", flip), "cut before the log": on("job.sqlite", truncate),
    "bit in the log": on("job.sqlite-wal", flip), "cut log": on("job.sqlite-wal", truncate), "no log": on("job.sqlite-wal", remove),
    "later schema": later_schema, "bit in the journal": on("job.inflight", flip), "cut journal": on("job.inflight", truncate),
    "no database, but its log": on("job.sqlite", remove),
}
