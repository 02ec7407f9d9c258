"""Images to be loaded."""
import functools, struct, zlib


@functools.lru_cache(maxsize=4096)
def png(number, width=120, height=80):
    """A PNG whose pixels differ from those of any other number below 16 million."""
    colour = struct.pack(">I", number)[1:]
    rows = b"".join(b"\0" + b"".join(bytes((x * 2 & 255, y * 3 & 255, (x ^ y) & 255)) if (x // 8 + y // 8) % 2 else colour
                                     for x in range(width)) for y in range(height))
    return rgb(width, height, zlib.compress(rows, 1))


def noise_png(random, width, height):
    """A PNG that does not compress: of about width × height × 3 bytes."""
    rows = b"".join(b"\0" + random.randbytes(width * 3) for _ in range(height))
    return rgb(width, height, zlib.compress(rows, 0))


def rgb(width, height, deflated):
    """A PNG of RGB with 8 bits, whose rows are deflated."""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", deflated) + chunk(b"IEND", b""))


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
