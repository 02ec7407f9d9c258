"""Fleets of nuke-batch on Apache Spark: plans a job of any size, works on it, and proves that it is complete.

    spark-submit nuke_batch.py plan MANIFEST --store STORE [--partition-items N] [--partition-minutes M] [--chain]
    spark-submit nuke_batch.py work --store STORE [--plan HASH]
    spark-submit nuke_batch.py collect --store STORE [--plan HASH] [--parts K]
    spark-submit nuke_batch.py run  MANIFEST --store STORE [--parts K]

Python only moves lines: what a row means, which rows are equal and which hosts share a partition is decided by the program
nuke-batch, so that a plan made here is the plan, with the same hash, that `nuke-batch fleet plan` makes on one machine. All
nodes need the program, found by the environment variable NUKE_BATCH or by PATH, and the manifest at the same path. Workers
trust the plan of the hash that `plan` prints, which --plan or NUKE_BATCH_PLAN gives to `work`.
"""
import argparse
import itertools
import json
import math
import os
import re
import subprocess
import sys
import threading
import zlib

from py4j.protocol import Py4JJavaError
from pyspark import StorageLevel
from pyspark.sql import SparkSession, types
from pyspark.sql.functions import col, to_json

# A task is a partition of the plan, so that one that is lost costs no other; Spark's driver keeps some kilobytes of each.
MOST_TASKS = 10_000
WORKING = {"spark.speculation": "false", "spark.task.maxFailures": "8"}


class FleetError(Exception):
    """A sentence about what went wrong, with the exit code of nuke-batch."""

    def __init__(self, message, exit=4):
        super().__init__(message)
        self.exit = exit


def program():
    """The path or name of nuke-batch."""
    return os.environ.get("NUKE_BATCH") or "nuke-batch"


def plan(spark, manifest, store, options=()):
    """Plans a job whose sources are lists; returns the summary of the plan.

    `options` are those of `nuke-batch fleet plan`. Nothing that grows with the job passes through the driver.
    """
    steps = [program(), "fleet", "plan", manifest, "--store", store, *options]
    sources = json.loads(_answer([program(), "fleet", "key", manifest, "--json"]))
    keyed = spark.sparkContext.union([_keys(spark, manifest, source) for source in sources])
    slices = max(spark.sparkContext.defaultParallelism, keyed.getNumPartitions())
    # KEY, HOST and JSON of a row, with its place in the whole manifest.
    rows = keyed.zipWithIndex().map(_row).persist(StorageLevel.DISK_ONLY)
    kept = rows.reduceByKey(_earlier, slices).persist(StorageLevel.DISK_ONLY)
    duplicates = rows.count() - kept.count()
    if sources[0]["hasPaths"]:
        kept = _with_blocked(kept, _blocked(rows, steps, slices), slices)
    hosts = kept.map(lambda row: (row[1][1], 1)).reduceByKey(lambda one, other: one + other, slices)
    # Python compares texts by code points, which is the order of their bytes in UTF-8.
    ordered = hosts.sortByKey(numPartitions=slices).map(lambda host: f"{host[0]}\t{host[1]}").coalesce(1)
    packed = ordered.mapPartitions(_through(steps + ["--step", "pack"])).map(_slice)
    # A host's partitions come before its rows, which take their places in them by their order.
    pieces = packed.map(lambda piece: ((piece[0], 0, piece[1]), piece[1:])).union(
        kept.map(lambda row: ((row[1][1], 1, row[1][0]), row[1][2])))
    placed = pieces.repartitionAndSortWithinPartitions(slices, lambda key: zlib.crc32(key[0].encode())).mapPartitions(_place)
    lines = placed.repartitionAndSortWithinPartitions(slices, lambda key: key[0]).map(
        lambda line: f"{line[0][0]}\t{line[0][1]}\t{line[1]}")
    written = lines.mapPartitions(_through(steps + ["--step", "write"]))
    seal = _through(steps + ["--step", "seal", "--duplicates", str(duplicates), "--json"], runs_without_lines=True)
    summary = written.coalesce(1).mapPartitions(seal).collect()
    rows.unpersist()
    kept.unpersist()
    return json.loads(summary[0])


def work(spark, store, plan=None, environment=None):
    """Does the partitions of a plan that are not committed; returns the workers' answers.

    `plan` is the hash of the plan to trust, by default that in NUKE_BATCH_PLAN; a folder that only the workers' user can write to
    needs none. The workers get `environment`, by default that of the driver, for credentials and PATH. Raises `FleetError` for
    partitions that are not committed then.
    """
    missing = status(store)["missing"]
    if not missing:
        return []
    environment = dict(os.environ if environment is None else environment)
    if plan:
        environment["NUKE_BATCH_PLAN"] = plan
    command = [program(), "fleet", "work", "--store", store, "-"]
    numbers = spark.sparkContext.parallelize(missing, min(len(missing), MOST_TASKS))
    answers = [json.loads(line) for line in numbers.map(str).mapPartitions(_through(command, environment)).collect()]
    failed = [answer for answer in answers if not answer["committed"]]
    if failed:
        names = ", ".join(f"partition {answer['partition']} ({answer['error']})" for answer in failed[:10])
        raise FleetError(f"{len(failed)} partitions are not committed: {names}")
    return answers


