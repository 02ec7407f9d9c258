"""F51: many outputs and large images, ended again and again by kills and full disks.

TRIES items of 20 outputs each, packed into tar files, and images of 50 megapixels with 256 MB of memory. The job lies on a disk
that a file fills up at random times; then a run must end with exit code 4 and fail no item. After the last fault a run must finish the job:
every output is there once, with the bytes of an undisturbed run, in as much memory as is allowed. The control changes one byte of an
output: the check must find it.
"""
import json, os, resource, subprocess, zlib

from frame import Job, png, undisturbed
from frame.disks import Disk
from frame.images import rgb
from frame.shards import images

TITLE = "many outputs and large images, ended by kills and full disks"
TRIES, CI_TRIES = 4000, 500
NEEDS = ["root", "mkfs.ext4"]
PICTURES, FAULTS = 50, 12
SECONDS_AN_ITEM, BYTES_AN_ITEM = 0.002, 45_000
SMALL = [{"name": f"w{width}", "processors": [{"resize": {"width": width}}], "format": "png"} for width in range(1, 21)]
LARGE = [{"name": name, "processors": [{"resize": {"width": width}}], "format": kind, "path": f"{name}/{{stem}}.{{ext}}"}
         for name, width, kind in (("web", 2000, "jpeg"), ("small", 320, "webp"))]
IMAGES, SIDES, MEMORY = 8, (8660, 5774), 256


def run(trial):
    many(trial, trial.tries)
    large(trial)


def many(trial, count):
    """Items of 20 outputs each, whose originals are links to a few pictures."""
    originals = trial.folder("originals")
    for number in range(count):
        path = originals / f"{number // 1000:06}" / f"{number % 1000:03}.png"
        path.parent.mkdir(exist_ok=True)
        # A file has at most 65,000 names.
        first = originals / f"{number // 50_000 * 50:06}" / f"{number % PICTURES:03}.png"
        if path == first:
            path.write_bytes(png(number % PICTURES, 24, 16))
        else:
            os.link(first, path)
    keys = {"sources": [{"files": f"{originals}/*/*.png"}], "outputs": SMALL, "network": {"fileRoots": [str(originals)]},
            "dataset": {"pack": "tar", "itemsPerFile": 10_000}, "cache": {"policy": "none"}}
    pictures = [f"{originals}/000000/{number:03}.png" for number in range(PICTURES)]
    undisturbed(trial.work / "reference", [], **{**keys, "sources": [{"files": pictures}]})
    wanted = {(name.split("/")[-1], kind): digest for name, kind, digest in images(trial.work / "reference/out")}

    def check(job):
        """How many outputs are there, and what is wrong with them."""
        there, wrong = 0, 0
        seen = bytearray(count * len(SMALL))
        for name, kind, digest in images(job.folder / "out"):
            thousand, file = name.split("/")[-2:]
            number = int(thousand) * 1000 + int(file[:3])
            place = number * len(SMALL) + int(kind[1:]) - 1
            there, wrong = there + 1, wrong + (seen[place] or wanted[f"{number % PICTURES:03}.png", kind] != digest)
            seen[place] = 1
        return there, int(wrong)

    disturbed(trial, f"{count:,} items of {len(SMALL)} outputs", keys, count * BYTES_AN_ITEM + (300 << 20),
              count * SECONDS_AN_ITEM, check, count * len(SMALL))


def large(trial):
    """Images of 50 megapixels."""
    originals = trial.folder("large")
    for number in range(IMAGES):
        row = (trial.random.randbytes(300) * SIDES[0])[:SIDES[0] * 3]
        # Little and row by row: what this process holds when it starts a run would count as the run's memory.
        compressor = zlib.compressobj(1)
        rows = [compressor.compress(b"\0" + row[3 * at:] + row[:3 * at]) for at in range(SIDES[1])]
        (originals / f"{number}.png").write_bytes(rgb(*SIDES, b"".join(rows) + compressor.flush()))
    keys = {"sources": [{"files": f"{originals}/*.png"}], "outputs": LARGE, "limits": {"memory": f"{MEMORY}MB"},
            "network": {"fileRoots": [str(originals)]}, "cache": {"policy": "none"}}
    wanted, outcome = undisturbed(trial.work / "undisturbed", [], **keys)

    def check(job):
        there = job.outputs()
        return len(there), sum(wanted.get(path) != digest for path, digest in there.items())

    disturbed(trial, f"{IMAGES} images of {SIDES[0] * SIDES[1] // 10**6} megapixels, limits.memory {MEMORY} MB", keys, 400 << 20,
              outcome.seconds, check, IMAGES * len(LARGE), most=MEMORY + 64)


def disturbed(trial, case, keys, size, seconds, check, count, most=None):
    """Kills runs and fills the disk, by turns, until the job is done."""
    disk = Disk(trial.work / "disk.img", trial.work / "disk", "ext4", size=size)
    job, faults, bad, full = Job(disk.mount / "job", [], **keys), {"kills": 0, "full disks": 0}, [], 0
    for number in range(FAULTS):
        process = job.start()
        fault = ("kills", "full disks")[number % 2]
        try:
            process.wait(timeout=trial.random.uniform(0.5, 1.5) * max(seconds / FAULTS, 0.2))
        except subprocess.TimeoutExpired:
            faults[fault] += 1
            if fault == "kills":
                process.kill()
            else:
                fill(disk)
            outcome = job.end(process, limit=600)
            full += outcome.exit == 4
            if fault == "full disks" and outcome.exit not in (0, 4):
                bad.append(f"exit {outcome.exit} on a full disk: {outcome.errors[-300:]}")
        (disk.mount / "filler").unlink(missing_ok=True)
    last = job.run(limit=3 * 3600)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    status = json.loads(job.run("status", "--json", limit=600).output)
    there, wrong = check(job)
    files = [path for path in (job.folder / "out").rglob("*") if path.is_file()]
    change_one(max(files, key=lambda path: path.stat().st_size))
    caught = check(job) != (there, wrong)
    failed = status["states"].get("failed", 0)
    trial.row(case=case, tries=sum(faults.values()), expected="all outputs once, of the right bytes; 0 failed, exit 4 on a full disk",
              seen=f"{faults['kills']} kills, {faults['full disks']} full disks ({full} times exit 4); exit {last.exit}, {there:,} of {count:,} outputs, "
                   f"{wrong} wrong, {failed} failed; ≤ {peak} MB",
              good=last.exit == 0 and (there, wrong) == (count, 0) and not failed and full and not bad and peak <= (most or peak),
              control="one byte changed", caught=caught)
    for line in bad:
        trial.say(line)
    disk.detach()
    disk.image.unlink()


def fill(disk):
    """Takes all room but a few blocks; more than there is if a run takes some meanwhile."""
    free = os.statvfs(disk.mount)
    with open(disk.mount / "filler", "wb") as filler:
        try:
            os.posix_fallocate(filler.fileno(), 0, free.f_bfree * free.f_bsize - 8192)
        except OSError:
            pass


def change_one(path):
    with open(path, "r+b") as file:
        data = file.read(1 << 20)
        # The first byte of the first image's pixels, in a tar file or a file of its own.
        at = data.find(b"IDAT") + 12 if b"IDAT" in data else len(data) // 2
        file.seek(at)
        file.write(bytes([data[at] ^ 1]))
