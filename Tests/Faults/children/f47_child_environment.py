"""F47: secrets of the environment that a child process could read.

The program for Parquet and the decoder's child tell their variables, and try to read those of their parent. None of the secrets may be
there. The control is the run itself, which has them.
"""
from children.parquet import program, write_list
from children.suspect import Suspect
from frame import Job, Origin

TITLE = "secrets of the environment that a child process could read"
TRIES, CI_TRIES = 1, 1
SECRETS = {"TOKEN": "hush-token-2342", "AWS_SECRET_ACCESS_KEY": "hush-key-4711", "DATABASE_URL": "postgres://a:hush-pass@h/d"}
TELL = """
    with open("told", "w") as told:
        told.write(repr(dict(os.environ)))
        try: told.write(repr(open("/proc/%d/environ" % os.getppid(), "rb").read()))
        except OSError as error: told.write(" refused %d" % error.errno)"""


def run(trial):
    origin = Origin()
    job = Job(trial.folder("job"), [])
    write_list(job)
    path = program(job.folder, "program", f"{origin.url}/1.png", TELL.strip())
    job.run(environment={"NUKE_BATCH_PARQUET": str(path), **SECRETS})
    told = (job.folder / "told").read_text() if (job.folder / "told").exists() else "nothing"
    suspect = Suspect(trial)
    lines, _, _ = suspect.tell("environment", SECRETS)
    parent, _, _ = suspect.tell("environment_of_parent memory_of_parent", SECRETS)
    free, _, _ = suspect.tell("environment", SECRETS, in_run=True)
    found = {"Parquet": count(told), "decoder": count("\n".join(lines))}
    reached = [line for line in parent if line.endswith("done")]
    trial.row(tries="2 children, 3 secrets", expected="0 found, the parent's out of reach",
              seen=f"{sum(found.values())} found, parent {'reached' if reached or 'refused' not in told else 'out of reach'}",
              good=not any(found.values()) and not reached and "refused" in told and "PATH" in told and any("PATH=" in x for x in lines),
              control=f"in the run itself {count(chr(10).join(free))} are found", caught=count("\n".join(free)) == 3)


def count(text):
    return sum(secret in text for secret in SECRETS.values())
