"""F31: control characters from servers and lists on the terminal and in reports; secrets in what is written.

A server puts escape sequences into its reason, its headers, its Location and its types; a list has them in ids and columns.
All commands run in a terminal (pty) and into pipes: no byte of those sequences may come out, but in what other programs read.
The values of headers, of ${NAME} and echoes of them may be in no file that a run writes; the queries of URLs in none but the
state, and never on the terminal. The controls are what the server sent, and what it was sent. Everything that was found is in .build/faults/F31.txt.
"""
import os, pty, select, subprocess, time

from frame import png, program_under_test
from servers import job, namespace
from servers.server import HTTPServer, response

TITLE = "control characters on the terminal and in logs, secrets in files"
TRIES = 1
NEEDS = ["namespaces", "ip"]
HOST = namespace.public(10)
MARKS = [
    b"\x1b]0;FAULT", b"\x1b[31mFAULT", b"\x07FAULT", b"\x08FAULT", b"\rFAULT", b"\xc2\x9bFAULT", b"\xc2\x9dFAULT", b"\x9bFAULT",
    b"\x00FAULT", b"\x1bPFAULT", b"\x7fFAULT",
]
TEXTS = [mark.decode("utf-8", "surrogateescape") for mark in MARKS if mark != b"\x9bFAULT"]
SECRETS = {"HEADER": "fault-header-4711", "BEARER": "fault-bearer-4712", "ROW": "fault-row-4713", "INURL": "fault-inurl-4714"}
QUERY, LOGIN = "fault-query-4715", "fault-login-4716"
KINDS = ["reason", "header", "location", "type"]
COMMANDS = [["run", "--verbose"], ["run", "--json"], ["items"], ["items", "--json"], ["items", "--csv"], ["status"], ["log"],
            ["log", "--har", "net.har"], ["plan", "--items"], ["export"], ["report", "-o", "report.html"], ["verify"], ["doctor"],
            ["explain", f"http://{HOST}/reason/0"], ["explain", f"http://{HOST}/echo"], ["run", "--metrics", "metrics.prom"]]


def run(trial):
    namespace.answer()
    server = HTTPServer(answer)
    made = job(
        trial, "job", [], name="hostile " + TEXTS[0],
        sources=[{"urls": urls()}, {"list": "list.csv", "columns": {"url": "url", "id": "id"}}],
        outputs=[{"format": "png", "path": "{index}.{ext}"}], retry={"attempts": 1},
        loading={"headers": {"X-Api-Key": "${HEADER}"}, "auth": {"bearer": "${BEARER}"}})
    rows = "".join(f'http://{HOST}/list/{number},"id {text}","{text}"\n' for number, text in enumerate(TEXTS) if "\0" not in text)
    (made.folder / "list.csv").write_bytes(b"url,id,colour\n" + rows.encode("utf-8", "surrogateescape"))
    printed = {}
    for words in COMMANDS:
        for place, show in [("terminal", in_terminal), ("pipe", in_pipe)]:
            printed[f"{' '.join(words)} ({place})"] = show(made, words)
    # What another program reads holds texts as they are.
    marks = [f"{name}: {mark!r}" for name, data in printed.items() for mark in MARKS if mark in data
             and not (is_machine(name) and "pipe" in name)]
    files = {str(path.relative_to(made.folder)): path.read_bytes() for path in sorted(made.folder.rglob("*")) if path.is_file()
             and path.name not in ("job.json", "list.csv") and "out" not in path.parts}
    marks += [f"{name}: {mark!r}" for name in ("report.html", "metrics.prom") for mark in MARKS if mark in files.get(name, b"")]
    found = secrets(printed, files)
    (trial.work.parent / "F31.txt").write_text("\n".join(marks + found) + "\n")
    texts = [text.encode("latin-1") for request in server.requests for text in reply_texts(request)]
    sent = sum(any(mark in text for mark in MARKS) for text in texts)
    trial.row(
        case="control characters", tries=f"{len(printed)} outputs of commands, {len(MARKS)} sequences", expected="0",
        seen=f"{len(marks)}" + "".join(f"; {line}" for line in marks[:6]), good=not marks,
        control=f"what the server sent: {sent}", caught=sent > 0)
    held = [request for request in server.requests if SECRETS["BEARER"] in str(request.headers)]
    trial.row(
        case="secrets", tries=f"{len(printed)} outputs of commands, {len(files)} files", expected="0",
        seen=f"{len(found)}" + "".join(f"; {line}" for line in found[:8]), good=not found,
        control=f"what the server was sent: {len(held)}", caught=len(held) > 0)


