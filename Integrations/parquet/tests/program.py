"""The program as the tests run it."""

import csv
import io
import subprocess
import sys
import tempfile
import unittest


class ProgramTestCase(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return "%s/%s" % (self.folder, name)

    def run_program(self, *words, stdin=b"", code=0):
        """Runs the program, which is to end with the exit code `code`; returns what it prints and says."""
        done = subprocess.run([sys.executable, "-m", "nuke_batch_parquet", *words], input=stdin, capture_output=True)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout, done.stderr.decode()

    def rows(self, *words):
        """The rows that `read` prints, with the header row."""
        text, _ = self.run_program("read", *words)
        return list(csv.reader(io.StringIO(text.decode(), newline=""), strict=True))
