"""Small images, written by hand so that each byte can be chosen."""
import random, struct, zlib

from frame.images import chunk


def noise(width=16, height=16, *, seed=0, level=6, between=b"", interlaced=False, depth=8, colour=2, data=None):
    """A PNG of noise; `between` are chunks before its data, `data` replaces the data."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    if data is None:
        chance = random.Random(seed)
        data = zlib.compress(b"".join(b"\0" + chance.randbytes(width * 3) for _ in range(height)), level)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + between + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def zeros(count):
    """`count` zero bytes, compressed, without holding them."""
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    parts = [packer.compress(block) for _ in range(count >> 20)]
    parts.append(packer.compress(bytes(count & ((1 << 20) - 1))))
    return b"".join(parts) + packer.flush()
