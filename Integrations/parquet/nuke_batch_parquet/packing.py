"""Images of a WebDataset archive as the rows of a Parquet file, which Hugging Face's `datasets` shows as images."""

import json
import os
import sys
import tarfile

import pyarrow as pa

from .failures import DamagedFile
from .writing import write_file

# A batch ends at whichever comes first. Rows with images are large: readers take a row group at once.
BATCH_ROWS, BATCH_BYTES = 100, 16 << 20


def pack(path, schema, size):
    """Writes the items in the first `size` bytes of the archive on standard input, a row each."""
    if sys.stdin.buffer.seekable():
        os.lseek(0, 0, os.SEEK_SET)
    # Images are compressed already.
    compression = {}
    for field in schema:
        is_image = pa.types.is_struct(field.type)
        compression[field.name + ".bytes" if is_image else field.name] = "none" if is_image else "zstd"
    write_file(path, schema, batches(schema, os.fdopen(0, "rb", closefd=False), size), BATCH_ROWS, compression)


def batches(schema, archive, size):
    """The rows of an archive, in its order."""
    rows, held = [], 0
    for key, members in items(archive, size):
        if "json" not in members:
            raise DamagedFile("the shard being written is damaged (%s.json is missing)" % key)
        row = dict(parsed(members.pop("json")), key=key)
        for name, (suffix, content) in images(members).items():
            row[name] = {"bytes": content, "path": "%s.%s" % (key, suffix)}
            held += len(content)
        rows.append(row)
        if len(rows) >= BATCH_ROWS or held >= BATCH_BYTES:
            yield batch(schema, rows)
            rows, held = [], 0
    if rows:
        yield batch(schema, rows)


class Written(str):
    """A number as it is written, which Python may have no room for."""


def parsed(text):
    """The value of a JSON text; objects are tuples of pairs, as two of their keys may be equal."""
    return json.loads(text, parse_float=Written, parse_int=Written, object_pairs_hook=tuple)


def images(members):
    """The images of an item by their columns: that of its only output is `image`, others have the output's name."""
    found = {}
    for suffix, content in members.items():
        output, dot, _ = suffix.rpartition(".")
        found[output if dot else "image"] = (suffix, content)
    return found


def items(archive, size):
    """The items of an archive: the members of an item stand together, and share their name up to the first dot."""
    key, members = None, {}
    try:
        with tarfile.open(fileobj=Beginning(archive, size), mode="r|", bufsize=1 << 20) as tar:
            for member in tar:
                next_key, _, suffix = member.name.partition(".")
                if next_key != key and members:
                    yield key, members
                    members = {}
                key = next_key
                members[suffix] = tar.extractfile(member).read()
                tar.members = []
    except (tarfile.TarError, OSError) as error:
        raise DamagedFile("the shard being written is damaged (%s)" % error) from None
    if members:
        yield key, members


class Beginning:
    """The first bytes of a file, followed by the end of an archive."""

    def __init__(self, file, size):
        self.file, self.rest, self.end = file, size, 2 * tarfile.BLOCKSIZE

    def read(self, count):
        data = self.file.read(min(count, self.rest))
        if len(data) < min(count, self.rest):
            raise tarfile.ReadError("it is shorter than recorded")
        self.rest -= len(data)
        if len(data) < count:
            zeros = min(count - len(data), self.end)
            self.end -= zeros
            data += bytes(zeros)
        return data


def batch(schema, rows):
    """A batch of rows; what an item does not have is null, and objects are JSON."""
    columns = []
    for field in schema:
        values = [value_of(row, field.name) for row in rows]
        if pa.types.is_string(field.type):
            values = [None if value is None else value if isinstance(value, str) else json_text(value) for value in values]
        elif pa.types.is_integer(field.type):
            values = [None if value is None else int(value) for value in values]
        elif pa.types.is_floating(field.type):
            values = [None if value is None else float(value) for value in values]
        columns.append(pa.array(values, field.type))
    return pa.record_batch(columns, schema=schema)


def json_text(value):
    """The JSON of a value without spaces, whose numbers are as they were written."""
    if isinstance(value, Written):
        return value
    if isinstance(value, tuple):
        return "{%s}" % ",".join("%s:%s" % (json_text(key), json_text(inner)) for key, inner in value)
    if isinstance(value, list):
        return "[%s]" % ",".join(map(json_text, value))
    return json.dumps(value, ensure_ascii=False)


def value_of(row, name):
    """The value of a column: `columns.sku` is the member `sku` of `columns`, whatever dots are in it."""
    if name in row:
        return row[name]
    outer, _, inner = name.partition(".")
    members = row.get(outer)
    return dict(members).get(inner) if isinstance(members, tuple) else None
