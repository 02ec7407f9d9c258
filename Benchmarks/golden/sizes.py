"""The processors that change size or position: resize, crop, pad, rotate, trim."""
import functools, math

import pyvips
from PIL import Image, ImageChops

from case import Case, compass, coloured, has_alpha, place, with_alpha

# resize

vips_kernels = {"lanczos3": "lanczos3", "mitchell": "mitchell", "bicubic": "cubic", "bilinear": "linear"}
pillow_filters = {"lanczos3": Image.LANCZOS, "bicubic": Image.BICUBIC, "bilinear": Image.BILINEAR, "box": Image.BOX}
magick_filters = {"lanczos3": "Lanczos", "mitchell": "Mitchell", "bicubic": "Catrom", "bilinear": "Triangle"}


def geometry(source, width=None, height=None, contentMode="aspectFit", crop=False, upscale=False, **_):
    """(size, box): what a resize makes of a size, and the part of the source that it shows."""
    whole = (0, 0, *source)
    wanted = (width, height)
    rounded = lambda side: max(1, math.floor(side + 0.5))
    if contentMode == "fill":
        return tuple(side if upscale else min(side, old) for side, old in zip(wanted, source)), whole
    scales = [side / old for side, old in zip(wanted, source) if side]
    scale = max(scales) if contentMode == "aspectFill" else min(scales)
    if not crop:
        return (tuple(rounded(old * scale) for old in source), whole) if scale < 1 or upscale else (source, whole)
    if scale < 1 or upscale and scale > 1:
        part = [min(side / scale, old) for side, old in zip(wanted, source)]
        left, top = [(old - side) / 2 for side, old in zip(part, source)]
        return wanted, (left, top, left + part[0], top + part[1])
    factor = min(old / side for side, old in zip(wanted, source))
    size = tuple(min(rounded(side * factor), old) for side, old in zip(wanted, source))
    left, top = place("center", size, source)
    return size, (left, top, left + size[0], top + size[1])