def status(store):
    """The progress of a fleet, as `nuke-batch fleet status --json` tells it."""
    return json.loads(_answer([program(), "fleet", "status", "--store", store, "--json"]))


def collect(spark, store, plan=None, parts=1, options=(), environment=None):
    """Proves that a job is complete; returns the exit code of `nuke-batch fleet collect`.

    With several `parts`, tasks prove a share of the partitions each, and the driver merges their results. A part that is done is not
    done again. If others may write to the store, the tasks get the secret in NUKE_BATCH_COLLECT_SECRET from `environment`, by
    default that of the driver. `options` are those of the merge.
    """
    environment = dict(os.environ if environment is None else environment)
    command = [program(), "fleet", "collect", "--store", store, *(["--plan", plan] if plan else [])]
    merge = list(options)
    if parts > 1:
        numbers = spark.sparkContext.parallelize(range(1, parts + 1), parts)
        numbers.foreach(lambda number: _answer([*command, "--part", f"{number}/{parts}"], environment))
        merge += ["--parts", str(parts)]
    return subprocess.run([*command, *merge], check=False, env=environment).returncode


def _keys(spark, manifest, source):
    """The lines of `fleet key` for a source, in the order of its rows."""
    command = [program(), "fleet", "key", manifest, "--source", str(source["source"])]
    parts = []
    for path in source["paths"]:
        path = path.replace("s3://", "s3a://", 1)
        if source["format"] == "parquet":
            # File by file, since Spark reads large files first.
            table = spark.read.parquet(path)
            names = [name for name in source["columns"] or table.columns if name in table.columns]
            values = table.select([_value(col(f"`{name}`"), table.schema[name].dataType) for name in names])
            parts.append(values.rdd.map(_json(names, [table.schema[name].dataType for name in names])))
        else:
            # A row of CSV can have several lines, and a list one header: each file in one piece.
            whole = {"mapreduce.input.fileinputformat.split.minsize": str(1 << 60)} if source["format"] in ("csv", "tsv") else {}
            parts.append(spark.sparkContext.newAPIHadoopFile(
                path, "org.apache.hadoop.mapreduce.lib.input.TextInputFormat", "org.apache.hadoop.io.LongWritable",
                "org.apache.hadoop.io.Text", conf={"textinputformat.record.delimiter": "\n", **whole}).map(lambda line: line[1]))
    return spark.sparkContext.union([part.mapPartitions(_through(command)) for part in parts])


def _value(column, kind):
    """A column in a form that has the type of nuke-batch's JSON."""
    if isinstance(kind, (types.ArrayType, types.MapType, types.StructType)):
        return to_json(column, {"ignoreNullFields": "false"})
    # A number of 32 bits has its own shortest digits.
    is_kept = isinstance(kind, (types.IntegralType, types.BooleanType, types.DoubleType))
    return column if is_kept else column.cast("string")


def _json(names, kinds):
    """A function of a row that returns it as a line of JSON, as nuke-batch-parquet sends values."""
    def text(value, kind):
        if isinstance(kind, types.FractionalType) and not isinstance(kind, types.DecimalType):
            value = None if value is None or not math.isfinite(float(value)) else float(value)
        if value is not None and isinstance(kind, (types.ArrayType, types.MapType, types.StructType, types.DecimalType)):
            return value
        return json.dumps(value, ensure_ascii=False)

    return lambda row: "{%s}" % ",".join(
        "%s:%s" % (json.dumps(name, ensure_ascii=False), text(value, kind)) for name, value, kind in zip(names, row, kinds)
    )


def _row(indexed):
    line, index = indexed
    key, host, item = line.split("\t", 2)
    return key, (index + 1, host, item)


def _earlier(one, other):
    return min(one, other)


def _blocked(rows, steps, slices):
    """The outputs that are not made because an earlier row has their path: the ordinal of the item, output and path."""
    claims = rows.map(lambda row: f"{row[1][0]}\t{row[1][2]}").mapPartitions(_through(steps + ["--step", "claim"])).map(_claim)
    # The first claim to each path, and whether there are others.
    owners = claims.mapValues(lambda claim: (claim, False)).reduceByKey(_contend, slices).filter(lambda owner: owner[1][1])
    if owners.isEmpty():
        return None
    lost = claims.join(owners, slices).filter(lambda claim: claim[1][0][1:] != claim[1][1][0][1:])
    return lost.map(lambda claim: (claim[1][0][0], (claim[1][0][1], claim[0])))


def _claim(line):
    ordinal, output, key, path = line.split("\t", 3)
    return path, (int(ordinal), int(output), key)


def _contend(one, other):
    # Equal rows are one item, so that its output has one claim.
    return min(one[0], other[0]), one[1] or other[1] or one[0][1:] != other[0][1:]


