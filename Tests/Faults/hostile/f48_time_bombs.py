"""F48: images that cost a decoder more time than their bytes and pixels are worth.

PNG whose data are empty blocks of deflate, of fixed codes, of codes of their own and stored; a progressive JPEG of scans that say nothing. Each is
10 MB or so. Decoding may take a few times what zlib needs for the same bytes, and every other image must be done. The control is zlib's own
time, and an image without a bomb that is done.
"""
import struct, time, zlib

from frame import Failure, Job, Origin, png
from frame.images import rgb
from servers.measured import measure

TITLE = "images that cost a decoder more time than they are worth"
TRIES, CI_TRIES = 1, 1
SIZE = 10 << 20
# The order in which a block tells the lengths of its codes (RFC 1951, 3.2.7), as far as they are told here.
ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1]
MOST = 8  # times zlib's, besides two seconds


def bits(pieces):
    """Bytes of bit strings, each the lowest bit first."""
    value = position = 0
    for number, count in pieces:
        value |= number << position
        position += count
    return value.to_bytes((position + 7) // 8, "little"), position


def deflated(kind):
    """Empty blocks of deflate (RFC 1951), and one that ends."""
    if kind == "fixed":
        # 10 bits a block: not the last, fixed codes, end of block; 4 of them are 5 bytes.
        piece, _ = bits([(0b010, 3), (0, 7)] * 4)
        return piece * (SIZE // len(piece)) + bits([(0b011, 3), (0, 7)])[0]
    if kind == "dynamic":
        # 90 bits a block, whose codes are of one bit: of the lengths 18 and 1, of the end of the block, and of a distance.
        lengths = [(1 if symbol in (18, 1) else 0, 3) for symbol in ORDER]
        body = [(0, 5), (0, 5), (14, 4)] + lengths + [(1, 1), (127, 7), (1, 1), (107, 7), (0, 1), (0, 1), (0, 1)]
        piece, _ = bits(([(0b100, 3)] + body) * 4)
        return piece * (SIZE // len(piece)) + bits([(0b101, 3)] + body)[0]
    return b"\x00\x00\x00\xff\xff" * (SIZE // 5) + b"\x01\x00\x00\xff\xff"


def bomb(kind):
    data = b"\x78\x9c" + deflated(kind) + struct.pack(">I", 1)
    return rgb(64, 64, data), data


def run(trial):
    bombs, needed = {}, {}
    for kind in ("fixed", "dynamic", "stored"):
        bombs[f"/{kind}.png"], data = bomb(kind)
        began = time.monotonic()
        try:
            zlib.decompressobj().decompress(data)
        except zlib.error:
            pass
        needed[f"/{kind}.png"] = time.monotonic() - began
    bombs["/scans.jpg"] = scans(trial)
    # No library here decodes it; it may take as long as the blocks that zlib is done with soonest.
    needed["/scans.jpg"] = min(needed.values())
    origin = Origin(lambda path: bombs.get(path) or png(int(path[1:-4])))
    urls = [f"{origin.url}{path}" for path in bombs] + [f"{origin.url}/{number}.png" for number in range(5)]
    worst, slow = 0, []
    for path in bombs:
        job = Job(trial.folder(path[1:]), [f"{origin.url}{path}"], retry={"attempts": 1})
        outcome = measure(job, limit=300)
        worst = max(worst, outcome.cpu)
        slow += [path] if outcome.cpu > MOST * needed[path] + 2 else []
        trial.say(f"{path}: exit {outcome.exit}, {outcome.cpu:.1f} s of processor time, {needed[path]:.2f} s are fair")
    job = Job(trial.folder("all"), urls, retry={"attempts": 1})
    outcome = job.run(limit=300)
    states = [item["state"] for item in job.items()]
    trial.row(tries=f"{len(bombs)} bombs of 10 MB", expected=f"each ≤ {MOST} times zlib's time and 2 s, all others done",
              seen=f"≤ {worst:.1f} s, {states.count('done')} done", good=not slow and states[-5:] == ["done"] * 5,
              control=f"zlib {min(needed.values()):.2f} to {max(needed.values()):.2f} s; a usual image: exit {0 if states[-1] == 'done' else outcome.exit}",
              caught=min(needed.values()) > 0 and states[-1] == "done")


def scans(trial):
    """A progressive JPEG with as many empty scans as fit, each of which a decoder goes through all blocks for."""
    origin = Origin(lambda path: png(1, 2000, 2000))
    job = Job(trial.folder("seed"), [f"{origin.url}/1.png"],
              outputs=[{"format": {"jpeg": {"progressive": True}}, "path": "seed.{ext}"}])
    outcome = job.run()
    if outcome.exit != 0:
        raise Failure(f"without a fault: exit {outcome.exit}: {outcome.errors}")
    data = next((job.folder / "out").glob("seed.*")).read_bytes()
    start = data.rfind(b"\xff\xda")
    head = data[start:start + 2 + int.from_bytes(data[start + 2:start + 4], "big")]
    return data[:-2] + head * (SIZE // len(head)) + b"\xff\xd9"
