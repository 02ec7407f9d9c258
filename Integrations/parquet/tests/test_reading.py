"""Reading: every codec, encoding, page version and type that pyarrow writes, and every way in which a file can be wrong."""

import datetime
import decimal
import itertools
import json
import os
import struct
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq

from .program import ProgramTestCase

CODECS = ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]
TEXTS = ["https://example.com/%d.jpg" % number for number in range(3000)]


class FormatTests(ProgramTestCase):
    def read_back(self, table, **options):
        path = self.path("list.parquet")
        pq.write_table(table, path, **options)
        return self.rows(path)

    def test_every_codec_and_page_version(self):
        table = pa.table({"url": TEXTS, "number": range(3000)})
        expected = [["url", "number"]] + [[url, str(number)] for number, url in enumerate(TEXTS)]
        for codec, page, dictionary in itertools.product(CODECS, ["1.0", "2.0"], [True, False]):
            with self.subTest(codec=codec, page=page, dictionary=dictionary):
                found = self.read_back(
                    table, compression=codec, data_page_version=page, use_dictionary=dictionary, row_group_size=700,
                    write_page_checksum=True,
                )
                self.assertEqual(found, expected)

    def test_every_encoding(self):
        texts, numbers, floats = pa.array(TEXTS), pa.array(range(3000), pa.int64()), pa.array([n / 4 for n in range(3000)])
        cases = [
            (texts, "PLAIN"), (texts, "DELTA_LENGTH_BYTE_ARRAY"), (texts, "DELTA_BYTE_ARRAY"), (numbers, "PLAIN"),
            (numbers, "DELTA_BINARY_PACKED"), (numbers, "BYTE_STREAM_SPLIT"), (floats, "PLAIN"), (floats, "BYTE_STREAM_SPLIT"),
            (pa.array([n % 3 == 0 for n in range(3000)]), "RLE"), (pa.array([n % 3 == 0 for n in range(3000)]), "PLAIN"),
        ]
        for (column, encoding), page in itertools.product(cases, ["1.0", "2.0"]):
            with self.subTest(type=column.type, encoding=encoding, page=page):
                found = self.read_back(
                    pa.table({"url": column}), use_dictionary=False, column_encoding={"url": encoding}, data_page_version=page,
                )
                self.assertEqual([row[0] for row in found[1:]], [self.text(value) for value in column.to_pylist()])
                used = pq.ParquetFile(self.path("list.parquet")).metadata.row_group(0).column(0).encodings
                self.assertIn(encoding, used)

    def text(self, value):
        return str(value).lower() if isinstance(value, bool) else "%g" % value if isinstance(value, float) else str(value)

    def test_kinds_follow_the_names_and_null_is_not_an_empty_text(self):
        columns = {
            "text": pa.array(["", None, "a"]), "int": pa.array([2 ** 63 - 1, None, -1], pa.int64()),
            "double": pa.array([1.0, None, 0.1 + 0.2]), "float": pa.array([0.1, None, float("nan")], pa.float32()),
            "bool": pa.array([True, None, False]), "decimal": pa.array([decimal.Decimal("12.30"), None, None]),
            "list": pa.array([[0.5, None], None, []]), "infinite": pa.array([[float("inf")], None, None]),
            "map": pa.array([[("k", [{"a": 1.0}])], None, []], pa.map_(pa.string(), pa.list_(pa.struct([("a", pa.float64())])))),
            "day": pa.array([datetime.date(2026, 1, 31), None, None]),
            "while": pa.array([datetime.timedelta(hours=1), None, None]),
            "category": pa.array([7, None, 7]).dictionary_encode(),
        }
        path = self.path("list.parquet")
        pq.write_table(pa.table(columns), path)
        text, _ = self.run_program("read", "--kinds", path)
        lines = text.decode().split("\r\n", 2)
        self.assertEqual(lines[0].replace('"', "").split(","), list(columns))
        self.assertEqual(
            lines[1].replace('"', "").split(","),
            ["text", "json", "double", "double", "json", "json", "json", "json", "json", "text", "json", "json"],
        )
        self.assertEqual(lines[2].split("\n")[:3], [
            '"","9223372036854775807","1","0.1","true","12.30","[0.5,null]","[null]","{""k"":[{""a"":1.0}]}","2026-01-31",'
            '"""1:00:00""","7"',
            ",,,,,,,,,,,", '"a","-1","0.30000000000000004","nan","false",,"[]",,"{}",,,"7"',
        ])

    def test_every_type_has_a_text(self):
        day, moment = datetime.date(2026, 1, 31), datetime.datetime(2026, 1, 31, 10, 0, 0, 250000)
        columns = {
            "large": (pa.array(["a", None], pa.large_string()), ["a", ""]),
            "dictionary": (pa.array(["x", None]).dictionary_encode(), ["x", ""]),
            "small": (pa.array([-5, None], pa.int8()), ["-5", ""]),
            "unsigned": (pa.array([2**64 - 1, None], pa.uint64()), [str(2**64 - 1), ""]),
            "half": (pa.array([1.5, None], pa.float32()).cast(pa.float16()), ["1.5", ""]),
            "double": (pa.array([0.1, None]), ["0.1", ""]),
            "bool": (pa.array([True, None]), ["true", ""]),
            "date": (pa.array([day, None]), ["2026-01-31", ""]),
            "naive": (pa.array([moment, None], pa.timestamp("ms")), ["2026-01-31T10:00:00.250", ""]),
            "zoned": (pa.array([moment, None], pa.timestamp("ms", "UTC")), ["2026-01-31T10:00:00.250Z", ""]),
            "time": (pa.array([datetime.time(9, 30), None], pa.time32("s")), ["09:30:00.000", ""]),
            "decimal": (pa.array([decimal.Decimal("12.30"), None], pa.decimal128(9, 2)), ["12.30", ""]),
            "list": (pa.array([["a", "ü"], None]), ['["a","ü"]', ""]),
            "struct": (pa.array([{"w": 1, "d": day}, None]), ['{"w":1,"d":"2026-01-31"}', ""]),
            "map": (pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())), ['{"k":1}', ""]),
            "nested": (pa.array([[{"a": [1.5]}], None]), ['[{"a":[1.5]}]', ""]),
            "nothing": (pa.nulls(2), ["", ""]),
            "quoted": (pa.array(['say "hi",\r\nplease', ""]), ['say "hi",\r\nplease', ""]),
        }
        found = self.read_back(pa.table({name: column for name, (column, _) in columns.items()}))
        self.assertEqual(found[0], list(columns))
        for index, (name, (_, expected)) in enumerate(columns.items()):
            with self.subTest(type=name):
                self.assertEqual([row[index] for row in found[1:]], expected)

    def test_values_inside_others_are_those_that_they_are_alone(self):
        # Python has no such times, and a number of 32 bits has more digits there.
        far = pa.array([2 ** 62], pa.int64())
        moment = pa.array([1234567890123456789], pa.int64()).cast(pa.timestamp("ns"))
        single = pa.array([0.1, float("nan"), 16777216, 1e30, None], pa.float32())
        columns = {
            "far": (far.cast(pa.timestamp("us")), '["<value out of range: 4611686018427387904>"]'),
            "days": (pa.array([2 ** 31 - 1], pa.int32()).cast(pa.date32()), '["<value out of range: 2147483647>"]'),
            "moment": (moment, '["2009-02-13T23:31:30.123456789"]'),
            "long": (far.cast(pa.duration("s")), '["53375995583650 days, 7:45:04"]'),
            "brief": (pa.array([1001], pa.int64()).cast(pa.duration("ns")), '["0:00:00.000001001"]'),
            "before": (pa.array([datetime.timedelta(days=-1, seconds=1, milliseconds=250)]), '["-1 day, 0:00:01.250000"]'),
            "single": (single, '[0.1,null,16777216.0,1e+30,null]'),
            "half": (single.slice(0, 1).cast(pa.float16()), "[0.1]"),
            "decimal": (pa.array([decimal.Decimal("1.10"), None]), "[1.10,null]"),
            "category": (pa.array(["a", None, "a"]).dictionary_encode(), '["a",null,"a"]'),
            "twice": (pa.StructArray.from_arrays([pa.array([1]), pa.array([None], pa.int8())], ["a", "a"]), '[{"a":1,"a":null}]'),
            "maps": (pa.array([[("k", 1), ("k", 2)], None], pa.map_(pa.string(), pa.int32())), '[{"k":1,"k":2},null]'),
            "truths": (pa.array([[(True, 1)]], pa.map_(pa.bool_(), pa.int32())), '[{"true":1}]'),
            "pairs": (pa.array([[1, None], None], pa.list_(pa.int64(), 2)), "[[1,null],null]"),
        }
        for name, (inner, expected) in columns.items():
            with self.subTest(type=name):
                outer = pa.ListArray.from_arrays(pa.array([0, 0, len(inner)], pa.int32()), inner)
                found = self.read_back(pa.table({"url": outer}))
                self.assertEqual(found, [["url"], ["[]"], [expected]])
        self.assertEqual(self.read_back(pa.table({"url": columns["far"][0]}))[1], ["<value out of range: 4611686018427387904>"])
        self.assertEqual(self.read_back(pa.table({"url": columns["half"][0]}))[1], ["0.1"])

    def test_two_columns_of_one_name_are_refused(self):
        path = self.path("list.parquet")
        pq.write_table(pa.Table.from_arrays([pa.array(["u"]), pa.array([1]), pa.array([2])], ["url", "n", "n"]), path)
        for words in ([], ["--kinds"], ["--column", "n"]):
            _, errors = self.run_program("read", path, *words, code=3)
            self.assertIn('two columns have the name "n": rename one', errors)
        self.assertEqual(self.rows(path, "--column", "url"), [["url"], ["u"]])

    def test_bytes_are_left_out_unless_asked_for(self):
        table = pa.table({
            "url": [b"https://example.com/1"], "image": [{"bytes": b"\xff", "path": "a"}], "id": ["1"],
            "hash": pa.array([bytes(16)], pa.binary(16)), "codes": pa.array([b"x"]).dictionary_encode(),
        })
        path = self.path("list.parquet")
        pq.write_table(table, path)
        self.assertEqual(self.rows(path), [["id"], ["1"]])
        self.assertEqual(self.rows(path, "--column", "url"), [["url"], ["https://example.com/1"]])

    def test_chosen_columns_limits_and_several_files(self):
        for number in range(3):
            table = pa.table({"b": ["b%d" % number] * 2, "url": ["u%d" % number] * 2, "c": [number] * 2})
            pq.write_table(table, self.path("%d.parquet" % number))
        paths = [self.path("%d.parquet" % number) for number in range(3)]
        words = ["--column", "url", "--optional-column", "c", "--optional-column", "none"]
        self.assertEqual(self.rows(*paths, *words, "--limit", "3"), [["url", "c"], ["u0", "0"], ["u0", "0"], ["u1", "1"]])
        names = b"".join(os.fsencode(path) + b"\0" for path in paths)
        text, _ = self.run_program("read", "--files0-from", "-", *words, stdin=names)
        self.assertEqual(len(text.splitlines()), 7)
        described, _ = self.run_program("columns", paths[0])
        self.assertEqual(json.loads(described), {"rows": 2, "columns": ["b", "url", "c"]})

    def test_frames_tell_the_end_of_each_file(self):
        pq.write_table(pa.table({"url": ["a", None, ""]}), self.path("1.parquet"))
        pq.write_table(pa.table({"url": pa.array([], pa.string())}), self.path("2.parquet"))
        data, _ = self.run_program("read", "--framed", self.path("1.parquet"), self.path("2.parquet"))
        files, text = [], b""
        while data:
            (length,) = struct.unpack("<I", data[:4])
            text, data = text + data[4:4 + length], data[4 + length:]
            if length == 0:
                files, text = files + [text], b""
        # A null and an empty text are a line each, and no row is lost.
        self.assertEqual(files, [b'"url"\r\na\n\n\n', b'"url"\r\n'])


