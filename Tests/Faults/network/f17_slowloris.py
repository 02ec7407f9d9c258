"""F17: heads and bodies that drip, stall or never begin, and 1xx answers without end.

Eight hosts answer six items each that way while another host has 240 images. No transfer may take longer than
loading.totalTimeout and a second, as the servers measure it, and the other host's images may be later by no more than the slow
transfers can hold the slots for. The control has the default time limits: the transfers must be longer then.
"""
import time

from frame import png
from servers import job, namespace
from servers.server import HTTPServer, response

TITLE = "slowloris: heads and bodies that drip, stalls, 1xx without end"
TRIES = 1
NEEDS = ["namespaces", "ip"]
ITEMS, FAST = 6, 240
TIMEOUT, TOTAL, SLOTS = 3, 6, 16
BODY = png(1)
KINDS = ["a head that drips", "a body that drips", "silence", "silence in the head", "silence in the body", "1xx that drip",
         "1xx in a flood", "chunks that drip"]


def run(trial):
    namespace.answer()
    lives = []

    def answer(request, connection):
        number = int(request.address.rsplit(".")[-1]) - 10
        if number < 0:
            return response(png(int(request.path.strip("/"))))
        began = time.monotonic()
        try:
            misbehave(KINDS[number], connection)
        finally:
            lives.append((time.monotonic() - began, KINDS[number]))

    HTTPServer(answer)
    fast = [f"http://{namespace.public(5)}/{number}" for number in range(FAST)]
    slow = [f"http://{namespace.public(10 + kind)}/{item}" for kind in range(len(KINDS)) for item in range(ITEMS)]
    alone = last_of(trial, "alone", fast, fast)
    together = last_of(trial, "together", slow + fast, fast)
    longest, kind = max(lives)
    transfers = len(lives)
    lives.clear()
    patient = polite(trial, "control", slow[:4 * ITEMS])
    patient.run(kill_after=TOTAL + 5)
    time.sleep(1)
    most = len(slow) * TOTAL / SLOTS
    loss = 100 * (together - alone) / together
    trial.row(
        tries=f"{transfers} transfers of {len(KINDS)} kinds",
        expected=f"a transfer ≤ {TOTAL + 1} s; the other host's images at most {most:.0f} s later",
        seen=f"{longest:.1f} s ({kind}); {alone:.1f} s alone, {together:.1f} s beside them ({loss:.0f} % slower)",
        good=longest <= TOTAL + 1 and together - alone <= most,
        control=f"default limits: {max(lives, default=(0, ''))[0]:.1f} s", caught=max(lives, default=(0, ""))[0] > TOTAL + 1)


def polite(trial, name, urls, **loading):
    # 40 a second: what the other host's images take does not depend on this machine's speed.
    return job(trial, name, urls, retry={"attempts": 1}, loading={"rate": "40/s", "burst": 5, **loading})


def last_of(trial, name, urls, fast):
    """Runs a job; returns after how many seconds the last of the fast items was finished."""
    made = polite(trial, name, urls, timeout=f"{TIMEOUT}s", totalTimeout=f"{TOTAL}s", connectTimeout=f"{TIMEOUT}s")
    process = made.start("run", "--json")
    began, last, left = time.monotonic(), None, set(fast)
    for line in process.stdout:
        for url in [url for url in left if f'"{url}"'.encode() in line.replace(b"\\/", b"/")]:
            left.discard(url)
            last = time.monotonic() - began
    made.end(process)
    if left:
        raise RuntimeError(f"{len(left)} of the fast items were not finished")
    return last


def misbehave(kind, connection):
    head = b"HTTP/1.1 200 OK\r\nX-Slow: yes\r\n"
    match kind:
        case "a head that drips":
            connection.drip(head, 0.3, 60)
        case "a body that drips":
            connection.send(response(length=False, Content_Length=10_000))
            connection.drip(BODY, 0.3, 60)
        case "silence":
            connection.wait(60)
        case "silence in the head":
            connection.send(head)
            connection.wait(60)
        case "silence in the body":
            connection.send(response(BODY)[:-20])
            connection.wait(60)
        case "1xx that drip":
            connection.drip(b"HTTP/1.1 100 Continue\r\n\r\n", 0.05, 60)
        case "1xx in a flood":
            end = time.monotonic() + 60
            while time.monotonic() < end:
                connection.send(b"HTTP/1.1 102 Processing\r\n\r\n")
                time.sleep(0.02)
        case "chunks that drip":
            connection.send(response(length=False, Transfer_Encoding="chunked"))
            connection.drip(b"1\r\nx\r\n", 0.1, 60)
