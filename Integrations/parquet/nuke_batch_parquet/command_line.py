"""The command line of `nuke-batch-parquet`."""

import argparse
import os
import signal
import sys

from . import __version__
from .failures import Failure


def parser():
    """The commands and their options."""
    result = argparse.ArgumentParser(
        "nuke-batch-parquet", description="Reads and writes Parquet for nuke-batch, with pyarrow.",
        epilog="exit codes: 0 done, 1 unexpected error, 2 wrong usage, 3 missing column, 4 damaged file, 5 unreadable file, "
               "6 out of memory, 7 rows that do not fit, 8 unwritable file",
    )
    commands = result.add_subparsers(dest="command", required=True, metavar="COMMAND")
    reads = commands.add_parser("read", help="print rows as CSV (RFC 4180), with a header row")
    reads.add_argument("--column", action="append", help="read this column; by default, all that have a text")
    reads.add_argument("--optional-column", action="append", default=[], help="read this column, too, if it is there")
    reads.add_argument("--limit", type=int, help="stop after this many rows")
    reads.add_argument("--kinds", action="store_true", help="print a row with text, json or double for each column after the names")
    reads.add_argument("--framed", action="store_true", help="print frames, as nuke-batch reads them")
    columns = commands.add_parser("columns", help="print the number of rows and the columns of each file as JSON")
    digests = commands.add_parser("digests", help="print the path and SHA-256 of each image of a file")
    for command in (reads, columns, digests):
        command.add_argument("files", nargs="*", metavar="FILE", help="a Parquet file; - is a file that is open as standard input")
        command.add_argument("--files0-from", metavar="FILE", help="read names from FILE (- is standard input), each ended by NUL")
    writes = commands.add_parser("write", help="write rows of standard input, CSV without a header row")
    writes.add_argument("--json", action="store_true", help="the rows are lines of JSON")
    packs = commands.add_parser("pack", help="write the images of a WebDataset archive on standard input")
    packs.add_argument("--size", type=int, required=True, help="the bytes of the archive that count")
    for command in (writes, packs):
        command.add_argument("--schema", required=True, metavar="JSON", help='the columns: [["id", "string"], ["n", "int64"]]')
        command.add_argument("file", metavar="FILE", help="the Parquet file; - is standard output")
    for command in (reads, columns, digests, writes, packs):
        command.add_argument(
            "--confined", action="store_true", help="give up all rights but these files, as nuke-batch starts it",
        )
    commands.add_parser("version", help="print the versions of this program and of pyarrow")
    return result


def perform(options):
    """Runs a command. Arrow is imported late, so that wrong usage is told at once."""
    if options.command in ("write", "pack"):
        from . import confinement, packing, schema, writing

        if options.confined:
            confinement.confine([])
        columns = schema.schema(options.schema)
        if options.command == "write":
            return writing.write(options.file, columns, options.json)
        return packing.pack(options.file, columns, options.size)
    from . import confinement, digests, reading

    paths = files(options)
    if options.confined:
        confinement.confine(paths)
    if options.command == "read":
        reading.read(paths, options.column, options.optional_column, options.limit, options.framed, options.kinds)
    elif options.command == "columns":
        reading.columns_of(paths)
    else:
        for path in paths:
            digests.digests(path)


def files(options):
    """The paths of the files to read."""
    if options.files0_from is None:
        return options.files
    with open(0 if options.files0_from == "-" else options.files0_from, "rb") as names:
        return options.files + [os.fsdecode(name) for name in names.read().split(b"\0") if name]


def main():
    """Runs the program."""
    # A reader that stops reading is no error: the process ends as `cat` does.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    options = parser().parse_args()
    if options.command == "version":
        import pyarrow

        print("nuke-batch-parquet %s\npyarrow %s" % (__version__, pyarrow.__version__))
        return
    code = 0
    try:
        perform(options)
    except Failure as failure:
        print(failure, file=sys.stderr)
        code = failure.exit_code
    except MemoryError:
        print("not enough memory", file=sys.stderr)
        code = 6
    sys.stderr.flush()
    # At once: a thread of Arrow that still reads ahead would abort Python's own end.
    os._exit(code)
