"""Rows from standard input as a Parquet file with proper types."""

import json
import os
import sys

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq

from .failures import UnwritableFile, WrongRows

# A row group ends at whichever comes first.
GROUP_ROWS, GROUP_BYTES = 131_072, 32 << 20
# The bytes of CSV that are parsed at once, or one row if that is longer.
BLOCK_BYTES = 4 << 20
# The lines of JSON that are parsed at once.
BATCH_LINES = 4096


class File:
    """A Parquet file that appears under its name when it is complete and durable, or is written to standard output for `-`."""

    def __init__(self, path, schema, group_rows, compression):
        self.group_rows = group_rows
        self.path, self.part = path, None if path == "-" else path + ".part"
        try:
            self.sink = os.fdopen(1, "wb", closefd=False) if path == "-" else open(self.part, "wb")
        except OSError as error:
            raise UnwritableFile(error.strerror, path) from None
        self.writer = pq.ParquetWriter(
            pa.PythonFile(self.sink, "w"), schema, compression=compression, write_page_checksum=True,
        )
        self.schema, self.batches, self.rows, self.size = schema, [], 0, 0

    def add(self, batch):
        """Appends rows; the last group of rows is in memory."""
        self.batches.append(batch)
        self.rows += len(batch)
        self.size += batch.nbytes
        if self.rows >= self.group_rows or self.size >= GROUP_BYTES:
            self._end_group()

    def close(self):
        """Ends the file, syncs it, and gives it its name."""
        self._end_group()
        self.writer.close()
        self.sink.flush()
        if self.part is None:
            return
        os.fsync(self.sink.fileno())
        self.sink.close()
        os.rename(self.part, self.path)
        folder = os.open(os.path.dirname(self.path) or ".", os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def discard(self):
        """Removes what is not complete."""
        # Else the writer would end the file when it is released.
        self.writer.is_open = False
        if self.part is not None:
            self.sink.close()
            if os.path.exists(self.part):
                os.unlink(self.part)

    def _end_group(self):
        if not self.batches:
            return
        self.writer.write_table(pa.Table.from_batches(self.batches, self.schema), row_group_size=self.group_rows)
        self.batches, self.rows, self.size = [], 0, 0


def write_file(path, schema, batches, group_rows=GROUP_ROWS, compression="zstd"):
    """Writes batches of rows to the file at `path`; leaves nothing if that fails."""
    file = File(path, schema, group_rows, compression)
    try:
        for batch in batches:
            file.add(batch)
        file.close()
    except OSError as error:
        file.discard()
        raise UnwritableFile(error.strerror or str(error), path) from None
    except BaseException:
        file.discard()
        raise


def write(path, schema, is_json):
    """Writes the rows of standard input, CSV without a header row or lines of JSON.

    In CSV, an empty field is null, and `""` an empty text.
    """
    write_file(path, schema, json_rows(schema, sys.stdin.buffer) if is_json else csv_rows(schema, sys.stdin.buffer))


def csv_rows(schema, stream):
    """The rows of a stream of CSV."""
    for rows in whole_rows(stream):
        try:
            reader = csv.open_csv(
                pa.BufferReader(rows),
                # Arrow takes no row that is longer than a block.
                csv.ReadOptions(use_threads=False, block_size=len(rows), column_names=schema.names),
                csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(schema) > 1),
                csv.ConvertOptions(
                    column_types={field.name: field.type for field in schema}, null_values=[""], strings_can_be_null=True,
                    quoted_strings_can_be_null=False, true_values=["true"], false_values=["false"],
                ),
            )
            for batch in reader:
                yield pa.record_batch(batch.columns, schema=schema)
        except pa.ArrowInvalid as error:
            if "Empty CSV file" not in str(error):
                raise WrongRows("the rows do not fit the columns: %s" % error) from None


def whole_rows(stream):
    """The bytes of a stream of CSV (RFC 4180) in pieces that end where a row does."""
    piece, quotes = bytearray(), 0
    while block := stream.read(BLOCK_BYTES):
        end = end_of_rows(block, quotes)
        quotes += block.count(b'"')
        if end > 0:
            yield bytes(piece + block[:end])
            piece = bytearray(block[end:])
        else:
            piece += block
    if piece:
        yield bytes(piece)


def end_of_rows(block, quotes):
    """The end of the last row that ends in `block`, before which there are so many quotes; 0 if none does."""
    quotes, end = quotes + block.count(b'"'), len(block)
    while (line_end := block.rfind(b"\n", 0, end)) >= 0:
        quotes -= block.count(b'"', line_end, end)
        # Of the quotes around a field, one alone is before a line end in it.
        if quotes % 2 == 0:
            return line_end + 1
        end = line_end
    return 0


def json_rows(schema, stream):
    """The rows of a stream of JSON objects, one a line; a missing key is null."""
    lines = []
    for number, line in enumerate(stream, 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise WrongRows("line %d is no JSON: %s" % (number, error)) from None
        if not isinstance(row, dict):
            raise WrongRows("line %d is no JSON object" % number)
        unknown = next((name for name in row if name not in schema.names), None)
        if unknown is not None:
            raise WrongRows('line %d has the key "%s", which no column has' % (number, unknown))
        lines.append(row)
        if len(lines) == BATCH_LINES:
            yield json_batch(schema, lines, number)
            lines = []
    if lines:
        yield json_batch(schema, lines, number)


def json_batch(schema, rows, last):
    """A batch of the rows that end at line `last`."""
    columns = []
    for field in schema:
        values = [row.get(field.name) for row in rows]
        try:
            if pa.types.is_timestamp(field.type):
                columns.append(pa.array(values, pa.string()).cast(field.type))
            else:
                columns.append(pa.array(values, field.type))
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise WrongRows(
                'column "%s" of the lines up to %d does not fit its type: %s' % (field.name, last, error)
            ) from None
    return pa.record_batch(columns, schema=schema)
