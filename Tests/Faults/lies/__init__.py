"""Tables of what servers do wrong, with the error that each must lead to.

A lie is one item of a job, at an address of its own. Where a specification leaves a choice, all that is right is named:
"truncated|reset". `attempts` is how often the item must have been tried of at most two; None for any.
"""
import typing

from servers.pictures import noise

PICTURE = noise(24, 24)
NOISE = noise(64, 64, seed=1)


class Lie(typing.NamedTuple):
    name: str
    expected: str
    answer: object  # bytes, or a function of a request and a connection
    attempts: int | None = None


def every():
    """All lies, in their order."""
    from . import bodies, chunking, contents, heads, lengths, redirects, statuses, timing
    tables = [bodies, lengths, chunking, heads, statuses, contents, redirects, timing]
    return [lie for table in tables for lie in table.LIES]
