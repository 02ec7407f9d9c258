"""pyvips and Pillow, which results are compared with: installed once for all benchmarks."""
import pathlib, subprocess, sys

work = pathlib.Path(__file__).resolve().parents[1] / "work"
site = work / "conformance/site"


def install():
    """Makes `import pyvips` and `import PIL` work in this process; others find them with `site` as PYTHONPATH."""
    if not (site / "PIL").exists() or not (site / "pyvips").exists():
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--upgrade", "--target", site, "pyvips", "pillow"],
                       check=True)
    sys.path.insert(0, str(site))
