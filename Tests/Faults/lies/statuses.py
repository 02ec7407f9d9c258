"""HTTP statuses: those of retry.statuses are tried again, others are final."""
from servers.server import response

from . import PICTURE, Lie

RETRIED = {408, 425, 429, 500, 502, 503, 504}
STATUSES = [300, 304, 305, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 416, 418, 421, 422, 423, 425,
            426, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 521, 522, 523, 524, 525, 526, 530, 599,
            600, 999]

LIES = [Lie(f"status {status}", f"http_{status}", response(b"an explanation", f"{status} Text"), 2 if status in RETRIED else 1)
        for status in STATUSES] + [
    Lie("an image with 404", "http_404", response(PICTURE, "404 Not Found"), 1),
    Lie("an image with 503", "http_503", response(PICTURE, "503 Unavailable"), 2),
    Lie("302 without a Location", "http_302", response(b"", "302 Found"), 1),
    Lie("304 that was not asked for, with an image", "http_304", response(length=False, status="304 Not Modified") + PICTURE, 1),
]
