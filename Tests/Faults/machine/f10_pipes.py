"""F10: standard output and error that are closed, full or not read.

A run must go on or end in its own time: never by SIGPIPE (141), never by hanging for ever, never with something lost. The readers:
one that closes after a line (as `head -1`), descriptors that are closed before, /dev/full, and a pipe that nobody reads, to which
a Ctrl-C is then sent. The control is a program that writes to the same closed pipe without care (`yes`): it must end with 141.
"""
import os, shutil, signal, subprocess

from frame import Job, Origin, undisturbed

TITLE = "standard output and error that are closed, full or not read"
IMAGES = 150
EXPECTED = "ends, not 141; 0 lost"


def run(trial):
    origin = Origin()
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    wanted, _ = undisturbed(trial.folder("reference"), urls)
    yes = subprocess.Popen(["yes"], stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
    yes.stdout.close()
    caught = yes.wait() == -signal.SIGPIPE

    for name, start in {
        "head -1": closed_after_a_line,
        "no standard output": lambda job: job.start("run", "--json", preexec_fn=lambda: os.close(1), stdout=None),
        "no standard error": lambda job: job.start("run", "--verbose", preexec_fn=lambda: os.close(2), stderr=None),
        "/dev/full": lambda job: job.start("run", "--json", stdout=open("/dev/full", "wb"), stderr=open("/dev/full", "wb")),
        "nobody reads": unread,
    }.items():
        shutil.rmtree(trial.work / "job", ignore_errors=True)
        job = Job(trial.work / "job", urls)
        outcome = job.end(start(job), limit=60)
        resumed = job.run()
        found = job.examine(wanted)
        lost = len(found.lost) + len(found.unfinished) + len(found.wrong)
        good = outcome.exit in (0, 4, 130) and resumed.exit == 0 and found.good
        trial.row(case=name, tries=1, expected=EXPECTED, seen=f"exit {outcome.exit} after {outcome.seconds:.1f} s; "
                  f"resumed: exit {resumed.exit}, {lost} lost", good=good,
                  control="yes: 141" if name == "head -1" else "", caught=caught if name == "head -1" else None)


def closed_after_a_line(job):
    process = job.start("run", "--json")
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    return process


def unread(job):
    """Its events fill a pipe of 64 KiB; then it gets a Ctrl-C, which must end it."""
    reader, writer = os.pipe()
    process = job.start("run", "--json", stdout=writer)
    os.close(writer)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    return process
