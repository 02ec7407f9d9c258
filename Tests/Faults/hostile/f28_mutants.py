"""F28: mutants of real images: bytes changed, cut, repeated, inserted, and pieces of other files.

The release build makes thumbnails of thousands of them at a time; no run may end by a signal, no item may be quarantined, and
each must be done or fail as an image does. `make fuzz` does the same under the address sanitizer. The control is a decoder that
crashes on one image (preloads/poison.c): the run must be seen to end.
"""
import os

from frame import Job, preload
from servers.measured import measure

from hostile.bombs import SEEDS, jpeg_of

TITLE = "malformed images: mutants of the fuzzing corpus"
TRIES, CI_TRIES = 20_000, 1_000
NEEDS = ["cc"]
AT_ONCE = 2_000
MAY_BE = {"done", "corrupt", "wrong_type", "limits", "empty", "truncated", "processing"}


def run(trial):
    seeds = [(path.suffix, path.read_bytes()) for path in sorted(SEEDS.iterdir())]
    counts, crashes, peak, seconds = {}, [], 0, 0
    for start in range(0, trial.tries, AT_ONCE):
        made = job(trial, f"mutants-{start}")
        for number in range(start, min(start + AT_ONCE, trial.tries)):
            suffix, data = trial.random.choice(seeds)
            (made.folder / f"in/{number}{suffix}").write_bytes(mutant(data, seeds, trial.random))
        result = measure(made, limit=900)
        peak, seconds = max(peak, result.peak), seconds + result.seconds
        for item in made.items():
            state = item["error"] or item["state"]
            counts[state] = counts.get(state, 0) + 1
            if state not in MAY_BE:
                crashes.append(f"{item['url']}: {state}")
        if result.exit not in (0, 1):
            crashes.append(f"exit {result.exit}: {result.errors[-300:]}")
        trial.say(f"{start + AT_ONCE}: {counts}")
        if not crashes:
            for path in (made.folder / "in").iterdir():
                path.unlink()
    made = job(trial, "control")
    (made.folder / "in/poison.png").write_bytes((SEEDS / "rgb.png").read_bytes())
    (made.folder / "in/poison.jpg").write_bytes(jpeg_of(333, 32))
    control = measure(made, environment={"LD_PRELOAD": preload("poison", "-ldl"), "LD_POISON": "segv",
                                         "LD_POISON_LOG": os.fspath(made.folder / "log")}, limit=60)
    trial.row(
        tries=f"{sum(counts.values())} mutants of {len(seeds)} files", expected="crashes 0, each done or failed as an image",
        seen=f"crashes {len(crashes)}, done {counts.get('done', 0)}, {sum(counts.values()) / max(seconds, 1):.0f}/s, {peak:.0f} MB"
        + "".join(f"; {line}" for line in crashes[:5]),
        good=not crashes and sum(counts.values()) == trial.tries,
        control=f"a decoder that crashes: exit {control.exit}", caught=control.exit > 128)


def job(trial, name):
    made = Job(trial.folder(name), [], sources=[{"files": "in/*"}], limits={"maxPixels": "20MP"},
               outputs=[
                   {
                       "processors": [{"resize": {"width": 32}}], "format": "jpeg", "path": "{index}.{ext}",
                       "metadata": "copyright",
                   },
               ])
    (made.folder / "in").mkdir()
    return made


def mutant(data, seeds, chance):
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3, 8, 40))):
        place = chance.randrange(max(1, len(data)))
        match chance.randrange(8):
            case 0:
                data[place:place + 1] = bytes([chance.randrange(256)])
            case 1:
                data[place:place + 1] = bytes([(data[place] if data else 0) ^ 1 << chance.randrange(8)])
            case 2:
                del data[place:]
            case 3:
                del data[place:place + chance.randrange(1, 64)]
            case 4:
                data[place:place] = data[place:place + chance.randrange(1, 256)]
            case 5:
                data[place:place + 4] = chance.choice(
                    (bytes(4), b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0\0\xff\xff"))
            case 6:
                data[place:place] = chance.randbytes(chance.randrange(1, 32))
            case 7:
                other = chance.choice(seeds)[1]
                start = chance.randrange(len(other))
                data[place:place + 64] = other[start:start + chance.randrange(1, 512)]
        if not data:
            break
    return bytes(data) or b"\0"
