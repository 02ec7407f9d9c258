"""Errors with an exit code each, which nuke-batch tells apart."""


class Failure(Exception):
    """An error of one file, told in one line on standard error."""

    exit_code = 1

    def __init__(self, message, path=None):
        super().__init__(message)
        self.path = path

    def __str__(self):
        message = super().__str__().replace("\n", " ")
        return "%s: %s" % (self.path, message) if self.path else message


class MissingColumn(Failure):
    """A column that was asked for is not in the file, or twice."""

    exit_code = 3


class DamagedFile(Failure):
    """The file is no Parquet, is truncated, or has damaged pages."""

    exit_code = 4


class UnreadableFile(Failure):
    """The file cannot be opened or read."""

    exit_code = 5


class OutOfMemory(Failure):
    """The file needs more memory than this process may use."""

    exit_code = 6


class WrongRows(Failure):
    """The rows on standard input do not fit the columns."""

    exit_code = 7


class UnwritableFile(Failure):
    """The result cannot be written."""

    exit_code = 8
