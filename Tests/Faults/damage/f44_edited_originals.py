"""F44: cached originals that were edited through their other name, with the size and the times they had.

A copy of an original shares the cache's file. It is edited in place, its times are set back, and another output is deleted. `verify
--repair` must make both as an undisturbed run made them. The control: without the cache's check nothing would tell, so the edited
file must have the size and the times that it had.
"""
import os, shutil

from frame import Job, Origin, png, undisturbed

TITLE = "cached originals that were edited through their other name"
TRIES, CI_TRIES = 30, 4
OUTPUTS = [
    {"name": "copy", "format": "original", "path": "copy/{stem}.{ext}"},
    {"name": "small", "processors": [{"resize": {"width": 60}}], "format": "jpeg", "path": "small/{stem}.{ext}"},
]
IMAGES = 6


def run(trial):
    # Files of 16 KiB and more are shared; bytes behind the end of an image belong to its file.
    origin = Origin(lambda path: png(int(path[1:-4])) + bytes(20_000))
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    wrong = edited = same = 0
    for number in range(trial.tries):
        shutil.rmtree(trial.work / "job", ignore_errors=True)
        wanted, _ = undisturbed(trial.work / "job", urls, outputs=OUTPUTS)
        job = Job(trial.work / "job", urls, outputs=OUTPUTS)
        for chosen in trial.random.sample(range(IMAGES), trial.random.randint(1, 3)):
            same += edit(job.folder / f"out/copy/{chosen}.png", trial.random)
            edited += 1
            next((job.folder / "out/small").glob(f"{chosen}.*")).unlink()
        repair = job.run("verify", "--repair")
        found = job.examine(wanted)
        if repair.exit != 0 or not found.good or job.run("verify").exit != 0:
            wrong += 1
            trial.say(f"round {number}: exit {repair.exit}; {found}; {repair.errors[-200:]}")
    trial.row(tries=f"{edited} originals in {trial.tries} rounds", expected="all outputs as of an undisturbed run",
              seen=f"{wrong} rounds wrong", good=not wrong,
              control=f"size and times that tell nothing: {same} of {edited}", caught=same == edited)


def edit(path, random):
    """Changes a byte of the image; returns true if the file's size and times are what they were."""
    before = path.stat()
    with open(path, "r+b") as file:
        file.seek(random.randrange(60, before.st_size - 20_100))
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 0x10]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    return (before.st_size, before.st_mtime_ns, before.st_ino) == (after.st_size, after.st_mtime_ns, after.st_ino)
