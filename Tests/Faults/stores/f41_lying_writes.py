"""F41: object stores that answer a write as if it had been done.

A proxy, a login page or a broken store answers PUT with success of another kind than the documented one, and keeps nothing. No output
may be called made. The control is the documented answer, after which the object is there.
"""
from frame import Job, Origin
from servers.store import Store, tag

TITLE = "object stores that answer a write as if it had been done"
TRIES, CI_TRIES = 10, 3
PAGE = b"<html><body>Please log in</body></html>"
LIES = {
    "200 without an entity tag": lambda request: request.send(200, b""),
    "200 with a login page": lambda request: request.send(200, PAGE, Content_Type="text/html"),
    "200 with a page and a tag": lambda request: request.send(200, PAGE, ETag='"page"', Content_Type="text/html"),
    "201": lambda request: request.send(201, b"", ETag=tag(request.body)),
    "202": lambda request: request.send(202, b""),
    "204": lambda request: request.send(204, b"", ETag=tag(request.body)),
    "206": lambda request: request.send(206, b"", ETag=tag(request.body)),
    "304": lambda request: request.send(304, b"", ETag=tag(request.body)),
    "200 with an error's document": lambda request: request.send(200, b"<Error><Code>InternalError</Code></Error>"),
    "200 with an empty tag": lambda request: request.send(200, b"", ETag=""),
}


def run(trial):
    origin = Origin()
    believed, control = [], None
    chosen = trial.random.sample(sorted(LIES), min(trial.tries, len(LIES)))
    for name, lie in [*((name, LIES[name]) for name in chosen), ("the documented answer", None)]:
        def answer(request):
            if request.command == "PUT" and lie:
                lie(request)
                return True
            return False

        store = Store(answer)
        job = Job(trial.folder(name.replace(" ", "-")), [f"{origin.url}/1.png"], destination="s3://out", retry={"attempts": 1},
                  outputs=[{"format": "original", "path": "{stem}.{ext}"}])
        outcome = job.run(environment=store.environment, limit=180)
        done = [item for item in job.items() if item["state"] == "done"]
        store.shutdown()
        if lie is None:
            control = outcome.exit == 0 and bool(done) and bool(store.objects)
        elif outcome.exit == 0 or done:
            believed.append(name)
            trial.say(f"{name}: exit {outcome.exit}, {outcome.output[-200:]}")
    trial.row(tries=f"{len(chosen)} answers to PUT", expected="0 believed", seen=f"{len(believed)} believed {believed or ''}".strip(),
              good=not believed, control="the documented answer: done and there", caught=control)
