"""A job in a temporary folder, and Spark programs that are started for it."""
import json
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parents[1]
SUBMIT = pathlib.Path(os.environ["SPARK_HOME"]) / "bin/spark-submit"
PROGRAM = os.environ["NUKE_BATCH"]


class Job:
    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="nuke-batch-spark-")
        self.folder = pathlib.Path(self.temporary.name)

    def write(self, **keys):
        keys.setdefault("outputs", [{"path": "{index}.{ext}", "format": "png"}])
        (self.folder / "job.json").write_text(json.dumps(keys))

    def fleet(self, action, *words, check=True):
        outcome = subprocess.run([PROGRAM, "fleet", action, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        if check and outcome.returncode != 0:
            raise AssertionError(f"{action}: {outcome.returncode} {outcome.stdout}{outcome.stderr}")
        return outcome

    def start(self, *words, master="local[2]", settings=()):
        options = [word for setting in settings for word in ("--conf", setting)]
        # Spark logs more than a pipe holds that nobody reads.
        with open(self.folder / "spark.log", "w") as log:
            return subprocess.Popen([SUBMIT, "--master", master, *options, HERE / "nuke_batch.py", *words], cwd=self.folder,
                                    stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)

    def log(self):
        """The end of what the last Spark program has logged."""
        return (self.folder / "spark.log").read_text()[-3000:]

    def spark(self, *words, **options):
        process = self.start(*words, **options)
        output, _ = process.communicate(timeout=600)
        if process.returncode != 0:
            raise AssertionError(f"{words}: {process.returncode} {output}{self.log()}")
        return output

    def files(self, name):
        root = self.folder / name
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
