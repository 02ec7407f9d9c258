"""Time series of collected metrics, for promtool and Prometheus, and the selectors of expressions."""
import re

from prometheus_client.openmetrics.parser import text_string_to_metric_families

STEP = 300
# Times since 1970: promtool's begin with the first night instead.
TIMES = re.compile(r"_timestamp_seconds$")


def values(text):
    """{(name, ((label, value), ...)): value} of an OpenMetrics text."""
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(text) for sample in family.samples}


def is_active(samples):
    return any(value == 1 for (name, _), value in samples.items() if name == "nuke_batch_run_active")


def grid(collected, end):
    """A list of values by series, each for a step; None where a series is not there.

    Between two texts, node_exporter shows the first. A run that is still active in the second has written many more between
    them: the times that it writes go on evenly.
    """
    points = [(seconds, values(text)) for seconds, text in collected]
    result = {key: [] for _, samples in points for key in samples}
    current = -1
    for step in range(int(end / STEP) + 1):
        now = step * STEP
        while current + 1 < len(points) and points[current + 1][0] <= now:
            current += 1
        samples = points[current][1] if current >= 0 else {}
        following = points[current + 1] if 0 <= current < len(points) - 1 else None
        goes_on = following and is_active(samples) and is_active(following[1]) and start(samples) == start(following[1])
        for key, line in result.items():
            value = samples.get(key)
            if goes_on and key[0] in ("nuke_batch_written_timestamp_seconds", "nuke_batch_run_duration_seconds"):
                value += now - points[current][0]
            line.append(value)
    return result


def start(samples):
    return next(v for (name, _), v in samples.items() if name == "nuke_batch_last_run_start_timestamp_seconds")


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def notation(key):
    name, labels = key
    return name + "{" + ",".join(f"{label}={quoted(value)}" for label, value in labels) + "}"


def promtool_values(key, line, origin):
    """The values of a series in promtool's notation, with its runs of equal values."""
    parts, index = [], 0
    while index < len(line):
        end = index
        while end < len(line) and line[end] == line[index]:
            end += 1
        count = end - index
        if line[index] is None:
            parts.append(f"_x{count}")
        else:
            value = line[index] - (origin if TIMES.search(key[0]) else 0)
            # (without an exponent; "a+0xN" is N + 1 values)
            parts.append(f"{value:.6f}" if count == 1 else f"{value:.6f}+0x{count - 1}")
        index = end
    return " ".join(parts)


def open_metrics(lines, origin):
    """The series with the time of each sample, for `promtool tsdb create-blocks-from openmetrics`."""
    text = []
    for key, line in sorted(lines.items()):
        for step, value in enumerate(line):
            if value is not None:
                text.append(f"{notation(key)} {value} {origin + step * STEP}\n")
    return "".join(text) + "# EOF\n"


SELECTOR = re.compile(r"\b(nuke_batch_\w+)(?:\{((?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*)\})?")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")


def names(expression):
    """The (metric, labels) of each selector of an expression."""
    unquoted = ((name, re.sub(r"\"(?:[^\"\\]|\\.)*\"", '""', labels)) for name, labels in SELECTOR.findall(expression))
    return [(name, set(LABEL.findall(labels))) for name, labels in unquoted]


def groupings(expression):
    """The labels by which an expression groups."""
    return {label.strip() for group in GROUPING.findall(expression) for label in group.split(",") if label.strip()}
