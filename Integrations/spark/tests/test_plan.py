"""Plans made by Spark, against those of one machine."""
import csv
import gzip
import json
import os
import pathlib
import random
import subprocess
import unittest

from tests.job import Job

SIZES = ["--partition-items", "200", "--partition-minutes", "1"]


class PlanTests(unittest.TestCase):
    def setUp(self):
        self.job = Job()
        self.addCleanup(self.job.temporary.cleanup)
        seed = random.randrange(1_000_000)
        print(f"plan by Spark: seed {seed}")
        self.random = random.Random(seed)

    def urls(self, count):
        """URLs of hosts of all sizes, with duplicates and odd texts."""
        texts = ["a b", "ü", "e\u0301", "\u00e9", "%41", "x?q=1&r=2", "x#f", "\U0001F600"]
        hosts = [["a{}.example", "b{}.example:8080", "bücher{}.example"][number % 3].format(number) for number in range(60)]
        return [f"https://{hosts[min(self.random.randrange(120), 59)]}/{self.random.choice(texts)}{self.random.randrange(500)}"
                for _ in range(count)]

    def compare(self):
        one = json.loads(self.job.fleet("plan", "job.json", "--store", "one", "--json", *SIZES).stdout)
        by_spark = json.loads(self.job.spark("plan", "job.json", "--store", "spark", *SIZES))
        self.assertGreater(one["duplicates"], 0)
        self.assertEqual(by_spark, one)
        self.assertEqual(self.job.files("spark"), self.job.files("one"))

    def test_texts_and_json_lines(self):
        rows = self.urls(3000)
        for number in range(0, 3000, 50):
            rows[number] = self.random.choice(["not a url", "ftp2://x/y", "", "# a comment", "  "])
        (self.job.folder / "urls.txt").write_text("\n".join(rows) + "\n")
        lines = [json.dumps({"url": url, "id": str(number % 900), "title": f"ti\"tle {number}"}, ensure_ascii=number % 2 == 0)
                 for number, url in enumerate(self.urls(2000))]
        lines[5] = "{broken"
        with gzip.open(self.job.folder / "items.jsonl.gz", "wt") as file:
            file.write("\n".join(lines + lines[:100]))
        self.job.write(sources=[{"list": "urls.txt", "vars": {"a": "b"}, "headers": {"X-A": "1"}}, {"list": "items.jsonl.gz"}],
                       loading={"rate": "2/s"})
        self.compare()

    def test_rows_with_the_same_paths(self):
        rows = [url.replace(" ", "-") for url in self.urls(2000)]
        (self.job.folder / "urls.txt").write_text("\n".join(rows) + "\n")
        outputs = [{"name": "b", "path": "{stem}.png", "format": "png", "onCollision": "first"},
                   {"name": "a", "path": "{host}/{stem}.jpg", "format": "jpeg", "onCollision": "fail"},
                   {"name": "c", "path": "c/{stem}-{hash}.png", "format": "png"},
                   {"name": "d", "path": "{index:6}.png", "format": "png"}]
        self.job.write(sources=[{"list": "urls.txt"}], outputs=outputs, loading={"rate": "3/s"})
        self.compare()
        lines = gzip.decompress(self.job.files("spark")["partitions/000000.jsonl.gz"]).decode()
        self.assertIn('"blocked":[{"output":"b"', lines)
        outputs[0]["onCollision"] = "error"
        self.job.write(sources=[{"list": "urls.txt"}], outputs=outputs, loading={"rate": "3/s"})
        process = self.job.start("plan", "job.json", "--store", "refused")
        output, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 2, output + self.job.log())
        self.assertIn("would both write", output)

    def test_csv(self):
        with open(self.job.folder / "items.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["url", "id", "priority", "album"])
            for number, url in enumerate(self.urls(2000)):
                table.writerow([url, number % 900, "high" if number % 7 == 0 else "", f"two\nlines, \"{number % 3}\""])
            for number, url in enumerate(self.urls(50)):
                table.writerow([url, "", "wrong", ""])
                table.writerow([url, "", "wrong", ""])
        self.job.write(sources=[{"list": "items.csv"}], loading={"rate": "3/s"})
        self.compare()

    def test_parquet(self):
        rows = [{"url": url, "id": str(number % 900), "width": number, "album": None if number % 5 == 0 else f'two\nlines, "{number % 3}"'}
                for number, url in enumerate(self.urls(3000))]
        arrow = "import json, sys, pyarrow, pyarrow.parquet as p; p.write_table(pyarrow.Table.from_pylist(json.load(sys.stdin)), sys.argv[1], row_group_size=500)"
        python = pathlib.Path(os.environ["NUKE_BATCH_PARQUET"]).parent / "python3"
        for name, part in (("a", rows[:2500]), ("b", rows[2500:] + rows[:40])):
            subprocess.run([python, "-c", arrow, self.job.folder / f"{name}.parquet"], input=json.dumps(part), text=True, check=True)
        self.job.write(sources=[{"list": "a.parquet"}, {"list": "b.parquet"}], loading={"rate": "3/s"})
        self.compare()

    def test_types_of_parquet_in_a_dataset(self):
        urls = [url.split("#")[0] + f"&n={number}" for number, url in enumerate(self.urls(300))] * 2
        rows = [{"url": url, "n": None if number % 7 == 0 else 2 ** 62 + number, "score": [0.0001, 5.0, 1e-5, None][number % 4],
                 "ok": number % 2 == 0, "text": ["", None, "7", 'ü"\\'][number % 4]} for number, url in enumerate(urls)]
        arrow = ("import json, sys, pyarrow as a, pyarrow.parquet as p; t = a.Table.from_pylist(json.load(sys.stdin)); "
                 "p.write_table(t.append_column('small', t['score'].cast(a.float32())), sys.argv[1])")
        python = pathlib.Path(os.environ["NUKE_BATCH_PARQUET"]).parent / "python3"
        subprocess.run([python, "-c", arrow, self.job.folder / "a.parquet"], input=json.dumps(rows), text=True, check=True)
        self.job.write(sources=[{"list": "a.parquet"}], loading={"rate": "3/s"}, outputs=[{"format": "png"}],
                       dataset={"pack": "parquet"})
        self.compare()
        lines = gzip.decompress(self.job.files("spark")["partitions/000000.jsonl.gz"]).decode()
        self.assertIn('"small":1e-05', lines)

    def test_sources_without_rows_that_spark_can_read(self):
        self.job.write(sources=[{"urls": ["https://a.example/1.png"]}])
        process = self.job.start("plan", "job.json", "--store", "store")
        # spark-submit prints both of the program's streams on its standard output.
        output, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 2, output + self.job.log())
        self.assertIn("one machine", output)


if __name__ == "__main__":
    unittest.main()