def secrets(printed, files):
    found = []
    for name, value in [*SECRETS.items(), ("echo of a login", LOGIN), ("query", QUERY)]:
        for place, data in printed.items():
            # The machine-readable forms hold URLs as they were given.
            if value.encode() in data and not (name in ("query", "echo of a login") and is_machine(place)):
                found.append(f"{name} in {place}")
        for path, data in files.items():
            if value.encode() in data and not (name in ("query", "echo of a login") and ".sqlite" in path):
                found.append(f"{name} in {path}")
    return found


def is_machine(place):
    return any(word in place for word in ("--json", "--csv", "export"))


def urls():
    hostile = [{"url": f"http://{HOST}/{kind}/{number}", "id": f"{kind} {number} {text}" if "\0" not in text else kind}
               for kind in KINDS for number, text in enumerate(TEXTS)]
    secret = [
        {"url": f"http://{HOST}/echo", "headers": {"X-Row": "${ROW}"}}, f"http://{HOST}/moved",
        f"http://{HOST}/query?token={QUERY}", f"http://{HOST}/missing?token={QUERY}", f"http://user:{LOGIN}@{HOST}/login",
        f"http://{HOST}/${{INURL}}/a.png", f"http://{HOST}/gone/${{INURL}}",
    ]
    return hostile + secret


def reply_texts(request):
    words = request.path.strip("/").split("/")
    if len(words) == 2 and words[1].isdigit() and words[0] in KINDS:
        return [TEXTS[int(words[1])].encode("utf-8", "surrogateescape").decode("latin-1")]
    return []


def answer(request, connection):
    words = request.path.split("?")[0].strip("/").split("/")
    text = "".join(reply_texts(request))
    match words:
        case ["reason", _]:
            return f"HTTP/1.1 404 {text}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode("latin-1")
        case ["header", _]:
            return response(b"", "500 No", Content_Type=text, ETag=f'"{text}"', Server=text, X_Robots_Tag=text)
        case ["location", _]:
            return response(b"", "302 Found", Location=f"http://{HOST}/{text}" if int(words[1]) % 2 else f"{text}://x")
        case ["type", _]:
            return response(f"<html>{text}".encode("latin-1"), Content_Type=f"text/{text}")
        case ["echo"]:
            everything = "; ".join(request.headers.values())
            return response(png(1), X_Echo=everything, Set_Cookie=f"a={everything}", Server=everything, ETag='"1"')
        case ["moved"]:
            return response(
                b"", "302 Found", Location=f"/landed?key={request.headers.get('authorization', '')}".replace(" ", "%20"))
        case ["missing"] | ["gone", _]:
            return response(b"", "404 Not Found")
        case _:
            return response(png(1))


def in_pipe(made, words):
    done = subprocess.run(
        [program_under_test(), words[0], "job.json", *words[1:]], cwd=made.folder, env=environment(), capture_output=True,
        stdin=subprocess.DEVNULL, timeout=120)
    return done.stdout + done.stderr


def in_terminal(made, words):
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [program_under_test(), words[0], "job.json", *words[1:]], cwd=made.folder, env=environment(), stdin=theirs, stdout=theirs,
        stderr=theirs, start_new_session=True)
    os.close(theirs)
    data, end = b"", time.monotonic() + 120
    while time.monotonic() < end:
        ready, _, _ = select.select([ours], [], [], 1)
        if not ready:
            continue
        try:
            more = os.read(ours, 65536)
        except OSError:
            break
        if not more:
            break
        data += more
    process.kill()
    process.wait()
    os.close(ours)
    return data


def environment():
    return {**os.environ, **SECRETS, "TERM": "xterm-256color"}
