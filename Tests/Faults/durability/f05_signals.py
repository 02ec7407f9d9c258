"""F5: Ctrl-C, SIGTERM, SIGHUP, SIGQUIT, Ctrl-C twice, and a terminal that goes away.

A run on a slow origin gets a signal at a random moment. It must end within five seconds (at once after a second Ctrl-C) with
the exit code of the signal; the job is then resumed until it is finished, and nothing may be lost. The terminal is a
pseudo-terminal whose other end is closed. The control is kill -STOP, after which the run must not end in time.
"""
import fcntl, os, pty, select, shutil, signal, statistics, subprocess, termios, threading, time

from frame import Job, Origin, png, undisturbed

TITLE = "Ctrl-C, SIGTERM, SIGHUP, SIGQUIT, Ctrl-C twice, a terminal that goes away"
TRIES, CI_TRIES = 24, 1  # of each kind
IMAGES = 120
LIMIT = 5.0
KINDS = {  # name: signals, exit codes
    "SIGINT": ([signal.SIGINT], {130}), "SIGTERM": ([signal.SIGTERM], {143}), "SIGHUP": ([signal.SIGHUP], {129}),
    # Nothing promises an orderly end here; nothing may be lost either.
    "SIGQUIT": ([signal.SIGQUIT], {131}),
    "SIGINT twice": ([signal.SIGINT, signal.SIGINT], {130}),
    "terminal closed": ([], {129}),
}


def run(trial):
    def answer(path):
        time.sleep(0.05)
        return png(int(path[1:-4]))

    origin = Origin(answer)
    urls = [f"{origin.url}/{number}.png" for number in range(IMAGES)]
    wanted, outcome = undisturbed(trial.folder("reference"), urls)
    for kind, (signals, codes) in KINDS.items():
        seconds, exits, bad, finished = [], set(), 0, 0
        while len(seconds) < trial.tries and finished < 50 * trial.tries:
            shutil.rmtree(trial.work / "job", ignore_errors=True)
            job = Job(trial.work / "job", urls)
            taken, exit = interrupt(job, signals, trial.random.uniform(0.02, 0.9 * outcome.seconds))
            if exit == 0:
                finished += 1  # before the signal
                continue
            seconds.append(taken)
            exits.add(exit)
            resumed = job.run()
            found = job.examine(wanted)
            if resumed.exit != 0 or not found.good:
                bad += 1
                trial.say(f"{kind}: resumed with {resumed.exit}: {found} {resumed.errors[-200:]}")
        seconds.sort()
        p50, p99 = (statistics.quantiles(seconds or [0, 0], n=100)[at] if len(seconds) > 1 else 0 for at in (49, 98))
        bound = 1.0 if kind == "SIGINT twice" else LIMIT
        stopped = kind == "SIGINT" and stop(trial, urls)
        trial.row(case=kind, tries=len(seconds), expected=f"exit {', '.join(map(str, codes))} in ≤ {bound:.0f} s, 0 lost",
                  seen=f"exit {', '.join(map(str, sorted(exits)))}; p50 {1000 * p50:.0f}, p99 {1000 * p99:.0f}, "
                       f"max {1000 * max(seconds, default=0):.0f} ms; {bad} lost something",
                  good=len(seconds) == trial.tries and exits <= codes and max(seconds, default=0) <= bound and not bad,
                  control="SIGSTOP: not ended" if stopped else "", caught=stopped if kind == "SIGINT" else None)


def interrupt(job, signals, moment):
    """Interrupts a run; returns the seconds from then to its end, and the exit code."""
    main, other = pty.openpty() if not signals else (None, None)
    settings = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if not signals:
        settings = {"stdin": other, "stdout": other, "stderr": other, "start_new_session": True,
                    "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)}
    process = job.start("run", **settings)
    if not signals:
        os.close(other)
        drain = threading.Thread(target=read_all, args=(main, time.monotonic() + moment))
        drain.start()
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        pass
    if not signals:
        drain.join()
        os.close(main)
    began = time.monotonic()
    for number in signals:
        process.send_signal(number)
    outcome = job.end(process, limit=60)
    return time.monotonic() - began, outcome.exit


def read_all(terminal, end):
    """Reads what is written to a terminal, until a moment."""
    while (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                os.read(terminal, 65536)
            except OSError:
                return  # nobody holds its other end


def stop(trial, urls):
    """Whether a run that is stopped with SIGSTOP is seen not to end in time."""
    shutil.rmtree(trial.work / "job", ignore_errors=True)
    job = Job(trial.work / "job", urls)
    process = job.start("run")
    time.sleep(0.1)
    process.send_signal(signal.SIGSTOP)
    # A thread that is still running would take the next signal.
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    process.send_signal(signal.SIGINT)
    try:
        process.wait(LIMIT)
        return False
    except subprocess.TimeoutExpired:
        return True
    finally:
        process.kill()
        process.communicate()
