"""What results and speed are compared with, out of PyPI: each installed once, for all benchmarks."""
import pathlib, subprocess, sys

work = pathlib.Path(__file__).resolve().parents[1] / "work"
site = work / "conformance/site"
newest = work / "references/newest"


def _pip(python, *arguments):
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *arguments], check=True)


def install():
    """Makes `import pyvips`, with Debian's libvips, and `import PIL` work in this process: what results are held to."""
    if not (site / "PIL").exists() or not (site / "pyvips").exists():
        _pip(sys.executable, "--upgrade", "--target", site, "pyvips", "pillow")
    sys.path.insert(0, str(site))


def install_newest():
    """The newest pyvips with its own libvips, and Pillow: what speed is compared with. For processes with `newest` as
    PYTHONPATH; returns their versions."""
    if not (newest / "PIL").exists() or not (newest / "pyvips_binary.libs").exists():
        _pip(sys.executable, "--upgrade", "--target", newest, "pyvips[binary]", "pillow")
    program = ("import pyvips, PIL; print('libvips', '.'.join(str(pyvips.version(i)) for i in range(3)) + ', Pillow', "
               "PIL.__version__)")
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True,
                          env={"PYTHONPATH": str(newest)}).stdout.strip()


def img2dataset(*packages):
    """The program, in an environment of its own with these packages; None, with a word, where it cannot be installed."""
    folder = work / "references/img2dataset"
    program = folder / "bin/img2dataset"
    try:
        if not program.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            _pip(folder / "bin/python", "img2dataset")
        if packages:
            _pip(folder / "bin/python", *packages)
        subprocess.run([folder / "bin/python", "-c", "import img2dataset"], check=True, stderr=subprocess.DEVNULL)
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"img2dataset is left out: it cannot be installed ({error})")
        return None
    return program
