"""The sources of the comparisons: photographs, and generated images for what photographs lack."""
import pyvips


def make(photos, work):
    """Writes them into folders by kind below `work/sources`, and the watermark, whose path is the answer.

    `large` have a few hundred pixels a side, `small` a few; `framed` are for trimming, `patch` for the smart crop.
    """
    folders = {name: work / "sources" / name for name in ("large", "small", "framed", "patch")}
    for folder in folders.values():
        folder.mkdir(parents=True)

    def save(image, folder, name):
        image.write_to_file(str(folders[folder] / f"{name}.png"), compression=1, strip=True)

    photo = pyvips.Image.new_from_file(str(photos / "coffee.png"))
    cat = pyvips.Image.new_from_file(str(photos / "chelsea.png")).resize(641 / 451, vscale=479 / 300).cast("uchar")
    photo.write_to_file(str(folders["large"] / "jpeg.jpg"), Q=92, strip=True)
    save(photo, "large", "photograph")
    save(gray(cat), "large", "gray")
    save(edges(641, 479), "large", "edges")
    save(cat.bandjoin(cover(641, 479)), "large", "alpha")
    # More than 8 bits of truth in each sample.
    save((photo.cast("float").gaussblur(1.5) * 257).cast("ushort").copy(interpretation="rgb16"), "large", "deep")
    save(photo.crop(300, 200, 1, 1), "small", "dot")
    save(photo.crop(300, 200, 3, 7), "small", "narrow")
    save(framed(cat.crop(200, 100, 171, 113), [90, 140, 200]), "framed", "framed")
    save(edges(61, 47).embed(120, 30, 401, 301, extend="background", background=[128, 128, 128]), "patch", "patch")
    mark = cat.resize(0.3).crop(50, 30, 90, 60).bandjoin(cover(90, 60))
    mark.write_to_file(str(work / "mark.png"))
    return work / "mark.png"


def gray(image):
    return image.recomb([[0.299, 0.587, 0.114]]).rint().cast("uchar").copy(interpretation="b-w")


def edges(width, height):
    """Bars from one pixel wide on, in the primary colours, black and white; the lower half leans."""
    xy = pyvips.Image.xyz(width, height)
    x, y = xy[0] + (xy[1] > height / 2).ifthenelse(xy[1] * 0.37, 0), xy[1]
    bars = [((x * x / (width * step)).floor() + (y / 37).floor()) % 2 > 0 for step in (2, 3, 5)]
    return bars[0].bandjoin(bars[1:]).cast("uchar").copy(interpretation="srgb")


def cover(width, height):
    """An alpha that rises from left to right, with a hole and a whole rectangle in it."""
    xy = pyvips.Image.xyz(width, height)
    x, y = xy[0] / width, xy[1] / height
    hole = (x - 0.3) ** 2 + (y - 0.4) ** 2 < 0.03
    whole = (x > 0.6) & (y > 0.6)
    return whole.ifthenelse(255, hole.ifthenelse(0, (x * 255).rint())).cast("uchar")


def framed(image, color):
    """An image in a frame whose colour varies by 6 steps, within a tolerance of 10."""
    xy = pyvips.Image.xyz(image.width + 90, image.height + 60)
    noise = ((xy[0] * 7 + xy[1] * 13) % 11 == 5).ifthenelse(6, 0)
    bright = (image < 60).ifthenelse(60, image)
    frame = (pyvips.Image.black(xy.width, xy.height, bands=3) + color + noise).cast("uchar")
    frame = frame.draw_rect(color, 0, 0, 4, 4, fill=True)
    return frame.insert(bright, 50, 20).copy(interpretation="srgb")