def _with_blocked(kept, blocked, slices):
    """The rows with the outputs that are not made behind their JSON, as `--step write` reads them."""
    if blocked is None:
        return kept
    def line(row):
        (key, (ordinal, host, item)), outputs = row[1]
        return key, (ordinal, host, item + "".join(f"\t{output}\t{path}" for output, path in sorted(outputs or ())))
    return kept.map(lambda row: (row[1][0], row)).leftOuterJoin(blocked.groupByKey(slices), slices).map(line)


def _slice(line):
    host, partition, count = line.split("\t")
    return host, int(partition), int(count)


def _place(pieces):
    """Gives each row of a host its partition: the first rows go to the first one, and so on."""
    host, slices = None, []
    for (name, kind, number), value in pieces:
        if name != host:
            host, slices = name, []
        if kind == 0:
            slices.append(list(value))
            continue
        while slices[0][1] == 0:
            slices.pop(0)
        slices[0][1] -= 1
        yield (slices[0][0], number), value


def _through(command, environment=None, runs_without_lines=False):
    """A function from lines to the lines that a program makes of them."""
    def answers(rows):
        lines = iter(rows)
        first = list(itertools.islice(lines, 1))
        # An empty part of a list must not look like an empty list.
        if not first and not runs_without_lines:
            return
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        trouble, errors = [], []

        def feed():
            try:
                with child.stdin as stream:
                    for row in itertools.chain(first, lines):
                        stream.write(f"{row}\n".encode())
            except BrokenPipeError:
                pass  # the program tells why
            except BaseException as error:  # of the rows: told by the task
                trouble.append(error)
                child.kill()

        def listen():
            for line in child.stderr:
                errors.append(line.decode(errors="replace"))
                del errors[:-20]

        threads = [threading.Thread(target=feed, daemon=True), threading.Thread(target=listen, daemon=True)]
        for thread in threads:
            thread.start()
        try:
            for line in child.stdout:
                yield line.rstrip(b"\n").decode()
            exit = child.wait()
        finally:
            child.kill()
            child.wait()
        for thread in threads:
            thread.join()
        if trouble:
            raise trouble[0]
        if exit != 0:
            raise FleetError(f"{' '.join(command)} ended with {exit}: {''.join(errors)}", exit)
    return answers


def _answer(command, environment=None):
    """What a command prints; raises `FleetError` with its messages if it fails."""
    try:
        outcome = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    except FileNotFoundError:
        raise FleetError(f"there is no program {command[0]}: install nuke-batch, or name it in NUKE_BATCH", 2) from None
    if outcome.returncode != 0:
        raise FleetError(outcome.stderr.strip(), outcome.returncode)
    return outcome.stdout


def _session(name, settings):
    builder = SparkSession.builder.appName(f"nuke-batch fleet {name}")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def main(words):
    parser = argparse.ArgumentParser(prog="nuke_batch.py", description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["plan", "work", "collect", "run"])
    parser.add_argument("manifest", nargs="?")
    parser.add_argument("--store", required=True)
    parser.add_argument("--plan", help="the hash of the plan to trust")
    parser.add_argument("--partition-items", type=int)
    parser.add_argument("--partition-minutes", type=int)
    parser.add_argument("--chain", action="store_true")
    parser.add_argument("--parts", type=int, default=1, help="the tasks that prove the job complete (default: 1)")
    given = parser.parse_args(words)
    if (given.manifest is None) != (given.action in ("work", "collect")):
        parser.error("plan and run need a MANIFEST, and work and collect take none")
    options = ["--partition-items", str(given.partition_items)] if given.partition_items else []
    options += ["--partition-minutes", str(given.partition_minutes)] if given.partition_minutes else []
    options += ["--chain"] if given.chain else []
    try:
        spark = _session(given.action, WORKING)
        has_plan = given.action in ("work", "collect")
        if given.action == "run":
            try:
                has_plan = bool(status(given.store))
            except FleetError as error:
                if error.exit != 2:
                    raise
        trusted = given.plan
        if not has_plan:
            summary = plan(spark, os.path.abspath(given.manifest), given.store, options)
            print(json.dumps(summary))
            trusted = summary["hash"]
        if given.action in ("work", "run"):
            for answer in work(spark, given.store, trusted):
                print(json.dumps(answer))
        collects = given.action in ("collect", "run")
        exit = collect(spark, given.store, trusted, given.parts) if collects else 0
        spark.stop()
        return exit
    except (FleetError, Py4JJavaError) as error:
        told = error if isinstance(error, FleetError) else _of_task(error)
        print(f"nuke_batch.py: {told}", file=sys.stderr)
        return told.exit


def _of_task(error):
    """The error of nuke-batch that ended a task, as Spark's driver tells it in the middle of a trace."""
    found = re.search(r"FleetError: (.* ended with (\d+): .*)", str(error))
    if found is None:
        raise error
    return FleetError(found[1], int(found[2]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