class WrongFileTests(ProgramTestCase):
    def setUp(self):
        super().setUp()
        self.list = self.path("list.parquet")
        pq.write_table(pa.table({"url": TEXTS}), self.list, use_dictionary=False, write_page_checksum=True)

    def bytes(self):
        with open(self.list, "rb") as file:
            return file.read()

    def replace(self, data):
        with open(self.list, "wb") as file:
            file.write(data)

    def test_missing_column(self):
        _, said = self.run_program("read", self.list, "--column", "link", code=3)
        self.assertEqual(said, '%s: has no column "link", only "url"\n' % self.list)

    def test_missing_file_folder_and_permission(self):
        _, said = self.run_program("read", self.path("none.parquet"), code=5)
        self.assertEqual(said, "%s: there is no such file\n" % self.path("none.parquet"))
        _, said = self.run_program("read", self.folder, code=5)
        self.assertIn("is a folder", said)

    def test_a_file_without_a_name_is_read_as_standard_input(self):
        for confined in [[], ["--confined"]]:
            with self.subTest(confined=confined), open(self.list, "rb") as file, tempfile.TemporaryFile() as nameless:
                nameless.write(file.read())
                nameless.flush()
                found = self.run_on(nameless, "read", "-", *confined)
                self.assertEqual((found.returncode, found.stderr), (0, b""))
                self.assertEqual(found.stdout.decode().split(), ['"url"'] + TEXTS)
        found = self.run_on(subprocess.PIPE, "read", "-", "--confined")
        self.assertEqual(found.returncode, 5)
        self.assertTrue(found.stderr.startswith(b"-: is a pipe"), found.stderr)

    def run_on(self, stdin, *words):
        command = [sys.executable, "-m", "nuke_batch_parquet", *words]
        with subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            out, said = program.communicate()
        return subprocess.CompletedProcess(command, program.returncode, out, said)

    def test_truncation_at_any_place_is_told(self):
        whole = self.bytes()
        for length in [0, 1, 4, 8, len(whole) // 3, len(whole) // 2, len(whole) - 200, len(whole) - 8, len(whole) - 1]:
            with self.subTest(length=length):
                self.replace(whole[:length])
                _, said = self.run_program("read", self.list, code=4)
                self.assertTrue(said.startswith(self.list + ": the Parquet data is damaged or truncated"), said)

    def test_a_changed_byte_of_a_page_is_told(self):
        whole = bytearray(self.bytes())
        whole[len(whole) // 2] ^= 0x40
        self.replace(whole)
        self.run_program("read", self.list, code=4)

    def test_another_format_is_told(self):
        self.replace(b"url\nhttps://example.com/1.jpg\n")
        self.run_program("columns", self.list, code=4)

    def test_a_reader_that_stops_is_no_error(self):
        pq.write_table(pa.table({"url": TEXTS * 1000}), self.list)
        words = [sys.executable, "-m", "nuke_batch_parquet", "read", self.list]
        program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        program.stdout.readline()
        program.stdout.close()
        self.assertEqual(program.stderr.read(), b"")
        program.stderr.close()
        self.assertEqual(program.wait(), -13)
