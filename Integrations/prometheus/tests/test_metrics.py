"""The file of metrics, the alert rules and the dashboard, with what real runs of twelve nights wrote."""
import json
import pathlib
import subprocess
import tempfile
import unittest

from prometheus_client.parser import text_string_to_metric_families as older_families

from . import series
from .nights import DAY, HOUR, PROGRAM, START, Nights
from .prometheus import exported, prometheus, promtool, query_range, rules

HERE = pathlib.Path(__file__).resolve().parents[1]
RULES = HERE / "nuke-batch.rules.yml"
DASHBOARD = HERE.parent / "grafana/nuke-batch.json"
# Labels that a query or a scrape adds.
ADDED = {"alertname", "alertstate", "instance", "severity"}

# The alerts that fire at a time since the first night: exactly these.
STILL_FAILING = {"NukeBatchNotCompleted", "NukeBatchNoSuccess", "NukeBatchLocalTrouble"}
EXPECTED = [
    (1 * DAY + 12 * HOUR, set()),
    (2 * DAY + 12 * HOUR, {"NukeBatchFailures", "NukeBatchFailedItems"}),
    (3 * DAY + 12 * HOUR, set()),
    (4 * DAY + 12 * HOUR, {"NukeBatchHostDown", "NukeBatchFailures", "NukeBatchFailedItems"}),
    (5 * DAY + 12 * HOUR, set()),
    (6 * DAY + 12 * HOUR, {"NukeBatchNotStarted", "NukeBatchNotCompleted"}),
    (8 * DAY + 1 * HOUR, {"NukeBatchNotCompleted", "NukeBatchLocalTrouble"}),
    (9 * DAY + 2 * HOUR, STILL_FAILING | {"NukeBatchKilled", "NukeBatchQueueNotShrinking"}),
    (10 * DAY + 4 * HOUR, STILL_FAILING | {"NukeBatchNothingDone", "NukeBatchQueueNotShrinking"}),
    (11 * DAY + 0.5 * HOUR, STILL_FAILING | {"NukeBatchNothingDone", "NukeBatchQueueNotShrinking", "NukeBatchRunTooLong"}),
    (11 * DAY + 12 * HOUR, set()),
]


def expressions():
    """(place, expression) of every rule and every panel."""
    with tempfile.TemporaryDirectory() as folder, prometheus(folder, "# EOF\n", RULES) as address:
        for rule in rules(address):
            yield "rule " + rule["name"], rule["query"]
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel["targets"]:
            yield "panel " + panel["title"], target["expr"]


def promtool_test(lines, expected):
    """A test for promtool: at each time, exactly these alerts fire."""
    checks = []
    for seconds, alerts in expected:
        samples = [{"labels": f'{{alertname="{alert}"}}', "value": 1} for alert in sorted(alerts)]
        checks.append({"expr": 'group by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{int(seconds / 60)}m",
                       "exp_samples": samples})
    inputs = [{"series": series.notation(key), "values": series.promtool_values(key, line, START)} for key, line in lines.items()]
    return json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "5m",
                       "tests": [{"interval": "5m", "input_series": inputs, "promql_expr_test": checks}]})


def older_values(text):
    """The job's samples in a text of the older format; node_exporter writes bounds in another form."""
    def key(sample):
        labels = ((label, float(value) if label == "le" else value) for label, value in sample.labels.items())
        return sample.name, tuple(sorted(labels))

    samples = (sample for family in older_families(text) for sample in family.samples)
    return {key(sample): sample.value for sample in samples if sample.name.startswith("nuke_batch_")}


class MetricsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="nuke-batch-nights-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.nights = Nights(cls.temporary.name).all()
        cls.lines = series.grid(cls.nights.collected, 12 * DAY)

    def samples(self):
        """The labels of all samples that the nights wrote, by name."""
        found = {}
        for name, labels in self.lines:
            found.setdefault(name, set()).update(label for label, _ in labels)
        return found

    def test_nights(self):
        """The nights went as they were meant to: their exit codes."""
        waiting = [v for (name, labels), line in self.lines.items() for v in line if ("queue", "host") in labels and v]
        self.assertTrue(waiting, "no request waited for the turn of its host in the night that stands still")
        self.assertEqual(self.nights.exits, [0, 0, 1, 0, 143, 1, 0, 4, 9, 143, 0])

    def test_parsers(self):
        """OpenMetrics' parser takes every text, promtool the older format, and node_exporter both, with the same samples."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "job.prom"
            for form in ("openmetrics", "prometheus"):
                words = [PROGRAM, "run", "job.json", "--offline", "--metrics", str(file), "--metrics-format", form]
                subprocess.run(words, cwd=self.nights.folder, check=False, capture_output=True)
                text = file.read_text()
                written = older_values(text)
                shown = exported(folder)
                self.assertIn("node_textfile_scrape_error 0", shown)
                self.assertGreater(len(written), 80)
                self.assertEqual(written, older_values(shown), form)
                if form == "openmetrics":
                    self.assertEqual(len(series.values(text)), len(written))
                else:
                    self.assertEqual(promtool("check", "metrics", text=text), (0, ""))
                    self.assertIn("# TYPE nuke_batch_requests_total counter", shown)
            # The controls: a file with a sample twice, and one without the first line of help, are refused.
            sample = next(line for line in text.splitlines() if not line.startswith("#"))
            file.write_text(text + sample + "\n")
            self.assertIn("node_textfile_scrape_error 1", exported(folder))
            self.assertNotEqual(promtool("check", "metrics", text=text.split("\n", 1)[1])[0], 0)

    def test_counters_grow(self):
        """From the first night to the last, no counter and no bucket shrinks, over runs, kills and stops."""
        counters = {key: [v for v in line if v is not None] for key, line in self.lines.items()
                    if key[0].endswith(("_total", "_bucket", "_count", "_sum"))}
        self.assertGreater(len(counters), 40)
        for key, line in counters.items():
            self.assertEqual(line, sorted(line), key)

    def test_names(self):
        """Every metric and label that a rule or a panel uses is in what real runs wrote."""
        samples = self.samples()
        used = 0
        for place, expression in expressions():
            for name, labels in series.names(expression):
                used += 1
                self.assertIn(name, samples, place)
                self.assertEqual(labels - samples[name], set(), f"{place}: {name}")
            known = set().union(*samples.values()) | ADDED | {"partition"}
            self.assertEqual(series.groupings(expression) - known, set(), place)
        self.assertGreater(used, 40)

    def test_alerts(self):
        """The alerts of twelve nights, by promtool: each fires in its night, and in no other."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "nights.yml"
            file.write_text(promtool_test(self.lines, EXPECTED))
            code, said = promtool("test", "rules", str(file))
            self.assertEqual(code, 0, said)
            # The control: in nights like the first two, those alerts do not fire.
            healthy = series.grid(self.nights.collected[:2], 12 * DAY)
            file.write_text(promtool_test(healthy, EXPECTED[1:2]))
            self.assertNotEqual(promtool("test", "rules", str(file))[0], 0)
        fired = set().union(*(alerts for _, alerts in EXPECTED))
        # No night of these has a wrong manifest, and the first one went through.
        self.assertEqual(len(fired), 11)

    def test_dashboard(self):
        """Every query of the dashboard, asked as Grafana asks, has an answer from the nights."""
        with tempfile.TemporaryDirectory() as folder:
            with prometheus(folder, series.open_metrics(self.lines, START)) as address:
                for panel in json.loads(DASHBOARD.read_text())["panels"]:
                    for target in panel["targets"]:
                        expression = target["expr"].replace("$manifest", ".*").replace("$__rate_interval", "30m")
                        self.assertNotIn("$", expression)
                        found = query_range(address, expression, START, START + 12 * DAY, 1800)
                        self.assertTrue(any(float(v) == float(v) for line in found for _, v in line["values"]), panel["title"])


if __name__ == "__main__":
    unittest.main()
