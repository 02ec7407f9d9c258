"""F45: system calls that a decoder with a fault makes in its child process.

The image has crashed a run, and its decoder in the child tries more than a hundred calls: to send, to change files, modes, owners,
times and attributes, to reach into its parent, to start programs. None may succeed, and each that the kernel ends the child for may cost
no more than the child. The control is the same decoder in the run itself, where they succeed.
"""
import errno, subprocess, sys

from children.suspect import Suspect
from frame.places import FAULTS, WORK

TITLE = "system calls that a decoder with a fault makes in its child process"
TRIES, CI_TRIES = 1, 1
# The kernel ends the child for these.
DEADLY = {"ptrace", "process_vm_readv", "process_vm_writev", "keyctl", "add_key", "request_key", "bpf", "perf_event_open",
          "userfaultfd", "init_module", "finit_module", "delete_module", "kexec_load", "open_by_handle_at", "iopl", "ioperm"}
REFUSED = {str(errno.EPERM), str(errno.ENOSYS), str(errno.EACCES)}
# What it may not do in the run: it would end with this program.
NOT_IN_RUN = {"start_a_program"}


# What `doctor` says of each kernel.
KERNELS = {
    "": "confine child processes",
    "without Landlock": "the kernel has no Landlock",
    "where Landlock is forbidden": "a filter of system calls forbids Landlock",
}
WITHOUT = {"without Landlock": "missing", "where Landlock is forbidden": "forbidden"}


def run(trial):
    names = calls()
    suspect = Suspect(trial)
    free, _, _ = suspect.tell(" ".join(name for name in names if name not in NOT_IN_RUN), in_run=True)
    reached = sum(line.split()[1] not in REFUSED for line in free)
    for kernel, told in KERNELS.items():
        before = [sys.executable, FAULTS / "children/without_landlock.py", WITHOUT[kernel]] if kernel else []
        doctor = subprocess.run([*before, trial.program, "doctor"], capture_output=True, text=True).stdout
        said, outcome, _ = suspect.tell(" ".join(name for name in names if name not in DEADLY), before=before)
        warns = "forbids Landlock" in outcome.output + outcome.errors
        results = dict(line.split() for line in said)
        succeeded = [name for name, result in results.items() if result not in REFUSED]
        ended = 0
        for name in DEADLY & set(names):
            lines, outcome, job = suspect.tell(name, before=before)
            states = [item["state"] for item in job.items()]
            if not lines and states == ["quarantined"] and outcome.exit == 1:
                ended += 1
            else:
                succeeded.append(name)
                trial.say(f"{name}: {lines}, {states}, exit {outcome.exit}")
        missing = set(names) - DEADLY - set(results)
        is_told = told in doctor and warns == (kernel == "where Landlock is forbidden")
        trial.row(case=kernel, tries=f"{len(names)} calls", expected="0 succeed, and doctor tells what there is",
                  seen=f"{len(succeeded)} succeed {succeeded or ''}".strip()
                  + f", {len(results) - len(succeeded)} refused, {ended} ended the child; {'told' if is_told else 'NOT TOLD'}",
                  good=not succeeded and not missing and is_told, control="" if kernel else f"in the run itself {reached} are made",
                  caught=None if kernel else reached >= 60)


def calls():
    program = WORK / "calls"
    subprocess.run(["cc", "-O1", "-w", "-o", program, FAULTS / "children/calls.c"], check=True)
    return [line.split()[0] for line in subprocess.run([program, "--list"], capture_output=True, text=True).stdout.splitlines()]
