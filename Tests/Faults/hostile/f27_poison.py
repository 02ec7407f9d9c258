"""F27: images that crash their decoder.

One of 40 images is poison to a decoder with a fault (preloads/poison.c): it crashes, aborts, kills, exits, takes all memory or
never ends. At most two processes may die of it; then it must be quarantined and all others done. The control is the same image
with a decoder without a fault, which must quarantine nothing.
"""
from frame import Job, Origin, png, preload, undisturbed

TITLE = "images that crash their decoder"
IMAGES = 40
OUTPUTS = [{"processors": [{"resize": {"width": 100}}], "format": "jpeg", "path": "{stem}.{ext}"}]
FAULTS = ["segv", "abort", "kill", "exit", "memory", "spin"]
MOST_RUNS = 4


def run(trial):
    poison = make_poison(trial)
    origin = Origin(lambda path: poison if path == "/poison.jpg" else png(int(path[1:-4])))
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES - 1)]
    urls.insert(IMAGES // 2, f"{origin.url}/poison.jpg")
    library = preload("poison", "-ljpeg")

    def attempt(fault):
        job = Job(trial.work / fault, urls, outputs=OUTPUTS)
        deaths = trial.work / f"{fault}.deaths"
        environment = {"LD_PRELOAD": library, "LD_POISON": fault, "LD_POISON_LOG": str(deaths)}
        exits = []
        while not exits or exits[-1] not in (0, 1) and len(exits) < MOST_RUNS:
            exits.append(job.run(environment=environment, limit=300).exit)
        items = job.items()
        states = {state: [item["url"] for item in items if item["state"] == state] for state in ("done", "quarantined")}
        return exits, len(deaths.read_text().split()), states

    exits, _, states = attempt("none")
    caught = exits == [0] and not states["quarantined"]
    for fault in FAULTS:
        exits, deaths, states = attempt(fault)
        trial.row(case=fault, tries=f"{len(exits)} runs", expected="≤ 2 deaths, quarantined, all others done",
                  seen=f"{deaths} deaths, {len(states['quarantined'])} quarantined, {len(states['done'])} of {IMAGES - 1} "
                       f"others done; exits {', '.join(map(str, exits))}",
                  good=deaths <= 2 and states["quarantined"] == [f"{origin.url}/poison.jpg"] and len(states["done"]) == IMAGES - 1
                  and exits[-1] == 1,
                  control="no fault: 0 quarantined" if fault == "segv" else "", caught=caught if fault == "segv" else None)


def make_poison(trial):
    """A JPEG of 333 pixels' width, with the marker TEM: such files are decoded by libjpeg, whose functions have the fault."""
    origin = Origin(lambda path: png(1, 333, 200))
    undisturbed(trial.work / "poison", [f"{origin.url}/1.png"], outputs=[{"format": "jpeg", "path": "poison.jpg"}])
    file = (trial.work / "poison/out/poison.jpg").read_bytes()
    return file[:2] + b"\xff\x01" + file[2:]
