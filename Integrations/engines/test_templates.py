"""Templates for engines that cannot be run here, against their published schemas; what they start is run for each index."""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import botocore.session
import botocore.validate
import kubernetes_validate
import yaml

PROGRAM = os.environ["NUKE_BATCH"]
KUBERNETES = "1.29"  # the oldest release that the template is for, and the newest that the package knows
ODD = "it's a \"store\" $HOME `id` ü"
# Stands for the AWS program: writes what it is given, an operation a line.
RECORDER = '#!/bin/bash\nprintf "%s\\t" "$2" >>"$CALLS"; tr -d "\\n" <<<"$4" >>"$CALLS"; echo >>"$CALLS"\n'


class Fleet:
    """A plan with a partition an item: of some pictures in files, or of many that nobody loads."""

    def __init__(self, test, items, name="job", store="store"):
        temporary = tempfile.TemporaryDirectory(prefix="nuke-batch-engines-")
        test.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.store = self.folder / store
        photograph = pathlib.Path(__file__).resolve().parents[2] / "Jobs/photos/rocket.jpg"
        if items < 100:
            (self.folder / "photos").mkdir()
            for number in range(items):
                shutil.copy(photograph, self.folder / f"photos/{number}.jpg")
        (self.folder / "urls.txt").write_text("".join(f"https://example.com/{number}.jpg\n" for number in range(items)))
        (self.folder / f"{name}.json").write_text(json.dumps({
            "sources": [{"files": "photos/*.jpg"} if items < 100 else {"list": "urls.txt"}], "outputs": [{"path": "{index}.{ext}", "processors": [{"resize": {"width": 8}}]}]}))
        self.run("plan", self.folder / f"{name}.json", "--partition-items", "1")

    def run(self, *words, **environment):
        outcome = subprocess.run([PROGRAM, "fleet", *words, "--store", self.store], cwd=self.folder, capture_output=True, text=True,
                                 check=False, env={**os.environ, **environment})
        if outcome.returncode != 0:
            raise AssertionError(f"{words}: {outcome.returncode} {outcome.stdout}{outcome.stderr}")
        return outcome.stdout

    def work(self, words, variable, count):
        """Runs the words of a template as the engine would, once for each index, and proves that the job is complete then."""
        for index in range(count):
            outcome = subprocess.run([PROGRAM, *words[1:]], cwd=self.folder, capture_output=True, text=True, check=False,
                                     env={**os.environ, variable: str(index), "NUKE_BATCH_SCRATCH": str(self.folder / "scratch")})
            if outcome.returncode != 0:
                raise AssertionError(f"{words} of {index}: {outcome.returncode} {outcome.stdout}{outcome.stderr}")
        self.run("collect")


class KubernetesTests(unittest.TestCase):
    def job(self, fleet):
        job = yaml.safe_load(fleet.run("template", "kubernetes"))
        for version in (KUBERNETES, kubernetes_validate.latest_version()):
            kubernetes_validate.validate(job, version, strict=True)
        name = job["metadata"]["name"]
        # Names of indexed jobs are those of their pods' hosts (RFC 1123), with an index behind them.
        self.assertRegex(name, r"^[a-z0-9]([-a-z0-9]{0,55}[a-z0-9])?$")
        return job

    def test_job_is_valid_and_its_pods_do_all_partitions(self):
        fleet = Fleet(self, 3, name="Ünï_-", store=ODD)
        job = self.job(fleet)
        self.assertEqual(job["spec"]["completions"], 3)
        container = job["spec"]["template"]["spec"]["containers"][0]
        self.assertIn(str(fleet.store), container["args"])
        # The kubelet refuses runAsNonRoot without a number, and the folders of the image are those of its user.
        security = container["securityContext"]
        self.assertTrue(security["runAsNonRoot"])
        image = (pathlib.Path(__file__).resolve().parents[1] / "container/Containerfile").read_text()
        self.assertIn(f"\nUSER {security['runAsUser']}:{security['runAsGroup']}\n", image)
        self.assertEqual(security["seccompProfile"], {"type": "RuntimeDefault"})
        fleet.work(container["command"] + container["args"], "JOB_COMPLETION_INDEX", 3)

    def test_control_a_misspelled_key_is_found(self):
        job = self.job(Fleet(self, 1))
        wrong = copy.deepcopy(job)
        wrong["spec"]["backoffLimitPerIndx"] = wrong["spec"].pop("backoffLimitPerIndex")
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(wrong, KUBERNETES, strict=True)


class AWSBatchTests(unittest.TestCase):
    def calls(self, fleet):
        """What the template's script gives to the AWS program, by operation."""
        (fleet.folder / "fleet.sh").write_text(fleet.run("template", "aws-batch"))
        programs, calls = fleet.folder / "bin", fleet.folder / "calls"
        programs.mkdir()
        (programs / "aws").write_text(RECORDER)
        (programs / "aws").chmod(0o755)
        subprocess.run(["bash", fleet.folder / "fleet.sh"], check=True, env={
            **os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "CALLS": str(calls), "QUEUE": "queue", "IMAGE": "image:1",
            "ROLE": "arn:aws:iam::123456789012:role/worker"})
        return dict((line.split("\t")[0], json.loads(line.split("\t")[1])) for line in calls.read_text().splitlines())

    def errors(self, operation, values):
        service = botocore.session.get_session().get_service_model("batch")
        return botocore.validate.ParamValidator().validate(values, service.operation_model(operation).input_shape).generate_report()

    def test_calls_are_valid_and_the_array_does_all_partitions(self):
        fleet = Fleet(self, 3, name="Ünï_-", store=ODD)
        calls = self.calls(fleet)
        definition, submission = calls["register-job-definition"], calls["submit-job"]
        self.assertEqual(self.errors("RegisterJobDefinition", definition), "")
        self.assertEqual(self.errors("SubmitJob", submission), "")
        self.assertRegex(submission["jobName"], r"^[A-Za-z0-9][-_A-Za-z0-9]{0,127}$")
        self.assertEqual(submission["arrayProperties"], {"size": 3})
        words = definition["containerProperties"]["command"]
        self.assertIn(str(fleet.store), words)
        fleet.work(words, "AWS_BATCH_JOB_ARRAY_INDEX", 3)

    def test_arrays_have_two_to_ten_thousand_children(self):
        for items, size, stride in ((1, 2, "1"), (10_001, 5_001, "2")):
            calls = self.calls(Fleet(self, items))
            self.assertEqual(calls["submit-job"]["arrayProperties"], {"size": size})
            words = calls["register-job-definition"]["containerProperties"]["command"]
            self.assertEqual(words[words.index("--stride") + 1], stride)

    def test_control_a_misspelled_key_is_found(self):
        definition = self.calls(Fleet(self, 1))["register-job-definition"]
        definition["retryStrategy"]["attempt"] = definition["retryStrategy"].pop("attempts")
        self.assertIn("Unknown parameter", self.errors("RegisterJobDefinition", definition))


if __name__ == "__main__":
    unittest.main()
