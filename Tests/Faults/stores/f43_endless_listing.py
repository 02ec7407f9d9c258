"""F43: listings that come back to where they began.

A store ignores `start-after` and the continuation token, or repeats its last page for ever: there is always one more page. The run
must end and ask for few pages. The control is a store that does neither.
"""
from frame import Job, png
from servers.store import Store, listing

TITLE = "listings that come back to where they began"
TRIES, CI_TRIES = 1, 1
MOST_REQUESTS = 200


def again(request, token):
    if request.command == "GET" and "list-type" in request.query:
        query = {key: value for key, value in request.query.items() if key != "start-after"}
        request.send(200, listing(request.key, request.server.objects, query, truncated=True, token=token(request)))
        return True
    return False


CASES = {
    "the same token": lambda r: again(r, lambda r: "same"),
    "new tokens": lambda r: again(r, lambda r: f"t{len(r.server.requests)}"),
    "no token": lambda r: again(r, lambda r: ""),
}


def run(trial):
    wrong, most = [], 0

    def attempt(name, lie):
        store = Store(lie)
        store.objects.update({f"shop/{number}.png": png(number) for number in range(3)})
        job = Job(trial.folder(name.replace(" ", "-")), [], sources=[{"objects": "s3://shop/"}])
        outcome = job.run(environment=store.environment, limit=120)
        store.shutdown()
        return outcome, len(store.requests)

    for name, lie in CASES.items():
        outcome, requests = attempt(name, lie)
        most = max(most, requests)
        if outcome.exit not in (1, 2, 4) or requests > MOST_REQUESTS:
            wrong.append(name)
            trial.say(f"{name}: exit {outcome.exit}, {requests} requests, {outcome.errors[-300:]}")
    control, _ = attempt("control", lambda request: False)
    trial.row(tries=f"{len(CASES)} listings without an end", expected=f"an exit of its own, ≤ {MOST_REQUESTS} requests",
              seen=f"{len(wrong)} wrong, ≤ {most} requests", good=not wrong,
              control=f"a listing that ends: exit {control.exit}", caught=control.exit == 0)
