"""Servers that misbehave, on invented addresses: HTTP/1.1, HTTP/2, TLS and DNS; and the jobs that ask them."""
from frame import Job

OUTPUTS = [{"format": "png", "path": "{index}.{ext}"}]


def job(trial, name, urls, /, **keys):
    """A job that may reach public addresses only and makes one output of each item."""
    return Job(trial.folder(name), urls, **{"outputs": OUTPUTS, "network": {}, **keys})
