"""F40: scratch of a fleet's worker that another user has laid for it.

The worker's scratch in the folder for temporary files is there before it, as another user's folder, as a folder that others can
write to, as a link to a victim's folder, and with links inside. The worker must end with exit 4 and name it, and the victim's files
must stay as they are. The control is a scratch that nobody has touched.
"""
import os, shutil

from fleet.planned import Planned
from frame import Job, Origin

TITLE = "scratch of a worker that another user has laid"
TRIES, CI_TRIES = 1, 1
NEEDS = ["root"]
OTHER = 65534


def run(trial):
    origin = Origin()
    job = Job(trial.folder("job"), [f"{origin.url}/{number}.png" for number in range(2)])
    victim = trial.folder("victim")
    (victim / ".bashrc").write_text("kept")
    planned = Planned(trial, job, trial.work / "tmp")
    plan = planned.hash

    def attempt(lay):
        shutil.rmtree(trial.work / "tmp", ignore_errors=True)
        (trial.work / "tmp").mkdir(mode=0o1777)
        own = trial.work / "tmp" / f"nuke-batch-{os.getuid()}"
        lay(own)
        return planned.work()

    def foreign(own):
        own.mkdir(mode=0o700)
        os.chown(own, OTHER, OTHER)

    def writable(own):
        own.mkdir()
        own.chmod(0o777)

    def link(own):
        own.symlink_to(victim)

    def links_inside(own):
        own.mkdir(mode=0o700)
        (own / plan[:16]).symlink_to(victim)
        (own / plan).symlink_to(victim)
        (own / "fleet").symlink_to(victim)

    wrong = []
    for lay in (foreign, writable, link, links_inside):
        outcome = attempt(lay)
        kept = sorted(path.name for path in victim.iterdir()) == [".bashrc"] and (victim / ".bashrc").read_text() == "kept"
        # Links inside that the worker does not use are none of its business.
        if not kept or outcome.returncode not in ([0, 4] if lay is links_inside else [4]):
            wrong.append(lay.__name__)
        trial.say(f"{lay.__name__}: exit {outcome.returncode}: {outcome.stderr.strip()[-160:]}")
    honest = attempt(lambda own: None)
    trial.row(tries="4 scratch folders", expected="the victim's files stay, exit 4", seen=f"{len(wrong)} wrong {wrong or ''}".strip(),
              good=not wrong, control=f"an untouched one: exit {honest.returncode}", caught=honest.returncode == 0)
