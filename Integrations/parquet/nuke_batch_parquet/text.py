"""Columns of every type as columns of text."""

import base64
import datetime
import decimal
import json
import math

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
        return pc.replace_substring(column.cast(pa.string()), " ", "T", max_replacements=1)
    if _is_json(kind):
        return pa.array([None if value is None else _json(value, kind) for value in column.to_pylist()], pa.string())
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


def _is_json(kind):
    """True for the types whose text is JSON."""
    return bool(_inner(kind)) or pa.types.is_duration(kind) or pa.types.is_interval(kind)


def _json(value, kind):
    return json.dumps(_plain(value, kind), ensure_ascii=False, separators=(",", ":"))


def _plain(value, kind):
    """The value of a type with what JSON has no type for as text; a map is an object."""
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(value, kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _plain(value, kind.value_type)
    if isinstance(value, dict):
        fields = [kind.field(index) for index in range(kind.num_fields)]
        return {field.name: _plain(value[field.name], field.type) for field in fields}
    if isinstance(value, list) and pa.types.is_map(kind):
        return {str(key): _plain(inner, kind.item_type) for key, inner in value}
    if isinstance(value, list):
        return [_plain(inner, kind.value_type) for inner in value]
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, decimal.Decimal) or not isinstance(value, (str, int, float, bool, type(None))):
        return str(value)
    return value
