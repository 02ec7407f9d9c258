"""Columns of every type as columns of text."""

import base64
import json
import struct

import pyarrow as pa
import pyarrow.compute as pc


def has_text(kind):
    """True if values of this type have a text: all but bytes and what contains them."""
    if isinstance(kind, pa.BaseExtensionType):
        return has_text(kind.storage_type)
    return not is_bytes(kind) and all(has_text(inner) for inner in _inner(kind))


def kind_of(kind):
    """How to read the texts of this type: `double`, which may be no number of JSON; `json`, or `text`."""
    if isinstance(kind, pa.BaseExtensionType):
        return kind_of(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return kind_of(kind.value_type)
    if pa.types.is_floating(kind):
        return "double"
    is_value = pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal(kind)
    return "json" if is_value or _is_json(kind) else "text"


def is_bytes(kind):
    """True for the types of bytes that need not be text."""
    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind) or \
        str(kind) == "binary_view"


def text(column):
    """Returns an array of text; nulls stay null.

    Times are written as in ISO 8601; lists, structs and maps are JSON. Bytes are taken for UTF-8, and the reader of the rows
    refuses those that are not.
    """
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column
    if isinstance(kind, pa.BaseExtensionType):
        return text(column.storage)
    if pa.types.is_dictionary(kind):
        return pc.take(text(column.dictionary), column.indices)
    if is_bytes(kind):
        if pa.types.is_fixed_size_binary(kind):
            column = column.cast(pa.binary())
        elif str(kind) == "binary_view":
            column = column.cast(pa.large_binary())
        return column.cast(pa.large_string() if pa.types.is_large_binary(column.type) else pa.string(), safe=False)
    if pa.types.is_null(kind):
        return pa.nulls(len(column), pa.string())
    if pa.types.is_timestamp(kind):
        # Only between a date and a time: a time that no calendar has is told in words.
        return pc.replace_substring_regex(column.cast(pa.string()), r"(\d) ", r"\1T", max_replacements=1)
    if _is_json(kind):
        return pa.array([None if null else value for value, null in zip(_json(column), column.is_null().to_pylist())], pa.string())
    if pa.types.is_float16(kind):
        column = _doubles(column)
    return column.cast(pa.string())


def _inner(kind):
    """The types that values of a nested type contain; none for others."""
    if pa.types.is_dictionary(kind):
        return [kind.value_type]
    if pa.types.is_map(kind):
        return [kind.key_type, kind.item_type]
    if pa.types.is_struct(kind):
        return [kind.field(index).type for index in range(kind.num_fields)]
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return [kind.value_type] if is_list or str(kind).startswith(("list_view", "large_list_view")) else []


def _is_json(kind):
    """True for the types whose text is JSON."""
    return bool(_inner(kind)) or pa.types.is_duration(kind) or pa.types.is_interval(kind)


def _json(column):
    """The JSON of each value. What JSON has no type for is text, a map is an object.

    By Arrow, column by column: Python has fewer times, an object keeps one of two equal keys only, and one of its numbers has
    more digits than that of 32 bits it was.
    """
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _json(column.storage)
    if pa.types.is_dictionary(kind):
        return _json(column.dictionary_decode())
    if pa.types.is_map(kind):
        ends = column.offsets.to_pylist()
        first, count = ends[0], ends[-1] - ends[0]
        keys = [_key(key) for key in _json(column.keys.slice(first, count))]
        members = ["%s:%s" % member for member in zip(keys, _json(column.items.slice(first, count)))]
        texts = ["{%s}" % ",".join(members[start - first:end - first]) for start, end in zip(ends, ends[1:])]
    elif pa.types.is_struct(kind):
        names = [_quoted(kind.field(index).name) for index in range(kind.num_fields)]
        fields = [["%s:%s" % (name, text) for text in _json(field)] for name, field in zip(names, column.flatten())]
        texts = ["{%s}" % ",".join(row) for row in zip(*fields)] if fields else ["{}"] * len(column)
    elif _inner(kind):
        elements, texts, end = _json(column.flatten()), [], 0
        for count in pc.list_value_length(column).to_pylist():
            start, end = end, end + (count or 0)
            texts.append("[%s]" % ",".join(elements[start:end]))
    else:
        return ["null" if value is None else value for value in _scalars(column)]
    return ["null" if null else text for text, null in zip(texts, column.is_null().to_pylist())]


def _scalars(column):
    """The JSON of each value of a type that contains no others; None for null, and for numbers that JSON has not."""
    kind = column.type
    if pa.types.is_floating(kind):
        column = _doubles(column) if pa.types.is_float16(kind) else column
        texts = pc.replace_substring_regex(column.cast(pa.string()), r"^(-?\d+)$", r"\1.0")
        return pc.if_else(pc.is_finite(column), texts, None).to_pylist()
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.string()).to_pylist()
    if pa.types.is_duration(kind):
        values = [None if value is None else _duration(value, kind.unit) for value in column.cast(pa.int64()).to_pylist()]
    elif pa.types.is_interval(kind):
        values = [None if value is None else str(value) for value in column.to_pylist()]
    elif is_bytes(kind):
        values = [None if value is None else base64.b64encode(value).decode() for value in column.to_pylist()]
    else:
        values = text(column).to_pylist()
    return [None if value is None else _quoted(value) for value in values]


def _doubles(column):
    """Numbers of 16 bits as those of 64 bits that have the fewest digits that tell them from others of 16."""
    values = column.cast(pa.float64()).to_pylist()
    return pa.array([None if value is None else _shortest(value) for value in values], pa.float64())


def _shortest(value):
    """The number with the fewest digits that 16 bits have as `value`; five digits are enough."""
    for digits in range(1, 5):
        short = float("%.*g" % (digits, value))
        try:
            if struct.pack("<e", short) == struct.pack("<e", value):
                return short
        except OverflowError:
            pass
    return float("%.5g" % value)


def _duration(value, unit):
    """A length of time as Python writes it: `1 day, 0:00:00.000003`."""
    digits = {"s": 0, "ms": 3, "us": 6, "ns": 9}[unit]
    seconds, fraction = divmod(value, 10 ** digits)
    days, seconds = divmod(seconds, 86_400)
    days = "%d day%s, " % (days, "" if abs(days) == 1 else "s") if days else ""
    # At least microseconds, and all digits.
    fraction = ".%s" % ("%0*d" % (digits, fraction)).ljust(6, "0") if fraction else ""
    fraction = fraction[:7] if fraction.endswith("000") else fraction
    return "%s%d:%02d:%02d%s" % (days, seconds // 3600, seconds // 60 % 60, seconds % 60, fraction)


def _key(json_text):
    """The key of an object for a key of a map, which need not be text."""
    return json_text if json_text.startswith('"') else _quoted(json_text)


def _quoted(text):
    return json.dumps(text, ensure_ascii=False)
