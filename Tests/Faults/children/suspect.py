"""A job with an image that has crashed its run, so that the next one tries it in a child process."""
import shutil

from frame import Failure, Job, Origin, png, preload
from hostile.f27_poison import OUTPUTS, make_poison


class Suspect:
    """`tell(words)` has the next run's child make calls in its decoder, and returns what came of them."""

    def __init__(self, trial):
        poison = make_poison(trial)
        self.trial = trial
        self.origin = Origin(lambda path: poison if path == "/poison.jpg" else png(int(path[1:-4])))
        self.urls = [f"{self.origin.url}/poison.jpg"]
        self.library = preload("calls", "-ljpeg")
        job = Job(trial.work / "suspect", self.urls, outputs=OUTPUTS)
        outcome = job.run(environment={"LD_PRELOAD": preload("poison", "-ljpeg"), "LD_POISON": "kill"})
        if outcome.exit != 137:
            raise Failure(f"the image has not crashed the run: exit {outcome.exit}: {outcome.errors}")

    def tell(self, words, environment={}, *, in_run=False, before=()):
        """The lines of the log, and the end of the run; `in_run` does the same in the run itself."""
        folder = self.trial.work / "try"
        shutil.rmtree(folder, ignore_errors=True)
        if in_run:
            job = Job(folder, self.urls, outputs=OUTPUTS)
        else:
            shutil.copytree(self.trial.work / "suspect", folder, symlinks=True)
            job = Job(folder, self.urls, outputs=OUTPUTS)
        (folder / "file").write_text("x")
        log = folder / "calls.log"
        # The calls change their standard input, which may be no device: in the run itself that is this file.
        with open(folder / "file", "r+") as file:
            outcome = job.run(environment={"LD_PRELOAD": self.library, "LD_CALLS": words, "LD_CALLS_LOG": str(log), **environment},
                              before=before, stdin=file)
        return log.read_text().splitlines() if log.exists() else [], outcome, job
