"""Manifests and lists that are wrong, huge, or made to be expensive."""
import gzip, os, pathlib

SOURCE = '"sources": [{"urls": ["http://93.184.216.10/a.png"]}]'
OUTPUTS = '"outputs": [{"format": "jpeg"}]'


def with_(text):
    return "{%s, %s, %s}" % (SOURCE, OUTPUTS, text)


def header(value):
    return '{"sources": [{"urls": [{"url": "http://93.184.216.10/", "headers": {"X-A": "%s"}}]}], %s}' % (value, OUTPUTS)


def url(text):
    return '{"sources": [{"urls": ["%s"]}], %s}' % (text, OUTPUTS)


def path(text):
    return '{%s, "outputs": [{"format": "jpeg", "path": "%s"}]}' % (SOURCE, text)


TEXTS = {  # refused with exit 2
    "empty": "",
    "blank": " \n\t ",
    "not JSON": "sources: [",
    "null": "null",
    "an array": "[]",
    "a number": "5",
    "a string": '"x"',
    "cut": with_('"name": "x"')[:-1],
    "two documents": with_('"name": "x"') * 2,
    "a lone quote": '{"',
    "NUL": "{\0}",
    "NUL in a key": '{"sou\0rces": []}',
    "no sources": "{}",
    "sources of another type": '{"sources": 5}',
    "an empty source": '{"sources": [{}]}',
    "two kinds in one source": '{"sources": [{"urls": [], "list": "x.txt"}]}',
    "an unknown key": with_('"outptus": []'),
    "an unknown key in a source": '{"sources": [{"urls": [], "uurls": []}]}',
    "a duplicate key": with_('"name": "a", "name": "b"'),
    "a duplicate key by escape": with_('"name": "a", "n\\u0061me": "b"'),
    "sources twice": "{%s, %s}" % (SOURCE, SOURCE),
    "a version of the future": with_('"version": 2'),
    "a version that is a word": with_('"version": "1"'),
    "a number beyond doubles": with_('"limits": {"processing": 1e999}'),
    "a number of 10,000 digits": with_('"version": ' + "9" * 10000),
    "a negative number": with_('"limits": {"processing": -1}'),
    "a fraction": with_('"limits": {"processing": 1.5}'),
    "NaN": with_('"limits": {"processing": NaN}'),
    "a leading zero": with_('"version": 01'),
    "a duration without unit": with_('"loading": {"timeout": "5"}'),
    "a negative duration": with_('"loading": {"timeout": "-5s"}'),
    "a duration beyond time": with_('"loading": {"timeout": "99999999999999999999d"}'),
    "a size beyond memory": with_('"limits": {"memory": "99999999999999999999GB"}'),
    "a rate of nothing": with_('"loading": {"rate": "0/s"}'),
    "a rate that is none": with_('"loading": {"rate": "fast"}'),
    "an unset variable": with_('"loading": {"headers": {"X": "${NOT_SET_HERE}"}}'),
    "an open variable": with_('"loading": {"headers": {"X": "${OPEN"}}'),
    "CR LF in a header": header("a\\r\\nX-Evil: b"),
    "LF in a header": header("a\\nb"),
    "NUL in a header": header("a\\u0000b"),
    "CR LF in a header's name": '{"sources": [{"urls": [{"url": "http://a/", "headers": {"X\\r\\nY": "b"}}]}], %s}' % OUTPUTS,
    "a colon in a header's name": with_('"loading": {"headers": {"X: y": "b"}}'),
    "a bad colour": with_('"processors": [{"pad": {"width": 5, "height": 5, "background": "#12"}}]'),
    "an unknown processor": with_('"processors": [{"explode": {}}]'),
    "two processors in one": with_('"processors": [{"rotate": {"degrees": 90}, "trim": {}}]'),
    "a width of 0": with_('"processors": [{"resize": {"width": 0}}]'),
    "a width of 2^40": with_('"processors": [{"resize": {"width": 1099511627776}}]'),
    "45 degrees": with_('"processors": [{"rotate": {"degrees": 45}}]'),
    "an unknown format": '{%s, "outputs": [{"format": "exe"}]}' % SOURCE,
    "a quality of 101": '{%s, "outputs": [{"format": {"jpeg": {"quality": 101}}}]}' % SOURCE,
    "outputs of one name": '{%s, "outputs": [{"name": "a", "format": "jpeg"}, {"name": "a", "format": "png"}]}' % SOURCE,
    "a path that leaves": path("../{index}.{ext}"),
    "a path from the root": path("/tmp/{index}.{ext}"),
    "a path with an unknown variable": path("{nothing}.{ext}"),
    "an open variable in a path": path("{index"),
    "an empty path": path(""),
    "an address range that is none": with_('"network": {"allow": ["10.0.0.0/99"]}'),
    "a lone surrogate": with_('"name": "\\ud800"'),
    "a bad escape": with_('"name": "\\x41"'),
    "a control character": with_('"name": "a\nb"'),
    "a missing list": '{"sources": [{"list": "none.csv"}], %s}' % OUTPUTS,
    "a list that is a folder": '{"sources": [{"list": "."}], %s}' % OUTPUTS,
    "depth 100,000": "[" * 100_000,
    "depth 100,000, closed": "[" * 100_000 + "]" * 100_000,
    "depth 100,000 of objects": '{"a":' * 100_000,
    "depth in a known key": with_('"processors": ' + "[" * 50_000 + "]" * 50_000),
    "comments that do not end": with_('/* "name": "x"'),
}
BYTES = {
    "bad UTF-8": with_('"name": "').encode()[:-1] + b'\xff\xfe"}',
    "overlong UTF-8": with_('"name": "@"').encode().replace(b"@", b"\xc0\xaf"),
    "UTF-16": with_('"name": "x"').encode("utf-16"),
    "random bytes": bytes(range(256)) * 40,
    "gzip": gzip.compress(with_('"name": "x"').encode()),
}


