"""F4: the order of the protocol.

A run of a few images is traced (strace). Each output must have been written, synced (alone, or with its file system), given its
name, its folder synced and the commit of the state synced, in this order, before the line that acknowledges its item. The
control is a run whose syncs do nothing: each output must violate the order.
"""
import json, re

from frame import Failure, Job, Origin, preload

TITLE = "the order of writes, syncs, commits and acknowledgements"
NEEDS = ["strace"]
TRIES, CI_TRIES = 12, 6  # images
CALLS = "openat,openat2,pwrite64,write,fsync,fdatasync,syncfs,linkat,renameat,renameat2,rename,close,dup"
LINE = re.compile(r"(?:\[pid +)?(\d+)\]? +(.*)")


def run(trial):
    violations, outputs, _ = trace(trial, "real", {})
    _, _, control = trace(trial, "control", {"LD_PRELOAD": preload("faults"), "NB_NO_SYNC": "1"})
    trial.row(tries=f"{outputs} outputs", expected="0 violations", seen=f"{len(violations)} violations", good=not violations,
              control=f"no syncs: {control} of {outputs} violate it", caught=control == outputs)
    for violation in violations[:5]:
        trial.say(violation)


def trace(trial, name, environment):
    """Runs the job under strace; returns the violations, the number of outputs, and how many of them violate the order."""
    origin = Origin()
    job = Job(trial.folder(name), [f"{origin.url}/{number}.png" for number in range(trial.tries)])
    journal = trial.work / f"{name}.trace"
    preloads = [word for key, value in environment.items() for word in ("-E", f"{key}={value}")]
    words = ["strace", "-f", "-y", "-qq", "-s", "100000", "-e", f"trace={CALLS}", "-o", str(journal), *preloads]
    process = job.start("run", "--json", before=words)
    outcome = job.end(process)
    if outcome.exit != 0:
        raise Failure(outcome.errors)
    order = Order(journal.read_text(errors="replace"))
    violations = order.violations()
    return violations, len(order.linked), len({violation.split(":")[0] for violation in violations})


class Order:
    """The calls of a trace, by the moments (lines) at which each ended."""

    def __init__(self, text):
        self.calls, self.linked, self.acknowledged, unfinished = [], {}, {}, {}
        for line in text.splitlines():
            match = LINE.match(line)
            if not match:
                continue
            thread, call = match.groups()
            # A call that another thread interrupts ends where it is resumed.
            if call.endswith("<unfinished ...>"):
                unfinished[thread] = call.removesuffix("<unfinished ...>")
                continue
            if call.startswith("<... ") and thread in unfinished:
                call = unfinished.pop(thread) + call.split("resumed>", 1)[1]
            self.calls.append(call)
        for moment, call in enumerate(self.calls):
            link = re.match(r'linkat\(AT_FDCWD[^,]*, "/proc/self/fd/(\d+)", (\d+)<([^>]*)>, "([^"]+)"', call)
            if link and ".nb-" not in link[4] and "/out" in link[3]:
                self.linked[f"{link[3]}/{link[4]}"] = (moment, link[1], link[3])
            if call.startswith("write(1<") and "item_finished" in call:
                said = call.split(", ", 1)[1].rsplit(", ", 1)[0][1:-1].encode().decode("unicode_escape")
                for event in map(json.loads, said.splitlines()):
                    for output in event.get("item", {}).get("outputs", []):
                        self.acknowledged[output["path"]] = moment

    def last(self, pattern, before, after=-1):
        """The last call that matches, between two moments; None without one."""
        for moment in range(before - 1, after, -1):
            if re.match(pattern, self.calls[moment]):
                return moment
        return None

    def violations(self):
        found = []
        for path, (named, file, folder) in self.linked.items():
            output = path.split("/out/", 1)[1]
            said = self.acknowledged.get(output)
            made = self.last(rf"openat\(.*O_TMPFILE.*\) += {file}<", named)
            written = made and self.last(rf"pwrite64\({file}<", named, made)
            synced = written and self.last(rf"((fsync|fdatasync)\({file}<|syncfs\().*\) += 0", named, written)
            steps = {"written": written, "synced before its name": synced}
            if said is None:
                steps["acknowledged"] = None
            else:
                settled = self.first(rf"(fsync\(\d+<{re.escape(folder)}> *\)|syncfs\(.*) += 0", named, said)
                log = settled and self.first(r"pwrite64\(\d+<[^>]*job\.sqlite-wal>", settled, said)
                steps |= {"its folder synced": settled, "recorded": log,
                          "the record synced": log and self.first(r"(fsync|fdatasync)\(\d+<[^>]*job\.sqlite-wal>.* = 0", log, said)}
            found += [f"{output}: not {step}" for step, moment in steps.items() if moment is None]
        return found

    def first(self, pattern, after, before):
        for moment in range(after + 1, before):
            if re.match(pattern, self.calls[moment]):
                return moment
        return None
