"""The questions that `dialects` asks. A question is a function that gets a `Store` and returns the text of a cell."""

TABLES = []


def table(title):
    """A decorator that adds a function to the table `title`, under the question's name."""
    rows = []
    TABLES.append((title, rows))

    def question(name):
        def add(function):
            rows.append((name, function))
            return function
        return add
    return question
