"""Files of a few kilobytes that ask for gigabytes, or for hours."""
import pathlib, struct

from frame.images import chunk
from servers.pictures import noise, zeros

SEEDS = pathlib.Path(__file__).resolve().parents[2] / "Fuzzing/seeds"


def png_of(width, height, *, interlaced=False, depth=8, colour=2, before=b"", data=b""):
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def jpeg_of(width, height, *, name="baseline.jpg"):
    """A real JPEG whose frame header says another size."""
    data = bytearray((SEEDS / name).read_bytes())
    place = frame_header(data)
    data[place + 5:place + 9] = struct.pack(">HH", height, width)
    return bytes(data)


def frame_header(data):
    return next(place for place in range(len(data) - 9) if data[place] == 0xFF and data[place + 1] in (0xC0, 0xC1, 0xC2))


def scans(count, width=8000, height=8000):
    """A progressive JPEG that repeats its last scan."""
    data = jpeg_of(width, height, name="progressive.jpg")
    last = data.rindex(b"\xff\xda")
    return data[:last] + data[last:-2] * count + b"\xff\xd9"


def gif_of(width, height, frames=1):
    """A GIF of one colour, with many frames of a byte each."""
    frame = b"\x21\xf9\x04\0\0\0\0\0" + b"\x2c" + struct.pack("<HHHH", 0, 0, width, height) + b"\0\x02\x02\x44\x01\0"
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\0\0" + bytes(3) + b"\xff" * 3 + frame * frames + b";"


def bmp_of(width, height):
    return b"BM" + struct.pack("<IHHI", 1078, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 1, 1, 0, 0)


def tiff_of(width, height, *, loop=False, strips=1, samples=3):
    """A TIFF without pixels; `loop` makes its directory follow itself."""
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 5), (262, 3, 1, 2), (273, 4, strips, 8),
               (277, 3, 1, samples), (278, 4, 1, height), (279, 4, strips, 100)]
    return (b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries)
            + struct.pack("<I", 8 if loop else 0) + bytes(200))


def webp_of(width, height):
    """A lossless WebP whose header says this size."""
    bits = 0x2F | (width - 1) << 8 | (height - 1) << 22
    data = struct.pack("<Q", bits)[:5] + bytes(64)
    return b"RIFF" + struct.pack("<I", 12 + len(data)) + b"WEBPVP8L" + struct.pack("<I", len(data)) + data


def avif_of(width, height):
    """A real AVIF whose size property says another size."""
    data = (SEEDS / "color.avif").read_bytes()
    place = data.index(b"ispe") + 8
    return data[:place] + struct.pack(">II", width, height) + data[place + 8:]


def apng(frames):
    picture = noise(64, 64)
    control = chunk(b"acTL", struct.pack(">II", frames, 0))
    frame = chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 64, 64, 0, 0, 1, 1, 0, 0))
    return picture[:33] + control + frame * min(frames, 20000) + picture[33:]


def text(kind, size):
    body = zeros(size)
    return noise(between=chunk(kind, {b"zTXt": b"k\0\0", b"iTXt": b"k\0\1\0\0\0", b"iCCP": b"k\0\0"}[kind] + body))


def profile(count):
    """A JPEG with an ICC profile in as many parts as there may be, each full."""
    data = (SEEDS / "baseline.jpg").read_bytes()
    parts = b"".join(b"\xff\xe2" + struct.pack(">H", 65533) + b"ICC_PROFILE\0" + bytes([number + 1, count]) + bytes(65517)
                     for number in range(count))
    return data[:2] + parts + data[2:]


def bombs():
    """Each bomb's name, what may become of it, and its bytes. What is beside the pixels need not stop the image."""
    full = zeros(1 << 30)  # a gigabyte of pixels
    refused = "limits|corrupt|wrong_type"
    return {
        "jpeg-65500.jpg": (refused, jpeg_of(65500, 65500)),
        "jpeg-progressive-30000.jpg": (refused, jpeg_of(30000, 30000, name="progressive.jpg")),
        "jpeg-9000.jpg": (refused, jpeg_of(9000, 9000)),
        "jpeg-zero.jpg": (refused, jpeg_of(0, 0)),
        "jpeg-scans.jpg": (refused, scans(5000)),
        "jpeg-small-scans.jpg": (refused, scans(60000, 48, 32)),
        "jpeg-icc.jpg": (refused + "|done", profile(255)),
        "png-30000.png": (refused, png_of(30000, 30000, data=full)),
        "png-30000-interlaced.png": (refused, png_of(30000, 30000, interlaced=True, data=full)),
        "png-2-31.png": (refused, png_of(2 ** 31 - 1, 2 ** 31 - 1)),
        "png-wide.png": (refused, png_of(2 ** 31 - 1, 1)),
        "png-deep.png": (refused, png_of(9900, 9900, depth=16, colour=6, data=full)),
        "png-more-data.png": (refused + "|done", png_of(100, 100, data=full)),
        "png-9000.png": (refused + "|done", png_of(9000, 9000, data=zeros(9000 * 27001))),
        "png-ztxt.png": (refused + "|done", text(b"zTXt", 1 << 30)),
        "png-itxt.png": (refused + "|done", text(b"iTXt", 1 << 30)),
        "png-iccp.png": (refused + "|done", text(b"iCCP", 1 << 30)),
        "png-chunks.png": (refused + "|done", noise(between=chunk(b"tEXt", b"k\0v") * 200_000)),
        "apng.png": (refused + "|done", apng(2 ** 31 - 1)),
        "gif-65535.gif": (refused, gif_of(65535, 65535)),
        "gif-frames.gif": (refused + "|done", gif_of(3000, 3000, 20000)),
        "bmp-2-31.bmp": (refused, bmp_of(2 ** 31 - 1, 2 ** 31 - 1)), "bmp-negative.bmp": (refused, bmp_of(-60000, -60000)),
        "tiff-2-31.tif": (refused, tiff_of(2 ** 31, 2 ** 31)), "tiff-loop.tif": (refused, tiff_of(100, 100, loop=True)),
        "tiff-strips.tif": (
            refused, tiff_of(100, 100, strips=2 ** 31)), "tiff-samples.tif": (refused, tiff_of(9000, 9000, samples=65535)),
        "webp-16384.webp": (refused, webp_of(16384, 16384)), "avif-65535.avif": (refused, avif_of(65535, 65535)),
    }
