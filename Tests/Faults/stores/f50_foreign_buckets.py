"""F50: rows, endpoints and links that lead to places the manifest does not name.

A list has rows in a bucket that the manifest names nowhere, in `..`, and in one that is an address; `storage.s3.endpoint` leads to the
services of the machine; `.nuke-batch-writing` is a link. No request with a signature may leave for them, and nothing be written through the
link. The control is a bucket that the manifest names.
"""
from frame import Job, Origin, png
from servers.store import Store

TITLE = "rows, endpoints and links that lead where the manifest does not"
TRIES, CI_TRIES = 1, 1
ROWS = ["s3://company-private/1.png", "s3://../1.png", "s3://169.254.169.254/1.png", "s3://shop.evil/1.png", "s3://SHOP/1.png"]
ENDPOINTS = ["http://169.254.169.254", "http://168.63.129.16", "http://[fe80::1]", "http://[fd00:ec2::254]",
             "http://2852039166", "http://0xa9fea9fe"]


def run(trial):
    wrong = []

    def attempt(name, urls, **keys):
        store = Store()
        store.objects.update({"shop/1.png": png(1), "company-private/1.png": png(2)})
        job = Job(trial.folder(name), urls, retry={"attempts": 1}, **keys)
        outcome = job.run(environment=store.environment, limit=120)
        store.shutdown()
        return outcome, store.requests, job

    for number, row in enumerate(ROWS):
        outcome, requests, job = attempt(f"row-{number}", [row])
        if requests or outcome.exit not in (1, 2):
            wrong.append(row)
            trial.say(f"{row}: exit {outcome.exit}, {requests}")
    for number, endpoint in enumerate(ENDPOINTS):
        outcome, requests, _ = attempt(f"endpoint-{number}", [], sources=[{"urls": ["s3://shop/1.png"]}],
                                       storage={"s3": {"endpoint": endpoint}})
        if outcome.exit == 0 or "may not" not in outcome.output + outcome.errors and "address" not in outcome.output + outcome.errors:
            wrong.append(endpoint)
            trial.say(f"{endpoint}: exit {outcome.exit}, {outcome.output}{outcome.errors}")
    origin = Origin()
    victim = trial.folder("victim")
    job = Job(trial.folder("link"), [f"{origin.url}/1.png"])
    job.run()
    (job.folder / "out/.nuke-batch-writing").symlink_to(victim)
    job.manifest["outputs"][0]["processors"] = [{"resize": {"width": 30}}]
    job.write()
    outcome = job.run()
    if list(victim.iterdir()) or outcome.exit not in (0, 4) or any(item["state"] == "failed" for item in job.items()):
        wrong.append(".nuke-batch-writing")
        trial.say(f"link: exit {outcome.exit}, {list(victim.iterdir())}, {outcome.errors}")
    control, requests, _ = attempt("control", ["s3://shop/1.png"], storage={"s3": {"buckets": ["shop"]}})
    trial.row(tries=f"{len(ROWS)} rows, {len(ENDPOINTS)} endpoints, a link", expected="0 requests, nothing written, no item lost",
              seen=f"{len(wrong)} wrong {wrong or ''}".strip(), good=not wrong,
              control=f"a bucket that is named: exit {control.exit}, {len(requests)} requests",
              caught=control.exit == 0 and len(requests) > 0)