def yaml_(text):
    return "sources: [{urls: [http://93.184.216.10/a.png]}]\n" + text


YAMLS = {  # refused with exit 2; the texts are written as job.yaml
    "empty": b"",
    "comments alone": b"# x\n",
    "an anchor": yaml_("name: &a x\n").encode(),
    "an alias": yaml_("name: *a\n").encode(),
    "a tag": yaml_("name: !!str x\n").encode(),
    "a tag of Python": yaml_("name: !!python/object/apply:os.system [id]\n").encode(),
    "a merge key": yaml_("<<: {name: x}\n").encode(),
    "a key that is a list": yaml_("? [name]\n: x\n").encode(),
    "an empty key": yaml_("? \n: x\n").encode(),
    "two documents": yaml_("---\nname: x\n").encode(),
    "a directive": b"%YAML 1.1\n---\n" + yaml_("name: x\n").encode(),
    "an octal number": yaml_("limits: {memory: 0777}\n").encode(),
    "minutes and seconds": yaml_("limits: {memory: 10:30}\n").encode(),
    "a boolean of YAML 1.1": yaml_("cache: {staleIfError: yes}\n").encode(),
    "a duplicate key": yaml_("name: a\n\"name\": b\n").encode(),
    "an unknown key": yaml_("outptus: []\n").encode(),
    "an open quote": yaml_('name: "x\n').encode(),
    "an open bracket": yaml_("outputs: [{format: jpeg}\n").encode(),
    "a tab": yaml_("outputs:\n\t- format: jpeg\n").encode(),
    "a lone surrogate": yaml_('name: "\\ud800"\n').encode(),
    "NUL": yaml_("name: \0\n").encode(),
    "NUL by escape": yaml_('name: "\\0"\n').encode(),
    "bad UTF-8": yaml_("name: x").encode() + b"\xff\n",
    "UTF-16": yaml_("name: x\n").encode("utf-16"),
    "depth 100,000": b"[" * 100_000,
    "depth 100,000 of objects": b"{a: " * 100_000,
    "depth 100,000 of blocks": b"- " * 100_000,
    "depth 100,000 of keys": b"? " * 100_000,
}


def aliases():
    """YAML aliases that would be a billion values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{number}: &a{number} [" + ", ".join([f"*a{number - 1}"] * 10) + "]" for number in range(1, 10)]
    return "\n".join(lines) + "\nsources: *a9\n"


def large(folder):
    """Files that are written piece by piece: the names of the cases and of the files."""
    def write(name, before, piece, count, after):
        with open(folder / name, "wb") as file:
            file.write(before)
            for _ in range(count):
                file.write(piece)
            file.write(after)
        return name

    start = with_('"name": "').encode()[:-1]
    yield "1 GB of blanks", write("blanks.json", b"{", b" " * (1 << 20), 1000, b"}")
    yield "1 GB of zeros", sparse(folder / "zeros.json", 10 ** 9)
    yield "1 GB in a string", write("string.json", start, b"x" * (1 << 20), 1000, b'"}')
    yield "1 GB of a comment", write("comment.json", b"{/*", b"x" * (1 << 20), 1000, b"*/}")
    yield "100,000 unknown keys", write(
        "keys.json", with_('"x": 1').encode()[:-1], b"", 0, b"".join(b',"k%d":1' % n for n in range(100_000)) + b"}")
    yield "100,000 duplicates of a key", write("same.json", with_('"x": 1').encode()[:-1], b',"name":"a"', 100_000, b"}")
    yield "a billion aliases", write("aliases.yaml", aliases().encode(), b"", 0, b"")
    yield "1 GB of a comment in YAML", write("comment.yaml", b"#", b"x" * (1 << 20), 1000, b"\n")
    yield "60 MB of directives", write("directives.yaml", b"", b"", 0,
                                       b"".join(b"%%TAG !a%d! b\n" % n for n in range(3_500_000)))
    yield "60 MB of further documents", write("documents.yaml", yaml_("").encode(), b"---\n", 15_000_000, b"")
    yield "60 MB of indentation", write("indented.yaml", yaml_("outputs:\n").encode(), b" " * 1_000_000, 60, b"[")


def sparse(path: pathlib.Path, size):
    path.touch()
    os.truncate(path, size)
    return path.name
