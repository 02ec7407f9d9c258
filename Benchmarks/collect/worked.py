"""A store as workers leave it that did all partitions of a plan, without a request: how each item ended is made up."""
import concurrent.futures, gzip, hashlib, json, os, pathlib, subprocess, uuid

repository = pathlib.Path(__file__).resolve().parents[2]
tool = repository / ".build/release/nuke-batch"
started, ended = "2026-01-02T03:04:05.678Z", "2026-01-02T03:14:05.678Z"
counts = {"done": 0, "failed": 0, "skipped": 0, "quarantined": 0, "deferred": 0}


def plan(folder, items, partition):
    """Plans a job of so many images, none of which exists; returns the store and the summary of the plan."""
    folder.mkdir(parents=True)
    with open(folder / "urls.txt", "w") as file:
        for number in range(items):
            file.write(f"https://host{number % 1000}.example.com/{number}.jpg\n")
    (folder / "job.json").write_text(json.dumps({
        "sources": [{"list": "urls.txt"}], "dataset": {"pack": "tar", "itemsPerFile": 10_000},
        "outputs": [{"processors": [{"resize": {"width": 256}}], "format": "jpeg"}]}))
    words = [tool, "fleet", "plan", "job.json", "--store", "store", "--partition-items", str(partition), "--json"]
    told = subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE).stdout
    return folder / "store", json.loads(told)


def work(store, summary, share=1.0):
    """Commits the first partitions, a share of all of them."""
    numbers = range(round(summary["partitions"] * share))
    for name in ("commits", "attempts"):
        (store / name).mkdir(exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor() as processes:
        tasks = [(store, summary["hash"], numbers[at:at + 200]) for at in range(0, len(numbers), 200)]
        for _ in processes.map(commit, tasks):
            pass


def commit(task):
    store, plan, numbers = task
    for number in numbers:
        name, attempt = f"{number:06}", str(uuid.uuid4())
        lines = gzip.decompress((store / f"partitions/{name}.jsonl.gz").read_bytes()).splitlines()
        rows = [row(json.loads(line), f"{name}-{attempt}-00000", at) for at, line in enumerate(lines)]
        data = gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode(), 1)
        (store / f"attempts/{name}").mkdir(exist_ok=True)
        (store / f"attempts/{name}/{attempt}.started").write_text(
            json.dumps({"attempt": attempt, "node": "node", "started": started}))
        (store / f"attempts/{name}/{attempt}.jsonl.gz").write_bytes(data)
        text = json.dumps({
            "plan": plan, "partition": number, "attempt": attempt, "counts": {**counts, "done": len(rows)},
            "sha256": hashlib.sha256(data).hexdigest(), "version": "0.2.0", "node": "node", "started": started, "ended": ended,
            "networkBytes": 100_000 * len(rows)})
        (store / f"commits/{name}.json").write_text(text)
        (store / f"attempts/{name}/{attempt}.won").write_text(text)


def row(line, shard, at):
    digest = hashlib.sha256(line["url"].encode()).hexdigest()
    output = {"name": "default", "state": "done", "path": f"{shard}.tar/{line['ordinal']:09}.jpg", "bytes": 12_000 + at,
              "sha256": digest, "width": 256, "height": 171, "encoder": "libjpeg-turbo 2.1.5", "recipe": digest[:32], "offset": 1536 * at}
    return {"ordinal": line["ordinal"], "key": line["key"], "state": "done", "attempts": 1, "original": digest, "outputs": [output]}
