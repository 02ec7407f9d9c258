"""One case: a processor's steps, and how libvips, Pillow and ImageMagick are told to do the same.

The contract is the manifest's; sizes and places are reckoned anew here, not taken from the program.
"""
import dataclasses, math
from typing import Callable

compass = {"center": (1, 1), "north": (1, 0), "northEast": (2, 0), "east": (2, 1), "southEast": (2, 2),
           "south": (1, 2), "southWest": (0, 2), "west": (0, 1), "northWest": (0, 0)}
luma = [0.299, 0.587, 0.114]  # BT.601


@dataclasses.dataclass
class Case:
    """A reference is a function of the source; its answer is None where that library has no such operation.

    - vips: of a pyvips image of floating point, 0 to 255, colours multiplied by alpha; gives the same kind,
    - pillow: of a PIL image of mode L, RGB or RGBA; gives an image,
    - magick: of a PIL image, for its size and mode; gives ImageMagick's arguments.
    """
    name: str
    steps: list
    vips: Callable = None
    pillow: Callable = None
    magick: Callable = None
    sources: str = "large small"


def has_alpha(image):
    return image.bands in (2, 4)


def place(gravity, part, whole):
    """The left and top of a part: half pixels to the left and top, points by their middle."""
    if isinstance(gravity, dict):
        starts = [math.floor(gravity[key] * side - size / 2 + 0.5) for key, side, size in zip("xy", whole, part)]
        return tuple(min(max(0, start), side - size) for start, side, size in zip(starts, whole, part))
    return tuple((side - size) * step // 2 for step, side, size in zip(compass[gravity], whole, part))


def with_alpha(image):
    image = coloured(image)
    return image if has_alpha(image) else image.bandjoin(255)


def coloured(image):
    return image[0].bandjoin([image[0], image[0], *image.bandsplit()[1:]]) if image.bands < 3 else image


def clipped(image):
    image = (image > 255).ifthenelse(255, image)
    return (image < 0).ifthenelse(0, image)
