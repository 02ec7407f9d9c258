"""The least that an engine does: processes that work on partitions, and are started again when they end too early."""
import json, os, pathlib, queue, random, shutil, subprocess, threading, time

repository = pathlib.Path(__file__).resolve().parents[2]
tool = repository / ".build/release/nuke-batch"


class Fleet:
    """A job in a folder, planned into a store beside it."""

    def __init__(self, folder, manifest, *sizes):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder, self.store = folder, folder / "store"
        (folder / "job.json").write_text(json.dumps(manifest))
        words = [tool, "fleet", "plan", folder / "job.json", "--store", self.store, "--json", *sizes]
        self.plan = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)
        self.lock = threading.Lock()

    def work(self, workers, kills=(), elsewhere=False):
        """Does all partitions; returns the seconds that passed and those that workers ran.

        `kills` are the times, in seconds, at which a random worker is ended by SIGKILL. With `elsewhere`, its partition is begun
        again by a worker without the other one's files.
        """
        self.left, self.running, self.busy = queue.SimpleQueue(), {}, 0.0
        for number in range(self.plan["partitions"]):
            self.left.put(number)
        threads = [threading.Thread(target=self.node, args=(name, elsewhere)) for name in range(workers)]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for moment in kills:
            time.sleep(max(0, start + moment - time.monotonic()))
            with self.lock:
                if self.running:
                    random.choice(list(self.running.values())).kill()
        for thread in threads:
            thread.join()
        return time.monotonic() - start, self.busy

    def node(self, name, elsewhere):
        count = 0
        while True:
            try:
                number = self.left.get_nowait()
            except queue.Empty:
                return
            while self.attempt(name, number, self.folder / f"scratch-{name}-{count if elsewhere else 0}") != 0:
                count += 1

    def attempt(self, name, number, scratch):
        scratch.mkdir(exist_ok=True)
        words = [tool, "fleet", "work", "--store", self.store, "--partition", str(number), "--scratch", scratch]
        start = time.monotonic()
        with self.lock:
            process = self.running[name] = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr.read().decode()
        exit = process.wait()
        with self.lock:
            del self.running[name]
            self.busy += time.monotonic() - start
        assert exit in (0, 4, -9), f"partition {number}: exit {exit}: {errors}"
        return exit

    def collect(self):
        """Proves that the job is complete."""
        outcome = subprocess.run([tool, "fleet", "collect", "--store", self.store], capture_output=True, text=True)
        assert outcome.returncode == 0, f"collect: exit {outcome.returncode}: {outcome.stdout}{outcome.stderr}"
