"""F32: rates, bursts and concurrency of five hosts, through redirects, retries, kills and connections that close unannounced.

The kernel writes down when each request arrived. In any t seconds, at every start and end that there are, a host may see at
most rate × t + burst requests; t begins earlier by as much as the threads between may have been late on this machine, which is measured.
After a kill the bucket starts empty, so this holds across runs as well. The control is judged by a third of its own limits,
which must not fit.
"""
import collections, threading, time

from frame import png
from servers import job, namespace
from servers.server import HTTPServer, Kept, response

TITLE = "politeness: rate, burst and concurrency of five hosts through redirects, retries and kills"
TRIES = 6  # kills
NEEDS = ["namespaces", "ip"]
LIMITS = {namespace.public(10): (15, 30, 6), namespace.public(11): (10, 20, 2), namespace.public(12): (30, 10, 6),
          namespace.public(13): (40, 40, 4), namespace.public(14): (20, 1, 1)}  # rate, burst, concurrency
HOPS = 3  # threads between a permit and its request: the limiter's timer, its task, the transfers' loop
IMAGES = 120


class Lateness:
    """How late a thread was at most that wanted to wake up every 5 ms: by that a request may come behind its permit."""

    def __init__(self):
        self.most, self.ended = 0, False
        threading.Thread(target=self._measure, daemon=True).start()

    def _measure(self):
        while not self.ended:
            due = time.monotonic() + 0.005
            time.sleep(0.005)
            self.most = max(self.most, time.monotonic() - due)


class Watch:
    """What the hosts saw: when requests arrived, and how many were there at once."""

    def __init__(self, closes):
        self.closes = closes
        self.arrivals = collections.defaultdict(list)
        self.running, self.most = collections.Counter(), collections.Counter()
        self.seen, self.lock = collections.Counter(), threading.Lock()

    def answer(self, request, connection):
        with self.lock:
            self.arrivals[request.address].append(request.time)
            self.running[request.address] += 1
            self.most[request.address] = max(self.most[request.address], self.running[request.address])
            self.seen[request.address, request.path] += 1
            first = self.seen[request.address, request.path] == 1
        time.sleep(0.02)
        number = int(request.path.strip("/").split(".")[0])
        if number % 7 == 0 and request.path.endswith(".png"):
            reply = response(b"", "302 Found", Location=f"/{number}.jpg")
        elif number % 11 == 0 and first:
            reply = response(b"", "500 Not now")
        else:
            reply = response(png(number))
        with self.lock:
            self.running[request.address] -= 1
        return reply if self.closes else Kept(reply)

    def excess(self, late, share=1):
        """The requests of the worst window above what is allowed in it, of each host."""
        return {address: worst(sorted(times), LIMITS[address][0] * share, LIMITS[address][1] * share) - LIMITS[address][0] * HOPS * late
                for address, times in self.arrivals.items()}


def worst(times, rate, burst):
    # The most of (number of requests) - rate × (their span): the running minimum makes it linear.
    lowest, most = float("inf"), float("-inf")
    for index, moment in enumerate(times):
        lowest = min(lowest, index - rate * moment)
        most = max(most, index + 1 - rate * moment - lowest)
    return most - burst


def run(trial):
    namespace.answer()
    for case, kills, closes in [("undisturbed", 0, False), ("kills", trial.tries, False), ("closed connections", 0, True)]:
        watch, lateness = Watch(closes), Lateness()
        server = HTTPServer(watch.answer)
        made = job(
            trial, case, [f"http://{address}/{number}.png" for number in range(IMAGES) for address in LIMITS],
            retry={"backoff": "50ms..100ms"}, loading={"concurrency": 32, "hosts": {
                address: {
                    "rate": f"{rate}/s", "burst": burst, "perHost": most,
                } for address, (rate, burst, most) in LIMITS.items()}})
        for _ in range(kills):
            process = made.start()
            time.sleep(trial.random.uniform(0.3, 1.2))
            process.kill()
            process.wait()
        outcome = made.run(limit=90)
        lateness.ended = True
        excess = watch.excess(lateness.most)
        # A killed run's connections are not closed in the server's eyes at once, so its requests count with the next run's.
        crowd = {address: most for address, most in watch.most.items() if most > LIMITS[address][2] * (2 if kills else 1)}
        control = max(watch.excess(0, share=1 / 3).values())
        requests = sum(map(len, watch.arrivals.values()))
        trial.row(
            case=case, tries=f"{requests} requests, {kills} kills", expected="over rate × t + burst 0, over perHost 0",
            seen=f"worst window {max(excess.values()):+.1f} (threads were up to {1000 * lateness.most:.0f} ms late), "
                 f"{len(crowd)} hosts over perHost, exit {outcome.exit}",
            good=round(max(excess.values()), 1) <= 0 and not crowd and outcome.exit == 0,
            control=f"a third of the limits: {control:+.0f}", caught=control > 0)
        server.stop()
        time.sleep(0.2)
