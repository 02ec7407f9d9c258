"""Datasets of the real program, as webdataset, Hugging Face's `datasets`, DuckDB and pandas read them."""

import json
import math
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

import pyarrow as pa
import pyarrow.parquet as pq

# A row for each image: a caption with every line end, an empty one, and none.
ROWS = [
    {"url": "photos/0.png", "caption": "ein Fuß,\r\n\"ü\"\rand 雪, \"\u0301\r\r\n", "n": 2 ** 63 - 1, "score": 0.0001, "ok": True,
     "tags": ["x", "y"], "box": {"w": 2, "a": 0.1}},
    {"url": "photos/1.png", "caption": "", "n": -1, "score": 5.0, "ok": False, "tags": [], "box": {"w": 3, "a": 1.0}},
    {"url": "photos/2.png", "caption": None, "n": None, "score": None, "ok": None, "tags": None, "box": None},
]
CAPTIONS = ["ein Fuß,\n\"ü\"\nand 雪, \"\u0301\n\n", "", ""]


class ReaderTests(unittest.TestCase):
    def setUp(self):
        from PIL import Image

        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "photos").mkdir()
        for number in range(len(ROWS)):
            Image.new("RGB", (number + 2, 3), (number * 90, 10, 20)).save(self.folder / f"photos/{number}.png")
        (self.folder / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
        pq.write_table(pa.Table.from_pylist(ROWS), self.folder / "list.parquet")
        with sqlite3.connect(self.folder / "list.db") as database:
            database.execute("CREATE TABLE photos (url, caption, n INTEGER, score REAL, ok, tags, box)")
            database.executemany("INSERT INTO photos VALUES (?, ?, ?, ?, ?, ?, ?)", [
                [json.dumps(value) if isinstance(value, (list, dict)) else value for value in row.values()] for row in ROWS
            ])

    def make(self, source, dataset):
        """Runs the job; `out` has its dataset."""
        job = {
            "sources": [source], "outputs": [{"format": "jpeg"}], "dataset": dataset, "cache": {"directory": "cache"},
        }
        (self.folder / "job.json").write_text(json.dumps(job))
        done = subprocess.run([os.environ["NUKE_BATCH"], "run", "job.json"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def by_url(self, rows):
        """Rows sorted by their URLs."""
        found = sorted(rows, key=lambda row: row["url"])
        self.assertEqual([row["url"][-5] for row in found], ["0", "1", "2"])
        return found

    def test_webdataset_reads_captions_and_types(self):
        import webdataset

        sources = [{"list": "list.jsonl", "columns": {"url": "url"}}, {"list": "list.parquet"}]
        for number, source in enumerate(sources):
            with self.subTest(source=source):
                self.make(source, {"pack": "tar", "caption": "caption"})
                # The second job makes a shard of its own, as its items have other sources.
                shards = webdataset.WebDataset(str(self.folder / f"out/0000{number}.tar"), shardshuffle=False)
                found = sorted(shards.decode("pil").to_tuple("jpg", "txt", "json"), key=lambda item: item[2]["url"])
                self.assertEqual([caption for _, caption, _ in found], CAPTIONS)
                self.assertEqual([image.size for image, _, _ in found], [(2, 3), (3, 3), (4, 3)])
                for (_, _, item), row in zip(found, ROWS):
                    expected = {name: value for name, value in row.items() if name != "url"}
                    self.assertEqual(item["columns"], expected)
                    self.assertEqual({k: type(v) for k, v in item["columns"].items()}, {k: type(v) for k, v in expected.items()})
                (self.folder / ".nuke-batch/job.sqlite").unlink()

    def test_webdataset_reads_several_captions(self):
        import webdataset

        self.make({"list": "list.jsonl", "columns": {"url": "url"}}, {"pack": "tar", "caption": ["caption", "n"]})
        shards = webdataset.WebDataset(str(self.folder / "out/00000.tar"), shardshuffle=False)
        found = sorted(shards.to_tuple("json", "caption.txt", "n.txt"))
        self.assertEqual(sorted((text.decode(), n.decode()) for _, text, n in found), sorted(
            zip(CAPTIONS, [str(2 ** 63 - 1), "-1", ""])
        ))

    def check_table(self, path):
        """Compares the columns of a Parquet file with the rows, in all readers."""
        import datasets
        import duckdb
        import pandas

        table = pq.read_table(path)
        kinds = {name: str(table.schema.field("columns." + name).type) for name in ("caption", "n", "score", "ok", "tags", "box")}
        self.assertEqual(kinds, {
            "caption": "string", "n": "int64", "score": "double", "ok": "bool", "tags": "string", "box": "string",
        })
        loaded = datasets.load_dataset("parquet", data_files=str(path), cache_dir=str(self.folder / "hf"), split="train")
        names = ", ".join(f'"{name}"' for name in ["url"] + ["columns." + name for name in kinds])
        cursor = duckdb.execute(f"SELECT {names} FROM '{path}'")
        by_duckdb = [dict(zip([column[0] for column in cursor.description], row)) for row in cursor.fetchall()]
        frame = pandas.read_parquet(path, dtype_backend="pyarrow")
        by_pandas = [
            {name: None if pandas.isna(value) else value for name, value in row.items() if name in names.replace('"', "").split(", ")}
            for row in frame.to_dict("records")
        ]
        for rows in (table.to_pylist(), list(loaded), by_duckdb, by_pandas):
            for found, row in zip(self.by_url(rows), ROWS):
                for name in ("caption", "n", "score", "ok"):
                    self.assertEqual(found["columns." + name], row[name], name)
                for name in ("tags", "box"):
                    text = found["columns." + name]
                    self.assertEqual(None if text is None else json.loads(text), row[name])
                    self.assertTrue(text is None or list(json.loads(text)) == list(row[name]), "the order of keys")

    def test_tables_of_json_lines_and_parquet(self):
        for source in ({"list": "list.jsonl", "columns": {"url": "url"}}, {"list": "list.parquet"}):
            for dataset in ({"index": "index.parquet"}, {"pack": "parquet", "caption": "caption"}):
                with self.subTest(source=source, dataset=dataset):
                    self.make(source, dataset)
                    found = sorted((self.folder / "out").glob("*.parquet"))
                    self.assertEqual(len(found), 1)
                    self.check_table(found[0])
                    found[0].unlink()
                    (self.folder / ".nuke-batch/job.sqlite").unlink()

    def test_a_query_keeps_numbers_and_nulls(self):
        import duckdb

        self.make({"sqlite": "list.db", "query": "SELECT * FROM photos"}, {"index": "index.parquet"})
        rows = duckdb.sql(
            f"""SELECT "columns.n", "columns.score", "columns.ok", "columns.caption" FROM '{self.folder}/out/index.parquet'
            ORDER BY url"""
        ).fetchall()
        self.assertEqual(rows, [
            (2 ** 63 - 1, 0.0001, 1, ROWS[0]["caption"]), (-1, 5.0, 0, ""), (None, None, None, None),
        ])
        self.assertFalse(any(isinstance(value, float) and math.isnan(value) for row in rows for value in row))


if __name__ == "__main__":
    unittest.main()
