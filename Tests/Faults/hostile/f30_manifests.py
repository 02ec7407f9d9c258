"""F30: manifests that are wrong, huge, deep, or made to be expensive.

Each must be refused with exit 2, a message that names a place (line:column, a path in the document, or the file), within 10 s
and 300 MB, and nothing may be written. The control is a manifest without a fault, which the same check must not refuse.
"""
import re

from frame import Job
from hostile import manifests
from servers.measured import measure

TITLE = "hostile manifests: 1 GB, depth 100,000, duplicate keys, bad UTF-8, CR LF in headers, unknown keys, mutants"
TRIES = 300  # mutants
MOST_MEMORY, MOST_SECONDS = 300, 10
YAML_PLACE = re.compile(r"job\.yaml:")
PLACE = re.compile(r"\d+:\d+|job\.(json|yaml)|\.json|none\.csv|\$\.|sources")


def run(trial):
    made = Job(trial.folder("job"), [])
    made.manifest = {}
    wrong, peak, slowest, cases = [], (0, ""), (0, ""), 0
    for name, write, words in every(made.folder):
        cases += 1
        write()
        result = measure(made, "validate", *words, limit=4 * MOST_SECONDS)
        peak, slowest = max(peak, (result.peak, name)), max(slowest, (result.seconds, name))
        place = YAML_PLACE if words else PLACE
        if result.exit != 2 or not place.search(result.errors + result.output):
            wrong.append(f"{name}: exit {result.exit}, {(result.errors + result.output).strip()[:100]!r}")
    written = [path.name for path in made.folder.iterdir() if path.name in ("out", ".nuke-batch", "cache")]
    (made.folder / "job.json").write_text(manifests.with_('"name": "good"'))
    control = measure(made, "validate")
    trial.row(
        case="refused", tries=cases,
        expected=f"not refused with a place 0, memory ≤ {MOST_MEMORY} MB, ≤ {MOST_SECONDS} s, written 0",
        seen=f"not refused with a place {len(wrong)}, {peak[0]:.0f} MB ({peak[1]}), {slowest[0]:.1f} s ({slowest[1]}), written {len(written)}"
        + "".join(f"; {line}" for line in wrong[:8]),
        good=not wrong and not written and peak[0] <= MOST_MEMORY and slowest[0] <= MOST_SECONDS,
        control=f"a good manifest: exit {control.exit}", caught=control.exit == 0)
    mutants(trial, made)


def every(folder):
    """Each case: its name, what writes it, and the words behind job.json, which is a good manifest then."""
    job, yaml = folder / "job.json", folder / "job.yaml"
    for name, text in manifests.TEXTS.items():
        yield name, lambda text=text: job.write_bytes(text.encode("utf-8", "surrogatepass")), ()
    for name, data in manifests.BYTES.items():
        yield name, lambda data=data: job.write_bytes(data), ()
    good = manifests.with_('"name": "good"')
    for name, data in manifests.YAMLS.items():
        yield f"YAML: {name}", lambda data=data: (job.write_text(good), yaml.write_bytes(data)), ("job.yaml",)
    for name, file in manifests.large(folder):
        if file.endswith(".yaml"):
            yield name, lambda file=file: (job.write_text(good), (folder / file).replace(yaml)), ("job.yaml",)
        else:
            yield name, lambda file=file: (folder / file).replace(job), ()
    yield "a folder", lambda: (job.unlink(), job.mkdir()), ()
    yield "nothing", lambda: job.rmdir(), ()
    yield "a link to itself", lambda: job.symlink_to("job.json"), ()
    job.unlink(missing_ok=True)


def mutants(trial, made):
    """A manifest with a random change must be taken or refused, and never crash."""
    good = manifests.with_('"name": "m", "limits": {"memory": "1GB"}, "processors": [{"resize": {"width": 5}}], '
                           '"loading": {"rate": "8/s", "headers": {"X": "$${a}"}}').encode()
    ends = {}
    for _ in range(trial.tries):
        data = bytearray(good)
        for _ in range(trial.random.choice((1, 2, 5))):
            place = trial.random.randrange(len(data))
            data[place:place + trial.random.randrange(
                3)] = bytes(trial.random.choice(b'{}[]",:\\/*$x019-eE\xff\xc3\n ') for _ in range(trial.random.randrange(3)))
        (made.folder / "job.json").write_bytes(data)
        code = made.run("validate").exit
        ends[code] = ends.get(code, 0) + 1
    trial.row(
        case="mutants", tries=trial.tries, expected="exit 0 or 2",
        seen=", ".join(f"exit {code} {count} times" for code, count in sorted(ends.items())), good=set(ends) <= {0, 2})
