"""Writing: types, nulls, bounded groups of rows, names that appear last; and other readers of what is written."""

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile

import pyarrow as pa
import pyarrow.parquet as pq

from nuke_batch_parquet import writing

from .program import ProgramTestCase

SCHEMA = json.dumps([["id", "string"], ["n", "int64"], ["x", "double"], ["ok", "bool"], ["at", "timestamp"]])


class WriteTests(ProgramTestCase):
    def write(self, text, *words, code=0, schema=SCHEMA):
        return self.run_program(
            "write", "--schema", schema, *words, self.path("out.parquet"), stdin=text.encode(), code=code,
        )

    def test_types_nulls_and_empty_texts(self):
        self.write('a,1,0.5,true,2026-01-31T10:00:00.250Z\n"",,,,\n,-7,1e3,false,2026-01-31T10:00:00Z\n"say ""hi"",\nyes",,,,\n')
        table = pq.read_table(self.path("out.parquet"))
        self.assertEqual(
            [str(field.type) for field in table.schema], ["string", "int64", "double", "bool", "timestamp[ms, tz=UTC]"],
        )
        self.assertEqual(table["id"].to_pylist(), ["a", "", None, 'say "hi",\nyes'])
        self.assertEqual(table["n"].to_pylist(), [1, None, -7, None])
        self.assertEqual([t and t.isoformat() for t in table["at"].to_pylist()][0], "2026-01-31T10:00:00.250000+00:00")
        self.assertFalse(os.path.exists(self.path("out.parquet.part")))

    def test_rows_of_any_length(self):
        # Line ends and quotes at every place around the end of a block, and rows of several blocks.
        for longest in [writing.BLOCK_BYTES - 8, writing.BLOCK_BYTES, 3 * writing.BLOCK_BYTES]:
            texts = ["x" * longest] + ['"\n' * count + "y" * (count % 5) for count in range(40)] + ["\n" * longest, '"' * longest, ""]
            lines = ['"%s",1,,,\n' % text.replace('"', '""') for text in texts]
            with self.subTest(longest=longest):
                self.write("".join(lines))
                self.assertEqual(pq.read_table(self.path("out.parquet"))["id"].to_pylist(), texts)

    def test_lines_of_json(self):
        self.write('{"id": "a", "n": 1, "at": "2026-01-31T10:00:00Z"}\n{"x": 2.5, "ok": true}\n', "--json")
        table = pq.read_table(self.path("out.parquet"))
        self.assertEqual((table["n"].to_pylist(), table["x"].to_pylist()), ([1, None], [None, 2.5]))

    def test_no_rows_and_one_column(self):
        self.write("")
        self.assertEqual(pq.read_table(self.path("out.parquet")).num_rows, 0)
        self.write('\n""\na\n', schema='[["id", "string"]]')
        self.assertEqual(pq.read_table(self.path("out.parquet"))["id"].to_pylist(), [None, "", "a"])

    def test_groups_of_rows_are_bounded(self):
        self.write("\n".join("%d" % number for number in range(300_000)) + "\n", schema='[["n", "int64"]]')
        metadata = pq.ParquetFile(self.path("out.parquet")).metadata
        self.assertEqual(metadata.num_rows, 300_000)
        self.assertGreater(metadata.num_row_groups, 2)

    def test_rows_that_do_not_fit_leave_the_old_file(self):
        self.write("a,1,,,\n")
        for text, words in [("a,b,,,\n", ()), ("a,1\n", ()), ("{\n", ("--json",)), ('{"m": 1}\n', ("--json",))]:
            with self.subTest(text=text):
                self.write(text, *words, code=7)
                self.assertEqual(pq.read_table(self.path("out.parquet")).num_rows, 1)
                self.assertEqual(os.listdir(self.folder), ["out.parquet"])
        self.write("", schema='[["a", "int32"]]', code=7)

    def test_a_disk_that_is_full_is_told(self):
        self.run_program("write", "--schema", SCHEMA, self.path("no/out.parquet"), code=8)
        with open("/dev/full", "wb") as full:
            words = [sys.executable, "-m", "nuke_batch_parquet", "write", "--schema", SCHEMA, "-"]
            done = subprocess.run(words, input=b"a,1,,,\n", stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 8, done.stderr)
        self.assertIn(b"No space left", done.stderr)


def png(number):
    from PIL import Image

    sink = io.BytesIO()
    Image.new("RGB", (number + 1, 2), (number, 0, 0)).save(sink, "png")
    return sink.getvalue()


