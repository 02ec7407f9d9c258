"""F6: full disks, for the outputs, the cache and the state separately.

One folder of a job is a small tmpfs (or one with few inodes, or an ext4 of a few megabytes). The run must end with exit code 4,
name the path, and fail no item; after the file system has grown, the next run must finish the job with the outputs of an
undisturbed run. The control is a file system with room, on which the run must not end with 4.
"""
import json, re, subprocess

from frame import Job, Origin, png, undisturbed
from frame.disks import run as command

TITLE = "full disks: outputs, cache, state"
NEEDS = ["namespaces"]
CI_TRIES = 1
IMAGES = 60
OUTPUTS = [{"format": "png", "path": "{stem}.{ext}"}]
FOLDERS = {"outputs": "out", "cache": "cache", "state": ".nuke-batch"}
CASES = [  # which folder, options of the small and of the large file system, lines of the list
    ("outputs", "size=200k", "size=200m", IMAGES), ("cache", "size=2m", "size=200m", IMAGES),
    ("state", "size=400k", "size=200m", 4000),
    ("outputs", "nr_inodes=20", "nr_inodes=9999", IMAGES), ("cache", "nr_inodes=40", "nr_inodes=9999", IMAGES),
]


def run(trial):
    origin = Origin(lambda path: png(int(path[1:].split(".")[0]) % IMAGES, 240, 180))
    for folder, small, large, count in CASES:
        urls = [f"{origin.url}/{number % IMAGES}.png?{number}" if count > IMAGES else f"{origin.url}/{number}.png"
                for number in range(count)]
        keys = {"outputs": OUTPUTS} if count == IMAGES else {"outputs": [], "loading": {"method": "HEAD"}}
        keys["loading"] = {"rate": "100000/s", "burst": 100000, **keys.get("loading", {})}
        name = f"{folder}-{small}".replace("=", "-")
        wanted, _ = undisturbed(trial.work / name / "reference", urls, **keys) if count == IMAGES else ({}, None)
        full(trial, f"{folder}, {small}", Job(trial.work / name / "job", urls, **keys), FOLDERS[folder], [small, large], wanted)


def full(trial, case, job, folder, options, wanted):
    place = job.folder / folder
    place.mkdir(mode=0o700)
    command("mount", "-t", "tmpfs", "-o", f"mode=700,{options[0]}", "tmpfs", place)
    stopped = job.run()
    failed = [item["url"] for item in items(job) if item["state"] in ("failed", "quarantined")]
    said = stopped.output + stopped.errors
    # An output by its path below the destination.
    names = f"/{folder}" in said or re.search(r"cannot write \d+\.png", said)
    command("mount", "-o", f"remount,{options[1]}", place)
    resumed = job.run()
    found = job.examine(wanted) if wanted else None
    good = stopped.exit == 4 and names and not failed and resumed.exit == 0 and (found is None or found.good)
    trial.row(case=case, tries=1, expected="exit 4 that names the path; 0 items failed; then resumed, 0 lost",
              seen=f"exit {stopped.exit} after {stopped.seconds:.1f} s, {'names it' if names else 'does not name it'}; "
                   f"{len(failed)} failed; resumed: exit {resumed.exit}" + (f", {len(found.lost)} lost" if found else ""),
              good=good, control="with room: exit 0", caught=resumed.exit == 0)
    if not good:
        trial.say(f"{stopped.output[-400:]}{stopped.errors[-400:]}\n{resumed.errors[-300:]}\n{found}")
    subprocess.run(["umount", place], check=True)


def items(job):
    """The items, as far as there is a state."""
    listing = job.run("items", "--json")
    return [json.loads(line) for line in listing.output.splitlines()] if listing.exit == 0 else []
