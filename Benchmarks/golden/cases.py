"""All cases."""
from case import compass
from looks import adjust, circle, flatten, gaussian_blur, grayscale, rounded_corners, sharpen, watermark
from sizes import crop, pad, resize, rotate, smart_crop, trim


def all_cases(mark):
    """All of them; `mark` is the file of the watermark."""
    filters = ["lanczos3", "mitchell", "bicubic", "bilinear", "box"]
    yield from [resize(name, width=400, height=400, filter=name) for name in filters]
    yield from [resize(f"{name} up", width=900, filter=name, upscale=True) for name in filters]
    yield resize("box by two", width=300, filter="box")
    yield resize("to a fifth", width=128, height=128)
    yield resize("linear", width=400, linear=True)
    yield resize("aspectFill", width=300, height=300, contentMode="aspectFill")
    yield resize("fill", width=350, height=380, contentMode="fill")
    yield resize("crop", width=320, height=320, contentMode="aspectFill", crop=True)
    yield resize("crop small", width=1000, height=900, contentMode="aspectFill", crop=True)
    yield resize("crop as wide", width=600, height=301, contentMode="aspectFill", crop=True, upscale=True)
    yield resize("crop up", width=700, height=650, contentMode="aspectFill", crop=True, upscale=True)
    yield from [crop(name, width=200, height=101, gravity=name) for name in compass]
    yield crop("point", width=200, height=150, gravity={"x": 0.3, "y": 0.6})
    yield crop("point at the edge", width=201, height=150, gravity={"x": 0.95, "y": 0.02})
    yield crop("rect", rect=[50, 31, 300, 200], sources="large")
    yield crop("rect over the edge", rect=[1, 2, 3000, 3000], sources="large")
    yield smart_crop(200, 200)
    yield pad("center", width=700, height=601, background="#2080F0")
    yield pad("southWest", width=651, gravity="southWest", background="#FFFFFF")
    yield pad("with alpha", width=700, height=500, gravity="northEast", background="#20F08060")
    yield circle("plain")
    yield circle("with border", border={"color": "#FF0000FF", "width": 5})
    yield rounded_corners("40", 40)
    yield rounded_corners("with border", 30, border={"color": "#00FF0080", "width": 6})
    yield from [gaussian_blur(radius) for radius in (1, 3, 8, 30)]
    yield sharpen("default")
    yield sharpen("strong", sigma=2, amount=1.5)
    yield sharpen("threshold", sigma=1.5, amount=1, threshold=8)
    yield from [rotate(degrees) for degrees in (90, 180, 270)]
    yield from [rotate(flip=flip) for flip in ("horizontal", "vertical")]
    yield rotate(90, "horizontal")
    yield grayscale()
    yield flatten("#8040C0")
    yield from [trim(tolerance) for tolerance in (0, 10)]
    yield adjust("brightness", brightness=0.2)
    yield adjust("contrast", contrast=1.4)
    yield adjust("saturation", saturation=1.8)
    yield adjust("desaturation", saturation=0.4)
    yield adjust("gamma", gamma=2.2)
    yield adjust("dark gamma", gamma=0.6)
    yield adjust("all", brightness=-0.1, contrast=1.2, saturation=1.5, gamma=1.3)
    yield watermark("own size", mark)
    yield watermark("margin", mark, gravity="northWest", margin=11)
    yield watermark("scale", mark, gravity="center", scale=0.15)
    yield watermark("opacity", mark, gravity="northEast", opacity=0.4)
    yield watermark("tile", mark, scale=0.2, opacity=0.5, margin=12, tile=True)
