"""F34: sanitizers.

The whole suite under the thread sanitizer (Tests/Sanitizers/run), and damaged images and libFuzzer under the address sanitizer
(Tests/Fuzzing/run). The control is a planted race, which Tests/Sanitizers/run has reported before it begins.
"""
import re, subprocess

from frame import REPOSITORY

TITLE = "the whole suite under the thread sanitizer, decoders under the address sanitizer"
NEEDS = ["swift"]
TRIES = 60  # seconds of libFuzzer


def run(trial):
    status, text = execute(trial, "Tests/Sanitizers/run")
    races = re.findall(r"sanitizers: (\d+) races reported", text)
    passed = re.findall(r"Test run with (\d+) tests?", text)
    trial.row(case="threads", tries=f"{passed[-1] if passed else '?'} tests", expected="0 reports, exit 0",
              seen=f"{races[-1] if races else '?'} reports, exit {status}", good=status == 0 and races[-1:] == ["0"],
              control="a planted race was reported" if races else "", caught=bool(races) or None)
    status, text = execute(trial, "Tests/Fuzzing/run", str(trial.tries))
    reports = len(re.findall(r"ERROR: (AddressSanitizer|LeakSanitizer|libFuzzer)", text))
    trial.row(case="addresses", tries=f"{trial.tries} s of libFuzzer", expected="0 reports, exit 0",
              seen=f"{reports} reports, exit {status}", good=status == 0 and reports == 0)


def execute(trial, *words):
    """Runs a program of the repository; returns its exit code and its output, of which the log gets the end."""
    process = subprocess.run(list(words), cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors="replace")
    if process.returncode != 0:
        trial.say(f"{words[0]}: {process.stdout[-600:]}")
    return process.returncode, process.stdout
