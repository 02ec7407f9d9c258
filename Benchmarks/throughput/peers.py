"""Other ways to the same thumbnails. Each uses both cores; none of them makes anything durable.

libvips and Pillow read local files, and are started in a pool of two processes; img2dataset loads over HTTP.
"""
import pathlib, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import references

pool = r'''
import multiprocessing, os, sys
kind, side, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]

def vips(path):
    import pyvips
    image = pyvips.Image.thumbnail(path, side, height=side, size="down")
    image.write_to_file(f"{folder}/{os.path.basename(path)}", Q=85, strip=True)

def pillow(path):
    from PIL import Image, ImageOps
    image = Image.open(path)
    image.draft("RGB", (side, side))
    image = ImageOps.exif_transpose(image)
    image.thumbnail((side, side), Image.LANCZOS)
    image.save(f"{folder}/{os.path.basename(path)}", quality=85)

with multiprocessing.Pool(2) as workers:
    for _ in workers.imap_unordered(globals()[kind], sys.stdin.read().splitlines(), chunksize=8): pass
'''


def versions():
    return references.install_newest()


def in_pool(kind, files, folder):
    """A command that makes thumbnails of local files in `folder`, its environment, and what it reads."""
    environment = {"PYTHONPATH": str(references.newest), "VIPS_CONCURRENCY": "1", "OMP_NUM_THREADS": "1"}
    return [sys.executable, "-c", pool, kind, "256", str(folder)], environment, "\n".join(map(str, files))


def img2dataset(urls, folder):
    """A command that loads and resizes a list of URLs; None where it cannot be installed."""
    program = references.img2dataset()
    return program and [
        program, "--url_list", str(urls), "--output_folder", str(folder), "--output_format", "files", "--image_size", "256",
        "--resize_mode", "keep_ratio_largest", "--resize_only_if_bigger", "True", "--encode_quality", "85",
        "--processes_count", "2", "--thread_count", "16", "--number_sample_per_shard", "250",
    ]
