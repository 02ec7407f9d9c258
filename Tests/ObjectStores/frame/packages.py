"""Python and Debian packages of the servers, installed once and shared by all instances."""
import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

from frame.errors import StoreError

ROOT = Path(__file__).resolve().parents[3]
INSTALLED = ROOT / ".build" / "object-stores"


def install_debian(name):
    """Installs the packages that `packages/NAME.txt` lists, if there is such a file. Needs root where one is missing."""
    packages = Path(__file__).resolve().parents[1] / "packages" / f"{name}.txt"
    if packages.exists():
        INSTALLED.mkdir(parents=True, exist_ok=True)
        with open(INSTALLED / "debian.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _run(ROOT / ".ci" / "install-packages", packages)


def install_python(name):
    """The `bin` folder of a virtual environment with the packages that `requirements/NAME.txt` lists, or None."""
    requirements = Path(__file__).resolve().parents[1] / "requirements" / f"{name}.txt"
    if not requirements.exists():
        return None
    INSTALLED.mkdir(parents=True, exist_ok=True)
    environment = INSTALLED / name
    stamp = environment / "installed.txt"
    with open(INSTALLED / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != requirements.read_text():
            install_debian("python")
            shutil.rmtree(environment, ignore_errors=True)
            print(f"installing: {' '.join(requirements.read_text().split())}", file=sys.stderr)
            _run(sys.executable, "-m", "venv", environment)
            _run(environment / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check",
                 "--no-compile", "--requirement", requirements)
            stamp.write_text(requirements.read_text())
    return environment / "bin"


def _run(*command):
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        raise StoreError(f"{' '.join(map(str, command))} failed; its errors stand above")