class PackTests(ProgramTestCase):
    SCHEMA = json.dumps(
        [["image", "image"], ["key", "string"], ["url", "string"], ["bytes", "int64"], ["columns.a.b", "string"],
         ["facts", "string"]]
    )

    def archive(self, count):
        sink = io.BytesIO()
        with tarfile.open(fileobj=sink, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for number in range(count):
                row = {"url": "u%d" % number, "bytes": number, "columns": {"a.b": "x"}, "facts": {"w": 1}, "outputs": {}}
                for name, data in [("png", png(number)), ("json", json.dumps(row).encode())]:
                    member = tarfile.TarInfo("%09d.%s" % (number, name))
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
                size = tar.offset
        return sink.getvalue(), size

    def pack(self, data, size, code=0):
        return self.run_program(
            "pack", "--schema", self.SCHEMA, "--size", str(size), self.path("0.parquet"), stdin=data, code=code,
        )

    def test_rows_are_the_items_before_the_size(self):
        (data, _), (_, size) = self.archive(250), self.archive(249)
        self.pack(data[:size] + b"not recorded", size)
        table = pq.read_table(self.path("0.parquet"))
        self.assertEqual(table["key"].to_pylist(), ["%09d" % number for number in range(249)])
        self.assertEqual(table["image"].to_pylist()[7], {"bytes": png(7), "path": "000000007.png"})
        self.assertEqual(table["columns.a.b"].to_pylist()[0], "x")
        self.assertEqual(table["facts"].to_pylist()[0], '{"w":1}')
        self.assertEqual(pq.ParquetFile(self.path("0.parquet")).metadata.num_row_groups, 3)

    def test_columns_keep_their_types(self):
        values = '"n":9223372036854775807,"big":123456789012345678901234567890,"d":1e-4,"b":true,"none":null,' \
            '"list":[1.50,"\u00e9",{"z":1,"a":1e400,"z":-0}],"long":%s,"mixed":%%s' % ("9" * 5000)
        sink = io.BytesIO()
        with tarfile.open(fileobj=sink, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for number, mixed in enumerate(["1.50", '"1.5"', "false"]):
                row = '{"url":"u","columns":{%s}}' % (values % mixed)
                for name, data in [("png", png(number)), ("json", row.encode())]:
                    member = tarfile.TarInfo("%09d.%s" % (number, name))
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
                size = tar.offset
        kinds = {"n": "int64", "big": "string", "d": "double", "b": "bool", "none": "int64", "list": "string", "long": "string",
                 "mixed": "string"}
        schema = [["image", "image"]] + [["columns." + name, kind] for name, kind in kinds.items()]
        self.run_program(
            "pack", "--schema", json.dumps(schema), "--size", str(size), self.path("0.parquet"), stdin=sink.getvalue(),
        )
        table = pq.read_table(self.path("0.parquet"))
        found = {name: table["columns." + name].to_pylist() for name in kinds}
        self.assertEqual(found, {
            "n": [2 ** 63 - 1] * 3, "big": ["123456789012345678901234567890"] * 3, "d": [0.0001] * 3, "b": [True] * 3,
            "none": [None] * 3, "list": ['[1.50,"\u00e9",{"z":1,"a":1e400,"z":-0}]'] * 3, "long": ["9" * 5000] * 3, "mixed": ["1.50", "1.5", "false"],
        })

    def test_an_archive_that_is_shorter_is_told(self):
        data, _ = self.archive(20)
        self.pack(data[:3000], 5000, code=4)
        self.assertEqual(os.listdir(self.folder), [])

    def test_other_programs_read_it_and_show_the_images(self):
        import datasets
        import duckdb
        import pandas

        self.pack(*self.archive(12))
        path = self.path("0.parquet")
        found = datasets.load_dataset("parquet", data_files=path, cache_dir=self.path("cache"), split="train")
        self.assertIsInstance(found.features["image"], datasets.Image)
        self.assertEqual([row["image"].size for row in found], [(number + 1, 2) for number in range(12)])
        self.assertEqual(found[5]["image"].convert("RGB").getpixel((0, 0)), (5, 0, 0))
        self.assertEqual(duckdb.sql("SELECT sum(bytes) FROM '%s'" % path).fetchall(), [(66,)])
        self.assertEqual(duckdb.sql("SELECT octet_length(image.bytes) FROM '%s' LIMIT 1" % path).fetchall(), [(len(png(0)),)])
        self.assertEqual(list(pandas.read_parquet(path)["url"])[:2], ["u0", "u1"])
        lines, _ = self.run_program("digests", path)
        self.assertEqual(
            lines.decode().splitlines()[3], "000000003.png\t" + hashlib.sha256(png(3)).hexdigest(),
        )


class ConfinementTests(ProgramTestCase):
    def test_only_the_named_files_can_be_read_and_nothing_written(self):
        pq.write_table(pa.table({"url": ["a"]}), self.path("list.parquet"))
        with open(self.path("secret"), "w") as file:
            file.write("s")
        script = (
            "import os, sys, socket; sys.path.insert(0, %r); from nuke_batch_parquet import confinement, reading\n"
            "confinement.confine([%r])\n"
            "reading.read([%r], None, [], None, False)\n"
            "for attempt in (lambda: open(%r), lambda: open(%r, 'w'), lambda: socket.create_connection(('127.0.0.1', 9))):\n"
            "    try: attempt(); print('allowed')\n"
            "    except PermissionError: print('refused')\n"
            "    except OSError as error: print(error.errno)\n"
        ) % (os.getcwd(), self.path("list.parquet"), self.path("list.parquet"), self.path("secret"), self.path("new"))
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:4], ['"url"', "a", "refused", "refused"], done.stderr)
