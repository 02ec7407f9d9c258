"""The processors that change pixels in place: shapes, blur, sharpening, tones, watermark."""
import functools, math

import pyvips
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter

from case import Case, clipped, coloured, has_alpha, luma, place, with_alpha

# circle and roundedCorners

@functools.lru_cache(maxsize=None)
def vips_mask(width, height, inset, radius, by=8):
    """How much of each pixel a rounded rectangle covers, from the distances of 64 points in it to the corners' middles."""
    points = (pyvips.Image.xyz(width * by, height * by) + 0.5) / by
    beyond = [(points[axis] - side / 2).abs() - (side / 2 - radius) for axis, side in ((0, width), (1, height))]
    round = (beyond[0] > 0) & (beyond[1] > 0)
    distance = round.ifthenelse((beyond[0] ** 2 + beyond[1] ** 2) ** 0.5,
                                (beyond[0] > beyond[1]).ifthenelse(beyond[0], beyond[1]))
    return (distance < radius - inset).cast("float").shrink(by, by).copy_memory() / 255


@functools.lru_cache(maxsize=None)
def pillow_mask(width, height, inset, radius, by=16):
    mask = Image.new("L", (width * by, height * by))
    ImageDraw.Draw(mask).rounded_rectangle(
        (inset * by, inset * by, (width - inset) * by - 1, (height - inset) * by - 1), (radius - inset) * by, 255)
    return mask.reduce(by)


def shape(name, steps, radius, square, border=None):
    color = [int(border["color"][start:start + 2], 16) for start in range(1, 9, 2)] if border else [0, 0, 0, 0]
    width = border["width"] if border else 0

    def part(size):
        side = min(size)
        result = (side, side) if square else size
        return *place("center", result, size), *result

    def rounded(size):
        return min(size) / 2 if square else min(radius, min(size) / 2)

    def by_vips(image):
        left, top, *size = part((image.width, image.height))
        if width > min(size) / 2:
            return None
        picture = with_alpha(image).crop(left, top, *size)
        outer, inner = [vips_mask(*size, inset, rounded(size)) for inset in (0, width)]
        line = (outer - inner) * (color[3] / 255)
        return picture * (outer - line) + line * [*color[:3], 255]

    def by_pillow(image):
        left, top, *size = part(image.size)
        if width > min(size) / 2:
            return None
        picture = image.convert("RGBA").crop((left, top, left + size[0], top + size[1]))
        outer, inner = [pillow_mask(*size, inset, rounded(size)) for inset in (0, width)]
        line = Image.new("RGBA", size, tuple(color))
        line.putalpha(ImageChops.subtract(Image.new("L", size, 255), inner).point(lambda value: value * color[3] / 255))
        picture.alpha_composite(line)
        picture.putalpha(ImageChops.multiply(picture.getchannel("A"), outer))
        return picture

    def by_magick(image):
        left, top, *size = part(image.size)
        # What it draws is half a pixel wider, at four times the size.
        if width > min(size) / 2 or min(size) < 16:
            return None
        rect = (lambda inset: "roundrectangle %g,%g %g,%g %g,%g" % (  # 0,0 is the middle of a pixel
            *[inset * 4 - 0.5] * 2, *[(side - inset) * 4 - 0.5 for side in size], *[(rounded(size) - inset) * 4] * 2))
        mask = (lambda inset: ["(", "-size", f"{size[0] * 4}x{size[1] * 4}", "xc:none", "-fill", "white", "-draw",
                               rect(inset), "-scale", "25%", ")"])
        words = ["-alpha", "set", "-crop", f"{size[0]}x{size[1]}+{left}+{top}", "+repage"]
        if border:
            words += ["(", "-size", f"{size[0]}x{size[1]}", f"xc:{border['color']}", *mask(width),
                      "-compose", "DstOut", "-composite", ")", "-compose", "Over", "-composite"]
        return [*words, *mask(0), "-compose", "DstIn", "-composite"]

    return Case(name, steps, by_vips, by_pillow, by_magick)


def circle(name, **options):
    return shape(f"circle {name}", [{"circle": options}], 0, True, **options)


def rounded_corners(name, radius, **options):
    return shape(f"roundedCorners {name}", [{"roundedCorners": {"radius": radius, **options}}], radius, False, **options)


