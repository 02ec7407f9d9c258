"""Runs commands and measures what they take."""
import os, pathlib, re, tempfile, time, typing

from frame import program_under_test


class Measured(typing.NamedTuple):
    exit: int  # 128 + the signal after a signal
    output: str
    errors: str
    seconds: float
    cpu: float  # seconds, of the process and its children
    peak: float  # MB (10^6) resident at most


def measure(job, command="run", *words, limit=120, **settings):
    """Runs a command of a job's manifest; it is killed after `limit` seconds."""
    with tempfile.TemporaryFile(dir=job.folder) as output, tempfile.TemporaryFile(dir=job.folder) as errors:
        began = time.monotonic()
        process = job.start(command, *words, stdout=output, stderr=errors, **settings)
        peak = 0
        while True:
            peak = max(peak, resident(process.pid))
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            if time.monotonic() - began > limit:
                process.kill()
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        output.seek(0), errors.seek(0)
        return Measured(code, output.read().decode(errors="replace"), errors.read().decode(errors="replace"),
                        time.monotonic() - began, used.ru_utime + used.ru_stime, peak)


def resident(pid):
    """The most memory that a process had so far, in MB. (wait4 would count what this program has, which started it.)"""
    try:
        # Before exec it is still this program, with all its memory.
        if os.readlink(f"/proc/{pid}/exe") != str(program_under_test()):
            return 0
        found = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())
    except OSError:
        found = None
    return int(found[1]) * 1024 / 1e6 if found else 0
