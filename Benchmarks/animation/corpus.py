"""The animations that the benchmark converts: those of the tests of image libraries, and others that Pillow writes from a seed."""
import pathlib, random, subprocess, tarfile

PHOTOGRAPHS = sorted((pathlib.Path(__file__).resolve().parents[2] / "Jobs/photos").glob("*.png"))
SOURCES = ["pillow", "vips", "giflib"]
ENDINGS = (".gif", ".webp", ".png", ".apng")


def real(folder):
    """The animated GIF, WebP and PNG files of the sources of Pillow, libvips and giflib in Debian."""
    from PIL import Image
    (folder / "lists/partial").mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text(
        "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main\n")
    apt = ["apt-get", "-qq", "-o", f"Dir::Etc::SourceList={folder / 'sources.list'}", "-o", "Dir::Etc::SourceParts=/dev/null",
           "-o", f"Dir::State::Lists={folder / 'lists'}", "-o", "APT::Sandbox::User=root"]
    if missing := [name for name in SOURCES if not list(folder.glob(f"{name}_*.orig.tar.?z"))]:
        subprocess.run([*apt, "update"], check=True)
        subprocess.run([*apt, "source", "--download-only", *missing], cwd=folder, check=True)
    files = folder / "files"
    for name in SOURCES:
        if not (files / name).exists():
            with tarfile.open(next(folder.glob(f"{name}_*.orig.tar.?z"))) as members:
                wanted = [member for member in members if member.isfile() and member.name.endswith(ENDINGS)]
                members.extractall(files / name, members=wanted)
    return [path for path in sorted(files.rglob("*.*")) if frames(Image, path) > 1]


def frames(image, path):
    try:
        with image.open(path) as opened:
            return getattr(opened, "n_frames", 1)
    except Exception:  # what Pillow's tests expect to fail
        return 0


def generated(folder, count, seed=7, kinds=("gif", "gif", "webp", "png")):
    """Moving parts over a photograph or nothing: each disposal, transparency, delays and loops."""
    from PIL import Image, ImageDraw
    folder.mkdir(parents=True, exist_ok=True)
    choose, made = random.Random(seed), []
    for number in range(count):
        kind = kinds[number % len(kinds)]
        width, height = choose.randint(40, 320), choose.randint(40, 240)
        is_photograph = choose.random() < 0.6
        ground = Image.new("RGBA", (width, height), (0, 0, 0, 0))
        if is_photograph:
            with Image.open(choose.choice(PHOTOGRAPHS)) as photograph:
                ground = photograph.convert("RGBA").resize((width, height))
        sprites = [(choose.randint(8, 40), tuple(choose.randint(0, 255) for _ in range(3)), choose.random(), choose.random(),
                    choose.randint(-9, 9), choose.randint(-9, 9)) for _ in range(choose.randint(1, 4))]
        pictures, delays = [], []
        for index in range(choose.randint(2, 30)):
            picture = ground.copy()
            draw = ImageDraw.Draw(picture)
            for radius, color, x, y, dx, dy in sprites:
                left, top = (x * width + dx * index) % width, (y * height + dy * index) % height
                draw.ellipse([left, top, left + radius, top + radius], fill=color + (255,))
            pictures.append(picture)
            delays.append(choose.choice([0, 20, 40, 100, 330]))
        path = folder / f"{number:03}.{kind}"
        options = {"save_all": True, "append_images": pictures[1:], "duration": delays, "loop": choose.choice([0, 0, 1, 3])}
        if kind == "gif":
            options["disposal"] = choose.choice([0, 1, 2])
        elif kind == "webp":
            options.update(lossless=choose.random() < 0.5, quality=80)
        elif kind == "avif":
            # Delays of 0 are none in a track, and chroma in full leaves decoders nothing to choose.
            options.update(duration=[delay or 50 for delay in delays], quality=choose.choice([60, 90, 100]), subsampling="4:4:4")
            del options["loop"]
        else:
            options.update(disposal=choose.choice([0, 1, 2]), blend=choose.choice([0, 1]))
        pictures[0].save(path, **options)
        made.append(path)
    return made


def long(folder, count):
    """A GIF of 320 x 240 with this many frames, and a delay of 40 ms each."""
    from PIL import Image
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{count}-frames.gif"
    if not path.exists():
        with Image.open(PHOTOGRAPHS[0]) as photograph:
            ground = photograph.convert("RGB").resize((400, 300))
        pictures = [ground.crop((index % 80, index // 8 % 60, 320 + index % 80, 240 + index // 8 % 60)) for index in range(count)]
        # Whole or not at all, should somebody end the benchmark.
        unfinished = path.with_suffix(".part")
        pictures[0].save(unfinished, format="GIF", save_all=True, append_images=pictures[1:], duration=40, loop=0)
        unfinished.rename(path)
    return path