# gaussianBlur and sharpen

def blurred(image, sigma):
    # It ends where it has fallen to a thousandth, at 3.7 sigma: the least that libvips takes.
    return image.gaussblur(sigma, min_ampl=0.001, precision="float")


def gaussian_blur(radius):
    def by_pillow(image):
        if image.mode == "RGBA":
            return image.convert("RGBa").filter(ImageFilter.GaussianBlur(radius)).convert("RGBA")
        return image.filter(ImageFilter.GaussianBlur(radius))

    return Case(f"gaussianBlur {radius}", [{"gaussianBlur": {"radius": radius}}], lambda image: blurred(image, radius),
                by_pillow, lambda image: ["-virtual-pixel", "edge", "-blur", f"{4 * radius}x{radius}"])


def sharpen(name, sigma=0.5, amount=1, threshold=0, **options):
    options |= dict(sigma=sigma, amount=amount, threshold=threshold)

    def by_vips(image):
        alpha = image[image.bands - 1] / 255 if has_alpha(image) else None
        gray = image.extract_band(0, n=3).recomb([luma]) if image.bands >= 3 else image[0]
        if alpha is None:
            detail = gray - blurred(gray, sigma)
            straight = image
        else:
            soft = blurred(gray.bandjoin(alpha), sigma)
            straight = (alpha > 0).ifthenelse(image.extract_band(0, n=image.bands - 1) / alpha, 0)
            detail = (alpha > 0).ifthenelse(gray / alpha, 0) - (soft[1] > 0).ifthenelse(soft[0] / soft[1], 0)
        sharp = clipped(straight + (detail.abs() > threshold).ifthenelse(detail * amount, 0))
        return sharp if alpha is None else (sharp * alpha).bandjoin(alpha * 255)

    def by_pillow(image):
        mask = ImageFilter.UnsharpMask(sigma, round(amount * 100), threshold)
        if image.mode == "L":
            return image.filter(mask)
        if image.mode != "RGB":
            return None
        y, *chroma = image.convert("YCbCr").split()
        return Image.merge("YCbCr", [y.filter(mask), *chroma]).convert("RGB")

    def by_magick(image):
        if image.mode == "RGBA":
            return None
        # Its threshold is compared with twice the difference.
        unsharp = ["-virtual-pixel", "edge", "-unsharp", f"{4 * sigma}x{sigma}+{amount}+{threshold * 2 / 255}"]
        if image.mode == "L":
            return unsharp
        return ["-colorspace", "Rec601YCbCr", "-channel", "R", *unsharp, "+channel", "-colorspace", "sRGB"]

    return Case(f"sharpen {name}", [{"sharpen": options}], by_vips, by_pillow, by_magick)


# grayscale, flatten, adjust

def gray_by_vips(image):
    return image.recomb([luma]) if image.bands == 3 else \
        image.recomb([[*luma, 0], [0, 0, 0, 1]]) if image.bands == 4 else image


def grayscale():
    return Case("grayscale", [{"grayscale": {}}], gray_by_vips,
                lambda image: image.convert("LA" if image.mode == "RGBA" else "L"),
                lambda image: ["-grayscale", "Rec601Luma"])


def flatten(background):
    color = [int(background[start:start + 2], 16) for start in (1, 3, 5)]

    def by_pillow(image):
        return Image.alpha_composite(Image.new("RGBA", image.size, (*color, 255)), image.convert("RGBA")).convert("RGB")

    return Case("flatten", [{"flatten": {"background": background}}],
                lambda image: image.extract_band(0, n=3) + (255 - image[3]) / 255 * color if has_alpha(image) else image,
                by_pillow, lambda image: ["-background", background, "-alpha", "remove", "-alpha", "off"])


