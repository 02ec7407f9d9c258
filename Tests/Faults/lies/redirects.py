"""Redirects that lead nowhere, or where they may not."""
from servers.server import response

from . import PICTURE, Lie


def to(location, status=302):
    return response(b"", f"{status} Found", Location=location)


def chain(last):
    """Redirects /, /1, … and answers at /`last`."""
    def answer(request, connection):
        step = int(request.path.strip("/") or 0)
        return response(PICTURE) if step == last else to(f"/{step + 1}")
    return answer


def endless(request, connection):
    return to(f"/{int(request.path.strip('/') or 0) + 1}")


def once(location, status=302):
    """Redirects to a place on the same server and answers there."""
    def answer(request, connection):
        return to(location, status) if request.path == "/" else response(PICTURE)
    return answer


LIES = [
    Lie("a redirect to itself", "redirects", to("/"), 1),
    Lie("a loop of two", "redirects", lambda request, _: to("/b" if request.path == "/" else "/"), 1),
    Lie("5 redirects", "done", chain(5), 1),
    Lie("6 redirects", "redirects", chain(6), 1),
    Lie("redirects without end", "redirects", endless, 1),
    *(Lie(f"a redirect by {status}", "done", once("/image", status), 1) for status in (301, 302, 303, 307, 308)),
    Lie("300 with a Location", "http_300", to("/image", 300), 1),
    Lie("a redirect to a file", "scheme", to("file:///etc/passwd"), 1),
    Lie("a redirect to FTP", "scheme", to("ftp://93.184.216.1/a.png"), 1),
    Lie("a redirect to Gopher", "scheme", to("gopher://93.184.216.1/a"), 1),
    Lie("a redirect to DICT", "scheme", to("dict://93.184.216.1:11211/stat"), 1),
    Lie("a redirect to SMB", "scheme", to("smb://93.184.216.1/share"), 1),
    Lie("a redirect to data", "scheme", to("data:image/png;base64,AAAA"), 1),
    Lie("a redirect to a script", "scheme|bad_url", to("javascript:alert(1)"), 1),
    Lie("a redirect to loopback", "address", to("http://127.0.0.1/"), 1),
    Lie("a redirect to metadata", "address", to("http://169.254.169.254/latest/meta-data"), 1),
    Lie("a redirect without a host", "bad_url", to("http://"), 1),
    # As browsers read it (URL standard, section 4.4), "image" is the host.
    Lie("a redirect with a slash more", "dns", to("http:///image")),
    Lie("a redirect to half an address", "bad_url", to("http://[::1/image"), 1),
    Lie("a redirect to port 99999", "bad_url|refused", to("http://93.184.216.1:99999/"), 1),
    Lie("an empty Location", "redirects|bad_url|http_302", to(""), 1),
    Lie("a Location with blanks", "done|bad_url", once("/an image"), 1),
    Lie("a Location with letters of UTF-8", "done|bad_url", once("/bild-ä".encode().decode("latin-1")), 1),
    Lie("a relative Location", "done", once("image"), 1),
    Lie(
        "a Location without a scheme", "done",
        lambda request, _: to(f"//{request.address}/i") if request.path == "/" else response(PICTURE), 1),
    Lie("a Location with a fragment", "done", once("/image#here"), 1),
    Lie("a Location of 200 kB", "reset|bad_url|redirects|http_302", to("/" + "x" * 200_000)),
    Lie("a Location of 50 kB", "redirects|bad_url|done", once("/" + "x" * 50_000), 1),
]
