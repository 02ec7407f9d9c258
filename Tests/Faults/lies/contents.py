"""Bodies that are something else than they are said to be."""
import gzip, io, json, zipfile

from servers.server import response

from . import PICTURE, Lie
from .bodies import PHOTO


def typed(body, kind="image/jpeg", **fields):
    return response(body, Content_Type=kind, **fields)


def archive():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a.png", PICTURE)
    return packed.getvalue()


LIES = [
    Lie("a page as an image", "wrong_type", typed(b"<!DOCTYPE html><html><body>Please log in</body></html>"), 1),
    Lie("text as an image", "wrong_type", typed(b"not here"), 1),
    Lie("JSON as an image", "wrong_type", typed(json.dumps({"error": "gone"}).encode()), 1),
    Lie("an SVG", "wrong_type", typed(b"<svg/>", "image/svg+xml"), 1),
    Lie("an archive", "wrong_type", typed(archive(), "image/png"), 1),
    Lie("a PDF", "wrong_type", typed(b"%PDF-1.7\n", "image/png"), 1),
    Lie("zeros", "wrong_type", typed(bytes(4096)), 1),
    Lie("only a magic number of PNG", "corrupt|truncated", typed(PICTURE[:8], "image/png"), 1),
    Lie("only a magic number of JPEG", "corrupt|truncated|wrong_type", typed(PHOTO[:4]), 1),
    Lie("a PNG as a JPEG", "done", typed(PICTURE), 1),
    Lie("an image as text", "done", typed(PICTURE, "text/html"), 1),
    Lie("an image of no type", "done", response(PICTURE), 1),
    Lie("an image of a type that is none", "done", typed(PICTURE, ";;/"), 1),
    Lie("a JPEG with bytes behind it", "done", typed(PHOTO + b"behind" * 100), 1),
    Lie("a PNG with a wrong checksum", "corrupt", typed(PICTURE[:-13] + b"\0" + PICTURE[-12:]), 1),
    Lie("gzip that was not asked for", "done", typed(gzip.compress(PICTURE), Content_Encoding="gzip"), 1),
    Lie("an image called gzip", "done", typed(PICTURE, Content_Encoding="gzip"), 1),
    *(Lie(f"an image called {coding}", "done", typed(PICTURE, Content_Encoding=coding), 1)
      for coding in ("br", "deflate", "zstd", "utf-8", "identity, gzip")),
    Lie("a page called br", "wrong_type", typed(b"\x0b\x02\x80" + PICTURE[::-1], Content_Encoding="br"), 1),
]
