"""The error that ends `start` with a sentence."""


class StoreError(Exception):
    """A server that could not be installed or started; the message says what to read."""
