"""Work on a cluster of two executors, with kills of each part of it."""
import http.server
import json
import os
import pathlib
import shutil
import signal
import struct
import threading
import time
import unittest
import zlib

from tests.job import Job

IMAGES = 240


def png(number):
    """A picture of one pixel that differs by its number."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(bytes([0, number & 255, number >> 8 & 255, number >> 16 & 255]))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = png(int(self.path.strip("/").split(".")[0]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def processes(*words):
    """The ids of the processes whose command line has these words."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if set(words) <= set((folder / "cmdline").read_bytes().decode(errors="replace").split("\0")):
                    found.append(int(folder.name))
            except OSError:
                pass
    return found


class WorkTests(unittest.TestCase):
    def test_kills_of_a_child_an_executor_and_the_driver(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        job = Job()
        self.addCleanup(job.temporary.cleanup)
        (job.folder / "urls.txt").write_text(
            "".join(f"http://127.0.0.1:{server.server_port}/{number}.png\n" for number in range(IMAGES)))
        job.write(sources=[{"list": "urls.txt"}], network={"allow": ["127.0.0.1"]}, loading={"rate": "60/s", "burst": 1})
        job.fleet("plan", "job.json", "--store", "store", "--partition-items", "20")
        store = str(job.folder / "store")
        killed = []
        process = self.start(job, store)
        executor = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
        for kind, words in (("child", ["fleet", store]), ("executor", [executor]), ("driver", [])):
            committed = self.committed(job)
            self.wait(lambda: self.committed(job) > committed or process.poll() is not None, process)
            if kind == "driver":
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
            else:
                found = []
                self.wait(lambda: found.extend(processes(*words)) or found, process)
                os.kill(found[0], signal.SIGKILL)
            killed.append(kind)
        self.assertLess(self.committed(job), IMAGES // 20, "the driver was killed before the end")
        # Workers end with what started them.
        self.wait(lambda: not processes("fleet", store))
        output, _ = self.start(job, store).communicate(timeout=600)
        self.assertEqual(self.committed(job), IMAGES // 20, output + job.log())
        self.assertEqual(job.fleet("collect", "--store", store).returncode, 0)
        whole = job.files("store/collected")
        shutil.rmtree(job.folder / "store/collected")
        job.spark("collect", "--store", store, "--parts", "3")
        for name in ("results.jsonl.gz", "report.json"):
            self.assertEqual(job.files("store/collected")[name], whole[name])
        outputs = [path for path in job.files("store") if path.startswith("out/")]
        self.assertEqual(len(outputs), IMAGES)
        print(f"killed: {', '.join(killed)}; {len(outputs)} outputs of {IMAGES} images")

    def start(self, job, store):
        return job.start("work", "--store", store, master="local-cluster[2,1,512]",
                         settings=["spark.executor.memory=512m", "spark.driver.memory=512m"])

    def committed(self, job):
        return json.loads(job.fleet("status", "--store", "store", "--json").stdout)["committed"]

    def wait(self, condition, process=None, limit=100):
        end = time.monotonic() + limit
        while not condition():
            if process is not None and process.poll() not in (None, 0):
                self.fail(f"spark-submit ended with {process.returncode}")
            self.assertLess(time.monotonic(), end, "nothing happened in time")
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