def adjust(name, brightness=0, contrast=1, saturation=1, gamma=1):
    options = dict(brightness=brightness, contrast=contrast, saturation=saturation, gamma=gamma)
    offset = (brightness - 0.5) * contrast + 0.5

    def by_vips(image):
        alpha = image[image.bands - 1] / 255 if has_alpha(image) else None
        colors = image if alpha is None else \
            (alpha > 0).ifthenelse(image.extract_band(0, n=image.bands - 1) / alpha, 0)
        colors = (clipped(colors * contrast + 255 * offset) / 255) ** (1 / gamma) * 255
        if colors.bands == 3:
            rows = [[(1 - saturation) * part + (saturation if row == column else 0) for column, part in enumerate(luma)]
                    for row in range(3)]
            colors = clipped(colors.recomb(rows))
        return colors if alpha is None else (colors * alpha).bandjoin(alpha * 255)

    def by_pillow(image):
        alpha = image.getchannel("A") if image.mode == "RGBA" else None
        colors = image.convert("RGB") if alpha else image
        table = [255 * min(max(value / 255 * contrast + offset, 0), 1) ** (1 / gamma) + 0.5 for value in range(256)]
        colors = colors.point([int(value) for value in table] * len(colors.getbands()))
        if saturation != 1 and colors.mode == "RGB":
            colors = ImageEnhance.Color(colors).enhance(saturation)
        if alpha:
            colors.putalpha(alpha)
        return colors

    def by_magick(image):
        words = ["-channel", "RGB", "-function", "Polynomial", f"{contrast},{offset}", "+channel", "-gamma", str(gamma)]
        rows = [(1 - saturation) * part + (saturation if row == column else 0)
                for row in range(3) for column, part in enumerate(luma)]
        return words + (["-color-matrix", "3x3:" + ",".join(map(str, rows))] if image.mode != "L" else [])

    return Case(f"adjust {name}", [{"adjust": options}], by_vips, by_pillow, by_magick)


# watermark

def watermark(name, mark, gravity="southEast", scale=None, opacity=1, margin=0, tile=False):
    options = dict(image=str(mark), gravity=gravity, opacity=opacity, margin=margin, tile=tile)
    options |= {"scale": scale} if scale else {}

    def places(size):
        """The mark's size, and the left and top of each of its copies."""
        room = [side - 2 * min(margin, (side - 1) // 2) for side in size]
        own = Image.open(mark).size
        factor = min(scale * min(size) / max(own) if scale else 1, *[most / side for most, side in zip(room, own)])
        made = [max(1, math.floor(side * factor + 0.5)) for side in own]
        inner = place(gravity, made, room)
        first = [(side - most) // 2 + start for side, most, start in zip(size, room, inner)]
        if not tile:
            return made, [tuple(first)]
        columns, rows = [[start for start in range(first[axis] - 1000 * (made[axis] + margin), size[axis], made[axis] + margin)
                          if start + made[axis] > 0] for axis in (0, 1)]
        return made, [(column, row) for row in rows for column in columns]

    def by_vips(image):
        made, found = places((image.width, image.height))
        own = pyvips.Image.new_from_file(str(mark))
        picture = own.premultiply().resize(made[0] / own.width, vscale=made[1] / own.height, gap=0)
        if made != [own.width, own.height] and (made[0] > own.width or made[1] > own.height):
            return None  # libvips enlarges with its interpolators
        result = coloured(image)
        for left, top in found:
            # `embed` cuts what lies outside, and surrounds with nothing.
            over = picture.embed(left, top, image.width, image.height) * opacity
            under = result * (255 - over[3]) / 255
            result = under + (over if has_alpha(result) else over.extract_band(0, n=3))
        return result

    def by_pillow(image):
        made, found = places(image.size)
        picture = Image.open(mark).resize(made, Image.LANCZOS)
        picture.putalpha(picture.getchannel("A").point(lambda value: value * opacity + 0.5))
        result = image.convert("RGBA")
        for left, top in found:
            layer = Image.new("RGBA", image.size)
            layer.paste(picture, (left, top))
            result.alpha_composite(layer)
        return result if image.mode == "RGBA" else result.convert("RGB")

    def by_magick(image):
        made, found = places(image.size)
        words = ["(", str(mark), "-filter", "Lanczos", "-resize", f"{made[0]}x{made[1]}!", "-channel", "A", "-evaluate",
                 "Multiply", str(opacity), "+channel", "-write", "mpr:mark", "+delete", ")"]
        for left, top in found:
            words += ["mpr:mark", "-compose", "Over", "-geometry", f"{left:+}{top:+}", "-composite"]
        return words

    return Case(f"watermark {name}", [{"watermark": options}], by_vips, by_pillow, by_magick)
