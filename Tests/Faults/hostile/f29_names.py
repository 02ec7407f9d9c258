"""F29: hostile names of outputs, and folders that become symbolic links.

Ids and variables that try to leave the destination, that no file system takes, that differ only in case, or that another output
has; destinations and folders below that are links; and a folder that is replaced by a link to outside, and back, 10,000 times
while a run writes into it. Nothing may ever be written outside of the destination, nothing may crash, and every item must end in
a final state. The control is a program that writes through the same link without care: it must write outside.
"""
import os, shutil, threading

from frame import Job, Origin

TITLE = "hostile names, symbolic links, and a race against them"
TRIES, CI_TRIES = 10_000, 500  # times that the folder is replaced
HOSTILE = ["../x", "../../../../x", "/x", "/etc/x", "a/../../x", "..", ".", "", "x" * 300, "é" * 200, "CON", "NUL.txt",
           "a\\b", "a:b", "x\u202egnp", "~root", "$(id)", "`id`", "-rf", "con.", " x ", "x\ty", "%2e%2e%2fx", "..%2fx", "..;/x",
           "\ud7ff", "😀" * 100, ".nb-1.tmp", ".nuke-batch", "*", "?", "|", "<>", "x\u0000y", "x\ny", "x\x1b[31m"]
CASES = ["Name", "name", "NAME", "nAmE"]
PATHS = ["{id}/{index}.{ext}", "{kind}/{index}.{ext}", "{index}/{id}.{ext}", "{index}/{kind}/{id}.{ext}",
         "{id}{index}/{dir}{kind}.{ext}"]
REFUSED = ["../{id}.{ext}", "/tmp/{id}.{ext}", "a/../../{id}.{ext}", "./{id}.{ext}", "a\u0000{id}.{ext}", "..",
           "{id}/../../x.{ext}"]


def run(trial):
    origin = Origin()
    outside = trial.folder("outside")
    (outside / "kept").write_text("kept")
    names(trial, origin, outside)
    refused(trial, origin, outside)
    links(trial, origin, outside)
    race(trial, origin, outside)


def entries(origin, values):
    return [{"url": f"{origin.url}/{number}.png", "id": value, "vars": {"kind": value}}
            for number, value in enumerate(values)]


def strays(trial, *known):
    """What is in the fault's work folder and should not be."""
    return [path for path in trial.work.rglob("*")
            if path.is_file() and not any(path.is_relative_to(place) for place in known)]


def names(trial, origin, outside):
    count = bad = unfinished = 0
    for number, path in enumerate(PATHS):
        values = HOSTILE + CASES
        job = Job(trial.work / f"names-{number}", [], outputs=[{"format": "png", "path": path}],
                  sources=[{"urls": entries(origin, values)}])
        outcome = job.run()
        count += len(values)
        if outcome.exit == 2:
            # Ids that say nothing are refused with the manifest; the others are tried.
            said = [value for value in values if value.strip() and "\0" not in value]
            job.manifest["sources"] = [{"urls": entries(origin, said)}]
            job.write()
            outcome = job.run()
        states = [item["state"] for item in job.items()] if outcome.exit in (0, 1) else []
        unfinished += sum(state not in ("done", "failed", "skipped") for state in states) or (not states)
        if outcome.exit not in (0, 1):
            trial.say(f"{path}: exit {outcome.exit}: {outcome.errors[-400:]}")
        files = [os.path.join(folder, name) for folder, _, found in os.walk(job.folder / "out") for name in found]
        bad += len(files) != states.count("done")
        control_bytes = [name for name in files if any(ord(letter) < 32 for letter in name)]
        bad += len(control_bytes)
    found = strays(trial, *trial.work.glob("names-*"), outside)
    trial.row(case="names", tries=f"{count} names", expected="0 outside, 0 overwritten, all final",
              seen=f"{len(found) + len(list(outside.iterdir())) - 1} outside, {bad} overwritten, {unfinished} not final",
              good=not found and not bad and not unfinished and len(list(outside.iterdir())) == 1)


def refused(trial, origin, outside):
    exits = []
    for path in REFUSED:
        shutil.rmtree(trial.work / "refused", ignore_errors=True)
        job = Job(trial.work / "refused", [f"{origin.url}/1.png"], outputs=[{"format": "png", "path": path}])
        exits.append(job.run().exit)
    trial.row(case="templates", tries=len(exits), expected="all exit 2", seen=f"exits {sorted(set(exits))}", good=set(exits) == {2})


def links(trial, origin, outside):
    """Links below the destination, to folders and files outside."""
    job = Job(trial.work / "links", [f"{origin.url}/{number}.png" for number in range(20)],
              outputs=[{"format": "png", "path": "sub/{stem}.{ext}"}, {"name": "b", "format": "png", "path": "b-{stem}.{ext}"}])
    (job.folder / "out").mkdir()
    (job.folder / "out/sub").symlink_to(outside)
    (outside / "victim").write_text("victim")
    for number in range(5):
        (job.folder / f"out/b-{number}.png").symlink_to(outside / "victim")
    outcome = job.run()
    written = [path.name for path in outside.iterdir() if path.name not in ("kept", "victim")]
    intact = (outside / "victim").read_text() == "victim"
    (outside / "victim").unlink()
    # The control follows the link.
    (job.folder / "out/sub/control").write_text("control")
    caught = (outside / "control").exists()
    (outside / "control").unlink()
    trial.row(case="links", tries="25 links", expected="0 written outside", good=not written and intact and outcome.exit in (0, 1, 4),
              seen=f"{len(written)} written outside, {'0' if intact else '1'} overwritten; exit {outcome.exit}",
              control="a careless program: 1 written outside", caught=caught)


def race(trial, origin, outside):
    """A folder below the destination that is a link to outside every other moment."""
    swaps, runs, crashes = 0, 0, 0
    over = threading.Event()
    job = Job(trial.work / "race", [f"{origin.url}/{number}.png" for number in range(100)],
              outputs=[{"format": "png", "path": "sub/{stem}.{ext}"}])
    place, aside, link = (job.folder / "out" / name for name in ("sub", "aside", "link"))
    place.mkdir(parents=True)

    def swap():
        nonlocal swaps
        while swaps < trial.tries:
            try:
                os.rename(place, aside)
                os.symlink(outside, link)
                os.rename(link, place)
                os.unlink(place)
                os.rename(aside, place)
            except OSError:  # the run has made the folder anew
                shutil.rmtree(aside, ignore_errors=True)
                if not place.exists():
                    place.mkdir(exist_ok=True)
            swaps += 1
        over.set()

    thread = threading.Thread(target=swap, daemon=True)
    thread.start()
    while not over.is_set():
        outcome = job.run("run", "--fresh", limit=120)
        runs += 1
        crashes += outcome.exit not in (0, 1, 4)
        if outcome.exit not in (0, 1, 4):
            trial.say(f"race: exit {outcome.exit}: {outcome.errors[-300:]}")
    thread.join()
    written = [path.name for path in outside.iterdir() if path.name != "kept"]
    trial.row(case="race", tries=f"{swaps:,} swaps, {runs} runs", expected="0 written outside, 0 crashes",
              seen=f"{len(written)} written outside, {crashes} crashes", good=not written and not crashes)
