"""F33: all faults at once, at random, for a long time: servers that lie, kills, signals, clock steps, a full disk, no network.

Jobs of 2,000 items run one after another. While faults are injected each is run again and again; then the servers become
honest, the faults end, and `retry` must finish it: every item done, every output there with its recorded hash (`verify`). What a
run called done must stay done. A run may take no longer than its --max-duration and a deadline, the clean one 4 minutes. The
control removes an output of the last job: the check must find it.
"""
import json, threading, time

from frame import png, preload
from lies import every
from servers import job, namespace
from servers.server import HTTPServer, Kept, response

TITLE = "a soak: everything at random, ending with a clean run"
TRIES, CI_TRIES = 1800, 0  # seconds
NEEDS = ["root", "ip", "cc"]
HOSTS, ITEMS, CHAOS = 12, 2000, 60  # CHAOS: seconds of faults in the life of a job
CLEAN = 240  # seconds for a clean end
DEADLINE = 12  # loading.totalTimeout and the end of a run, s
EXITS = {0, 1, 4, 5, 129, 130, 137, 143}
LOADING = {"rate": "2/s", "burst": 1, "timeout": "2s", "connectTimeout": "2s", "totalTimeout": "5s", "concurrency": 24,
           "maxBytes": "2MB"}


class Soak:
    def __init__(self, trial):
        self.trial, self.chance = trial, trial.random
        self.lies = [lie.answer for lie in every() if not lie.name.startswith(("a redirect to", "6 redir", "redirects w"))]
        self.share, self.lied, self.injected = 0, 0, {}
        self.progress, self.longest, self.silence = time.monotonic(), 0, 0
        self.lives, self.runs, self.bad, self.lost, self.done = 0, 0, [], 0, 0
        self.disk = trial.folder("disk")
        namespace.mount_memory(self.disk, "24m")
        self.clock = trial.work / "clock"
        HTTPServer(self.answer)

    def answer(self, request, connection):
        if self.chance.random() < self.share:
            self.lied += 1
            lie = self.chance.choice(self.lies)
            return lie(request, connection) if callable(lie) else lie
        number = int("".join(filter(str.isdigit, request.path)) or 0)
        return Kept(response(png(number), ETag=f'"{number}"', Accept_Ranges="bytes"))

    def live(self):
        """One job: a time of faults, then a clean end."""
        self.lives += 1
        urls = [f"http://{namespace.public(10 + number % HOSTS)}/{number}.png" for number in range(ITEMS)]
        made = job(self.trial, f"life-{self.lives}", urls, destination=str(self.disk / f"life-{self.lives}"), loading=LOADING,
                   retry={"attempts": 6, "backoff": "50ms..500ms"})
        self.job, acknowledged = made, set()
        self.share = self.chance.uniform(0.05, 0.3)
        end = time.monotonic() + CHAOS
        while time.monotonic() < end:
            self.disturbed(made, acknowledged)
        self.share = 0
        self.clock.write_text("0")
        self.progress = time.monotonic()
        process = made.start("retry", "--json")
        # What a wrong clock has stored is waited for at most as long as its own cap.
        if not self.ended(process, self.followed(process, acknowledged), limit=CLEAN):
            self.bad.append(f"life {self.lives}: the clean run did not end within {CLEAN} s")
        self.check(made, acknowledged, process.returncode)

    def disturbed(self, made, acknowledged):
        """One run, with one fault at a random time of it."""
        self.runs += 1
        environment = {"LD_PRELOAD": preload("clock"), "NB_CLOCK": str(self.clock)}
        process = made.start("run", "--json", "--max-duration", "8s", environment=environment)
        follower = self.followed(process, acknowledged)
        time.sleep(self.chance.uniform(0, 3))
        fault = self.chance.choice([self.kill, self.signal, self.step_clock, self.fill_disk, self.cut_network, self.wait])
        name = fault.__name__
        self.injected[name] = self.injected.get(name, 0) + 1
        began = time.monotonic()
        fault(process)
        if not self.ended(process, follower, limit=8 + DEADLINE):
            self.bad.append(f"{name}: a run did not end within {time.monotonic() - began:.0f} s")
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        if code not in EXITS:
            self.bad.append(f"{name}: exit {code}: {process.stderr.read().decode(errors='replace')[-200:]}")

    def followed(self, process, acknowledged):
        thread = threading.Thread(target=self.follow, args=(process, acknowledged))
        thread.start()
        return thread

    @staticmethod
    def ended(process, follower, limit):
        """Waits for the end of a run; kills it and returns false after `limit` seconds."""
        follower.join(limit)
        in_time = not follower.is_alive()
        if not in_time:
            process.kill()
            follower.join()
        process.wait()
        return in_time

    def follow(self, process, acknowledged):
        """Reads what a run says until it ends."""
        for line in process.stdout:
            if not line.endswith(b"\n") or b"item_finished" not in line:
                continue
            item = json.loads(line)["item"]
            if item["state"] == "done":
                acknowledged.add(item["url"])
            passed = time.monotonic() - self.progress
            if self.share == 0:
                self.longest = max(self.longest, passed)
            else:
                self.silence = max(self.silence, passed)
            self.progress = time.monotonic()

    def kill(self, process):
        process.kill()

    def signal(self, process):
        process.send_signal(self.chance.choice([1, 2, 15]))

    def step_clock(self, process):
        for _ in range(3):
            self.clock.write_text(str(self.chance.choice([-400 * 86400, -7200, -60, 0, 60, 7200, 400 * 86400])))
            time.sleep(1)

    def fill_disk(self, process):
        filler = self.disk / "filler"
        try:
            with open(filler, "wb") as file:
                while True:
                    file.write(bytes(1 << 16))
        except OSError:
            pass
        time.sleep(3)
        filler.unlink()

    def cut_network(self, process):
        namespace.ip("link", "set", "lo", "down")
        time.sleep(self.chance.uniform(0.5, 4))
        namespace.ip("link", "set", "lo", "up")
        namespace.answer()

    def wait(self, process):
        pass

    def check(self, made, acknowledged, code):
        items = made.items()
        undone = [item["url"] for item in items if item["state"] != "done"]
        forgotten = acknowledged - {item["url"] for item in items if item["state"] == "done"}
        verified = made.run("verify")
        self.done += len(items) - len(undone)
        self.lost += len(undone) + len(forgotten)
        if code or verified.exit or undone or forgotten or len(items) != ITEMS:
            self.bad.append(
                f"life {self.lives}: exit {code}, verify {verified.exit}, {len(undone)} not done, {len(forgotten)} forgotten")
        litter = [path for path in self.disk.rglob(".nb-*")]
        if litter:
            self.bad.append(f"life {self.lives}: {len(litter)} temporary files")
        self.trial.say(
            f"life {self.lives}: {self.runs} runs, {self.injected}, {self.lied} lies, {len(acknowledged)} acknowledged, bad {self.bad}")


def run(trial):
    namespace.answer()
    soak = Soak(trial)
    soak.clock.write_text("0")
    end = time.monotonic() + trial.tries
    while True:
        soak.live()
        last = soak.disk / f"life-{soak.lives}"
        if time.monotonic() + CHAOS > end:
            break
        for path in last.iterdir():
            path.unlink()
    next(path for path in sorted(last.iterdir()) if path.is_file()).unlink()
    control = soak.job.run("verify").exit
    injected = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(soak.injected.items()))
    trial.row(
        tries=f"{trial.tries} s, {soak.lives} jobs, {soak.runs} runs: {injected}, {soak.lied} lies",
        expected="items lost 0, else 0", seen=f"items lost {soak.lost} of {soak.lives * ITEMS}, else {len(soak.bad)}, longest time without"
        f" progress {soak.silence:.1f} s in faults, {soak.longest:.1f} s without" + "".join(f"; {line}" for line in soak.bad[:5]),
        good=not soak.lost and not soak.bad, control=f"an output removed: verify exits {control}", caught=control == 1)