def whole_factors(source, size):
    """By how much each side shrinks, if by whole factors."""
    return [old // new for old, new in zip(source, size)] if not any(old % new for old, new in zip(source, size)) else None


def enlarged(image, size, filter):
    """libvips enlarges with its interpolators; `resize` would shift the picture by a part of a pixel."""
    scales = size[0] / image.width, size[1] / image.height
    across, down = [(scale - 1) / (2 * scale) for scale in scales]
    return image.affine([scales[0], 0, 0, scales[1]], interpolate=pyvips.Interpolate.new(filter), idx=across, idy=down,
                        oarea=[0, 0, *size], extend="copy", premultiplied=True)


def resize(name, sources="large small", **options):
    filter, linear = options.get("filter", "lanczos3"), options.get("linear", False)

    def by_vips(image):
        size, box = geometry((image.width, image.height), **options)
        if size == (box[2] - box[0], box[3] - box[1]):
            return image.crop(int(box[0]), int(box[1]), *size)
        if filter == "box":
            factors = whole_factors((image.width, image.height), size)
            return factors and image.shrink(*factors)
        if box[:2] != (0, 0):
            return None
        if size[0] > image.width:
            return enlarged(image, size, filter) if filter in ("bilinear", "bicubic") else None
        scaled = (lambda picture: picture.resize(size[0] / picture.width, vscale=size[1] / picture.height,
                                                 kernel=vips_kernels[filter], gap=0))
        if not linear:
            return scaled(image)
        if has_alpha(image):
            return None
        light = image.copy(interpretation="srgb").cast("uchar").colourspace("scrgb")
        return scaled(light).colourspace("rgb16").cast("float") / 257

    def by_pillow(image):
        size, box = geometry(image.size, **options)
        # Its box weighs pixels by where their middles lie, so that it is an average for whole factors only.
        if filter == "box" and not whole_factors(image.size, size):
            return None
        return None if filter not in pillow_filters or linear else image.resize(size, pillow_filters[filter], box)

    def by_magick(image):
        size, box = geometry(image.size, **options)
        if size == (box[2] - box[0], box[3] - box[1]):
            return ["-crop", f"{size[0]}x{size[1]}+{box[0]}+{box[1]}", "+repage"]
        if box[:2] != (0, 0):
            return None
        how = ["-scale"] if filter == "box" else ["-filter", magick_filters[filter], "-resize"]
        scaled = [*how, f"{size[0]}x{size[1]}!"]
        return ["-colorspace", "RGB", *scaled, "-colorspace", "sRGB"] if linear else scaled

    return Case(f"resize {name}", [{"resize": options}], by_vips, by_pillow, by_magick, sources)


# crop and pad

def crop(name, sources="large small", **options):
    def box(size):
        if "rect" in options:
            left, top, width, height = options["rect"]
            return left, top, min(width, size[0] - left), min(height, size[1] - top)
        part = min(options["width"], size[0]), min(options["height"], size[1])
        return *place(options.get("gravity", "center"), part, size), *part

    def by_pillow(image):
        left, top, width, height = box(image.size)
        return image.crop((left, top, left + width, top + height))

    def by_magick(image):
        gravity = options.get("gravity", "center")
        left, top, width, height = options.get("rect") or box(image.size)
        # Of an odd rest ImageMagick leaves the larger half at the top and left.
        if "rect" in options or isinstance(gravity, dict) or (image.width - width) % 2 or (image.height - height) % 2:
            return ["-crop", f"{width}x{height}+{left}+{top}", "+repage"]
        return ["-gravity", gravity, "-crop", f"{options['width']}x{options['height']}+0+0", "+repage"]

    return Case(f"crop {name}", [{"crop": options}], lambda image: image.crop(*box((image.width, image.height))),
                by_pillow, by_magick, sources)


def smart_crop(width, height):
    """A crop to the one thing that is there, and then what is left around it cut off."""
    def by_vips(image):
        found = image.cast("uchar").smartcrop(width, height, interesting="attention")
        return found.crop(*found.find_trim(background=found(0, 0))).cast("float")
    return Case("crop smart", [{"crop": {"width": width, "height": height, "gravity": "smart"}}, {"trim": {}}],
                by_vips, sources="patch")


def pad(name, **options):
    color = [int(options["background"][start:start + 2], 16) for start in range(1, len(options["background"]), 2)]
    gravity = options.get("gravity", "center")

    def canvas(size):
        return max(size[0], options.get("width", 1)), max(size[1], options.get("height", 1))

    def by_vips(image):
        size = canvas((image.width, image.height))
        left, top = place(gravity, (image.width, image.height), size)
        picture = with_alpha(image) if len(color) == 4 else coloured(image)
        premultiplied = [value * color[3] / 255 for value in color[:3]] + [color[3]] if len(color) == 4 else color
        return picture.embed(left, top, *size, extend="background",
                             background=premultiplied + ([255] if picture.bands > len(color) else []))

    def by_pillow(image):
        size = canvas(image.size)
        mode = "RGBA" if image.mode == "RGBA" or len(color) == 4 else "RGB"
        result = Image.new(mode, size, tuple(color))
        result.paste(image.convert(mode), place(gravity, image.size, size))
        return result

    def by_magick(image):
        size = canvas(image.size)
        left, top = place(gravity, image.size, size)
        alpha = ["-alpha", "set"] if image.mode == "RGBA" or len(color) == 4 else []
        return [*alpha, "-background", options["background"], "-compose", "Copy", "-extent",
                f"{size[0]}x{size[1]}{-left:+}{-top:+}"]

    return Case(f"pad {name}", [{"pad": options}], by_vips, by_pillow, by_magick)


# rotate and trim

def rotate(degrees=0, flip=None):
    turns = {90: ("rot90", Image.ROTATE_270), 180: ("rot180", Image.ROTATE_180), 270: ("rot270", Image.ROTATE_90)}
    flips = {"horizontal": (Image.FLIP_LEFT_RIGHT, "-flop"), "vertical": (Image.FLIP_TOP_BOTTOM, "-flip")}

    def by_vips(image):
        image = getattr(image, turns[degrees][0])() if degrees else image
        return image.flip(flip) if flip else image

    def by_pillow(image):
        image = image.transpose(turns[degrees][1]) if degrees else image
        return image.transpose(flips[flip][0]) if flip else image

    def by_magick(image):
        return ["-rotate", str(degrees), "+repage"] + ([flips[flip][1]] if flip else [])

    return Case(f"rotate {degrees} {flip or ''}".strip(), [{"rotate": {"degrees": degrees} | ({"flip": flip} if flip else {})}],
                by_vips, by_pillow, by_magick)


def trim(tolerance):
    def by_vips(image):
        if tolerance == 0:
            return None  # libvips takes medians first, so that single pixels are no reason to stop
        return image.crop(*image.cast("uchar").find_trim(threshold=tolerance, background=image(0, 0)))

    def by_pillow(image):
        first = Image.new(image.mode, image.size, image.getpixel((0, 0)))
        far = ImageChops.difference(image, first).point(lambda value: 255 if value > tolerance else 0)
        return image.crop(functools.reduce(ImageChops.lighter, far.split()).getbbox())

    return Case(f"trim {tolerance}", [{"trim": {"tolerance": tolerance}}], by_vips, by_pillow,
                lambda image: ["-fuzz", f"{tolerance / 2.55}%", "-trim", "+repage"], sources="framed")
