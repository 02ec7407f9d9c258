"""Columns of every type as columns of text."""

import base64
import datetime
import decimal
import json

import pyarrow as pa
import pyarrow.compute as pc


def has_text(kind):
    """True if values of this type have a text: all but bytes and what contains them."""
    if isinstance(kind, pa.BaseExtensionType):
        return has_text(kind.storage_type)
    return not is_bytes(kind) and all(has_text(inner) for inner in _inner(kind))


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
        return pc.replace_substring(column.cast(pa.string()), " ", "T", max_replacements=1)
    if list(_inner(kind)) or pa.types.is_duration(kind) or pa.types.is_interval(kind):
        return pa.array([None if value is None else _json(value) for value in column.to_pylist()], pa.string())
    if pa.types.is_float16(kind):
        column = column.cast(pa.float32())
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


def _json(value):
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def _plain(value):
    """The value with what JSON has no type for as text; a map is an object."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
            return {str(key): _plain(inner) for key, inner in value}
        return [_plain(inner) for inner in value]
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, decimal.Decimal) or not isinstance(value, (str, int, float, bool, type(None))):
        return str(value)
    return value
