"""F39: plans of a fleet that somebody has forged, by whoever can write to the store.

Each value in `job.json` is replaced in turn by a path that leads out, an address, numbers that no type holds, and the wrong kind
of value. A worker that was given the plan's hash must do nothing of it: no file outside its folders, no request, no signal, exit
42. The control is the plan as it was made, which the same worker does.
"""
import copy, json, shutil

from fleet.planned import Planned
from frame import Job, Origin

TITLE = "plans of a fleet that somebody has forged"
TRIES, CI_TRIES = 100000, 60  # at most so many forgeries
FORGERIES = ["../../victim/pic", "/victim/pic", "http://127.0.0.1:9/x", 1e300, 2 ** 62, -1, "", None, [], {"a": 1}]


def run(trial):
    origin = Origin()
    job = Job(trial.folder("job"), [f"{origin.url}/{number}.png" for number in range(4)])
    victim = trial.folder("victim")
    (victim / "pic").mkdir()
    (victim / "pic/kept").write_text("kept")
    planned = Planned(trial, job, trial.work)
    store = planned.store
    document = json.loads((store / "job.json").read_text())
    places = list(leaves(document))
    forged = [(place, value) for place in places for value in FORGERIES]
    trial.random.shuffle(forged)
    wrong, exits = [], {}
    before = [file.stat().st_mtime_ns for file in sorted(victim.rglob("*"))]
    for place, value in forged[:trial.tries]:
        forgery = copy.deepcopy(document)
        if not put(forgery, place, value):
            continue
        (store / "job.json").write_text(json.dumps(forgery))
        origin.requests.clear()
        outcome = planned.work("--scratch", str(trial.work / "scratch"))
        exits[outcome.returncode] = exits.get(outcome.returncode, 0) + 1
        after = [file.stat().st_mtime_ns for file in sorted(victim.rglob("*"))]
        if outcome.returncode != 42 or origin.requests or after != before:
            wrong.append((place, value))
            trial.say(f"{place} = {value!r}: exit {outcome.returncode}, {sum(origin.requests.values())} requests, {outcome.stderr[-300:]}")
    (store / "job.json").write_text(json.dumps(document))
    origin.requests.clear()
    honest = planned.work("--scratch", str(trial.work / "scratch"))
    asked = sum(origin.requests.values())
    trial.row(
        tries=f"{sum(exits.values())} forgeries of {len(places)} values", expected="files outside 0, requests 0, exit 42",
        seen=f"{len(wrong)} believed; exits {exits}", good=not wrong and sum(exits.values()) > 0,
        control=f"the plan as it was made: exit {honest.returncode}, {asked} requests", caught=honest.returncode == 0 and asked > 0)
    shutil.rmtree(store)


def leaves(value, path=()):
    """The places of all values that hold no others."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path


def put(document, path, value):
    """Puts a value at a place; false if it is there already."""
    for key in path[:-1]:
        document = document[key]
    if document[path[-1]] == value:
        return False
    document[path[-1]] = value
    return True
