"""promtool, a Prometheus and a node_exporter on loopback."""
import contextlib
import json
import pathlib
import socket
import subprocess
import time
import urllib.parse
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetch(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read().decode()


@contextlib.contextmanager
def running(words, ready):
    """Runs a server until the end of the block, which begins when its page `ready` answers."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 120
        while True:
            try:
                fetch(ready)
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > end:
                    raise AssertionError(f"{words[0]} does not run") from None
                time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait()


def promtool(*words, text=None):
    """Returns the exit code and everything that promtool prints."""
    outcome = subprocess.run(["promtool", *words], input=text, capture_output=True, text=True, check=False)
    return outcome.returncode, outcome.stdout + outcome.stderr


@contextlib.contextmanager
def prometheus(folder, open_metrics, rule_file=None):
    """A Prometheus that has these samples and rules, and scrapes nothing; the block gets its address."""
    folder = pathlib.Path(folder)
    (folder / "samples").write_text(open_metrics)
    (folder / "prometheus.yml").write_text(f"rule_files: [{rule_file or ''}]\n")
    code, said = promtool("tsdb", "create-blocks-from", "openmetrics", str(folder / "samples"), str(folder / "data"))
    if code:
        raise AssertionError(said)
    address = f"127.0.0.1:{free_port()}"
    words = ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address={address}", "--storage.tsdb.retention.time=100y"]
    with running(words, f"http://{address}/-/ready"):
        yield address


def query_range(address, expression, begin, end, step):
    """Returns the series of an expression, as Grafana asks for them."""
    query = urllib.parse.urlencode({"query": expression, "start": begin, "end": end, "step": step})
    answer = json.loads(fetch(f"http://{address}/api/v1/query_range?{query}"))
    return answer["data"]["result"]


def rules(address):
    """Returns the alert rules that a Prometheus has read."""
    groups = json.loads(fetch(f"http://{address}/api/v1/rules"))["data"]["groups"]
    return [rule for group in groups for rule in group["rules"]]


def exported(folder):
    """Returns what node_exporter shows of the files in a folder."""
    address = f"127.0.0.1:{free_port()}"
    words = ["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
             f"--collector.textfile.directory={folder}", f"--web.listen-address={address}"]
    with running(words, f"http://{address}/"):
        return fetch(f"http://{address}/metrics")
