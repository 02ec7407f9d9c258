"""Rows of Parquet files as CSV (RFC 4180), streamed in bounded memory."""

import os
import struct
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq

from .confinement import STANDARD_INPUT
from .failures import DamagedFile, MissingColumn, OutOfMemory, UnreadableFile
from .text import has_text, kind_of, text

# The rows that are in memory at once, and the bytes of a column chunk that are read at once. Larger ones take more memory and
# are not faster.
BATCH_ROWS, BUFFER_BYTES = 4096, 1 << 16
# Arrow's own allocator keeps what it has freed.
pa.set_memory_pool(pa.system_memory_pool())


class Output:
    """The stream of rows: plain, or in frames that tell a file's end from a broken pipe.

    A frame is its length as 32 bits, low byte first, and that many bytes. A frame without bytes ends a file.
    """

    def __init__(self, is_framed):
        self.is_framed = is_framed

    def add(self, data):
        if len(data) == 0:
            return
        if self.is_framed:
            write(1, struct.pack("<I", len(data)))
        write(1, data)

    def end_file(self):
        if self.is_framed:
            write(1, struct.pack("<I", 0))


def write(descriptor, data):
    """Writes all of `data`."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest):]


def open_file(path):
    """Opens a Parquet file; its columns are read through small buffers, whatever the size of its row groups."""
    with told(path):
        opened = STANDARD_INPUT if path == "-" else path
        if os.path.isdir(opened):
            raise UnreadableFile("is a folder, not a file", path)
        if path == "-" and not os.path.isfile(opened):
            raise UnreadableFile("is a pipe, but Parquet has its directory at the end: write it to a file", path)
        return pq.ParquetFile(pa.OSFile(opened), pre_buffer=False, buffer_size=BUFFER_BYTES, page_checksum_verification=True)


class told:
    """Turns the errors of Arrow into failures that name the file."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, FileNotFoundError):
            raise UnreadableFile("there is no such file", self.path) from None
        if isinstance(error, PermissionError):
            raise UnreadableFile("permission denied: check its permissions", self.path) from None
        if isinstance(error, MemoryError):
            raise OutOfMemory("reading it takes too much memory: write it with smaller pages", self.path) from None
        if isinstance(error, BrokenPipeError):
            return False
        if isinstance(error, (pa.ArrowException, OSError, ValueError)):
            raise DamagedFile("the Parquet data is damaged or truncated (%s): create the file again" % error, self.path) \
                from None
        return False


def chosen(schema, path, columns, optional):
    """The names of the columns to read, each of which is there once; without `columns`, all that have a text."""
    names = set(schema.names)
    if columns is None:
        found = [field.name for field in schema if has_text(field.type)]
    else:
        for name in columns:
            if name not in names:
                found = ", ".join('"%s"' % name for name in schema.names)
                raise MissingColumn('has no column "%s", only %s' % (name, found), path)
        found = columns + [name for name in optional if name in names and name not in columns]
    for name in found:
        if schema.names.count(name) > 1:
            raise MissingColumn('two columns have the name "%s": rename one' % name, path)
    return found


def read(paths, columns, optional, limit, is_framed, has_kinds=False):
    """Writes the rows of all files to standard output; each file begins with a header row in frames, else only the first.

    With kinds, a second header row tells how to read the texts of each column, and a text that is empty is in quotes: null is not.
    """
    output = Output(is_framed)
    for number, path in enumerate(paths):
        file = open_file(path)
        names = chosen(file.schema_arrow, path, columns, optional)
        if is_framed or number == 0:
            output.add(header(names))
            if has_kinds:
                output.add(header([kind_of(file.schema_arrow.field(name).type) for name in names]))
        limit = copy_rows(file, path, names, output, limit, has_kinds)
        output.end_file()
    sys.stdout.flush()


def copy_rows(file, path, names, output, limit, tells_nulls):
    """Writes the rows of one file, at most `limit`, and returns how many more may follow."""
    count = 0
    with told(path):
        expected = file.metadata.num_rows
        if not names:
            raise MissingColumn("has no column with text", path)
        for batch in file.iter_batches(BATCH_ROWS, columns=names, use_threads=False):
            if limit is not None and count + len(batch) > limit:
                batch = batch.slice(0, limit - count)
            count += len(batch)
            # By name, as the file's order may be another.
            output.add(csv_bytes(pa.RecordBatch.from_arrays([text(batch.column(name)) for name in names], names), tells_nulls))
            if limit is not None and count == limit:
                return 0
        if count != expected:
            raise DamagedFile("has %d rows, but its footer tells of %d: create the file again" % (count, expected), path)
    return None if limit is None else limit - count


def header(names):
    """The header row. Not by Arrow: making an array of Python's values loads pandas, where it is installed."""
    return (",".join('"%s"' % name.replace('"', '""') for name in names) + "\r\n").encode()


def csv_bytes(rows, tells_nulls=False):
    """Rows as CSV; texts are quoted only where one of them needs it, as an empty one does that is to be told from null."""
    has_empty = tells_nulls and any(pc.any(pc.equal(column, "")).as_py() for column in rows.columns)
    for quoting in ("needed",) if has_empty else ("none", "needed"):
        sink = pa.BufferOutputStream()
        try:
            csv.write_csv(rows, sink, csv.WriteOptions(include_header=False, quoting_style=quoting))
            return sink.getvalue()
        except pa.ArrowInvalid:
            if quoting == "needed":
                raise


def columns_of(paths):
    """Writes the names of the columns that have a text and the number of rows, a JSON object for each file."""
    import json

    for path in paths:
        file = open_file(path)
        with told(path):
            names = chosen(file.schema_arrow, path, None, [])
            write(1, (json.dumps({"rows": file.metadata.num_rows, "columns": names}) + "\n").encode())
