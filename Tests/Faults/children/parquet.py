"""Stand-ins for `nuke-batch-parquet`, which do what a broken or hostile one would."""

# As the program speaks: names and rows of one file, in frames that begin with their length.
HONEST = """
import os, struct, sys
def frame(data): os.write(1, struct.pack("<I", len(data)) + data)
if sys.argv[1] == "columns":
    print('{"rows": 1, "columns": ["url"]}')
elif sys.argv[1] == "read":
    %s
    frame(b'"url"\\r\\n')
    frame(b"URL\\r\\n")
    os.write(1, struct.pack("<I", 0))
elif sys.argv[1] == "version":
    print("stand-in")
"""


def program(folder, name, url, instead="pass"):
    """Writes a stand-in that does `instead` before it sends a row; returns its path."""
    path = folder / name
    path.write_text("#!/usr/bin/python3\n" + (HONEST % instead).replace("URL", url))
    path.chmod(0o755)
    return path


def write_list(job):
    """Makes the job's list one in Parquet; only its name and size count for a stand-in."""
    (job.folder / "list.parquet").write_bytes(b"PAR1" + bytes(4096) + b"PAR1")
    job.manifest["sources"] = [{"list": "list.parquet"}]
    job.write()
