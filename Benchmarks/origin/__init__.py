"""nginx on loopback (`serve`), and what its log tells of a client's politeness."""
import pathlib, subprocess

serve = pathlib.Path(__file__).resolve().parent / "serve"


def start(images, port):
    """Serves a folder; returns the path of the access log."""
    stop(port)
    words = [serve, "start", images, str(port)]
    return pathlib.Path(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()) / "access.log"


def stop(port):
    subprocess.run([serve, "stop", str(port)], check=False)


def arrivals(log):
    """When each request began, in seconds, its status and bytes: nginx logs the end and how long it took."""
    rows = (line.split() for line in log.read_text().splitlines())
    return sorted((float(row[0]) - float(row[3]), int(row[1]), int(row[2])) for row in rows)


def excess(times, rate, burst):
    """By how many requests the worst window was above what is allowed in it."""
    worst, least = 0.0, float("inf")
    # Windows that end at a request: the best start is where (number of earlier requests - rate x time) is least.
    for count, time in enumerate(times):
        least = min(least, count - rate * time)
        worst = max(worst, count + 1 - rate * time - least)
    return worst - burst
