"""F12: several runs of one job at once, and locks of dead runs.

In each round two to ten runs start together, while the origin keeps all answers back: one must work and the others must end with
exit code 3 and its process number. Every tenth round the winner is killed, another process gets its number, and the next run must
start all the same. The control is the same with locks that always succeed: more than one must work, or fail otherwise.
"""
import os, pathlib, shutil, subprocess, threading, time

from frame import Job, Origin, png, preload

TITLE = "several runs of one job at once, locks of dead runs"
TRIES, CI_TRIES = 100, 5
LAST_PID = pathlib.Path("/proc/sys/kernel/ns_last_pid")


def run(trial):
    answers = threading.Event()

    def answer(path):
        answers.wait()
        return png(int(path[1:-4]))

    origin = Origin(answer)
    urls = [f"{origin.url}/{number}.png" for number in range(3)]
    bad, slowest, reused, lost, starts, unnamed = 0, 0.0, 0, 0, 0, 0
    for round in range(trial.tries):
        job = fresh(trial, urls)
        winners, losers = compete(job, trial.random.randint(2, 10), {})
        starts += len(winners) + len(losers)
        slowest = max([slowest, *(outcome.seconds for outcome in losers)])
        if len(winners) != 1 or any(outcome.exit != 3 for outcome in losers):
            bad += 1
            trial.say(f"round {round}: {len(winners)} worked; others {[(o.exit, o.errors[-200:]) for o in losers]}")
        nameless = [outcome for outcome in losers if winners and f"process {winners[0].pid})" not in outcome.errors]
        unnamed += len(nameless)
        if nameless:
            trial.say(f"round {round}: {winners[0].pid} is not named: {nameless[0].errors.strip()}")
        if round % 10 == 0 and winners:
            reused += 1
            winner = winners.pop()
            winner.kill()
            winner.communicate()
            answers.set()
            other = with_number(winner.pid)
            lost += job.run().exit != 0
            other.kill()
            other.wait()
        answers.set()
        for winner in winners:
            outcome = job.end(winner)
            bad += outcome.exit != 0
        answers.clear()
    winners, losers = compete(fresh(trial, urls), 4, {"LD_PRELOAD": preload("faults"), "NB_NO_LOCK": "1"})
    caught = len(winners) > 1 or any(outcome.exit != 3 for outcome in losers)
    for winner in winners:
        winner.kill()
        winner.communicate()
    trial.row(tries=f"{trial.tries} rounds, {starts} runs", expected="1 works, others exit 3 with its number; dead runs block none",
              seen=f"{bad} rounds wrong, {unnamed} refusals without its number, slowest after {1000 * slowest:.0f} ms; "
                   f"{lost} of {reused} blocked by a dead run", good=not bad and not lost and not unnamed,
              control=f"no lock: {len(winners)} of 4 worked, exits {sorted(outcome.exit for outcome in losers)}",
              caught=caught)
    answers.set()


def fresh(trial, urls):
    shutil.rmtree(trial.work / "job", ignore_errors=True)
    return Job(trial.work / "job", urls)


def compete(job, count, environment):
    """Starts so many runs at once; returns those that work on, and the outcomes of those that have ended."""
    began = time.monotonic()
    runs = [job.start(environment=environment) for _ in range(count)]
    losers, winners, deadline = [], runs, began + 10
    while len(winners) > 1 and time.monotonic() < deadline:
        for process in [process for process in winners if process.poll() is not None]:
            ended = time.monotonic() - began
            losers.append(job.end(process)._replace(seconds=ended))
            winners = [other for other in winners if other is not process]
        time.sleep(0.002)
        if environment and time.monotonic() > began + 3:
            break
    return winners, losers


def with_number(number):
    """A process with this number, as far as the system lets one choose (in a namespace of processes)."""
    if os.getpid() == 1:
        LAST_PID.write_text(str(number - 1))
    return subprocess.Popen(["sleep", "1000"])
