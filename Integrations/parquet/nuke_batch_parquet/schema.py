"""The columns of a file to write, and the metadata that Hugging Face's `datasets` reads."""

import json

import pyarrow as pa

from .failures import WrongRows

# Large texts are for Arrow's memory only: the file has one type of text.
_TYPES = {
    "string": pa.string(), "int64": pa.int64(), "double": pa.float64(), "bool": pa.bool_(),
    "timestamp": pa.timestamp("ms", "UTC"), "image": pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
}
_FEATURES = {
    "string": {"dtype": "string", "_type": "Value"}, "int64": {"dtype": "int64", "_type": "Value"},
    "double": {"dtype": "float64", "_type": "Value"}, "bool": {"dtype": "bool", "_type": "Value"},
    "timestamp": {"dtype": "timestamp[ms, tz=UTC]", "_type": "Value"}, "image": {"_type": "Image"},
}


def schema(text):
    """Makes the schema of a JSON array of `[name, type]`; the types are `string`, `int64`, `double`, `bool`, `timestamp`
    (milliseconds, UTC) and `image`.

    The key `huggingface` of its metadata has the features, so that `datasets` shows images as images.
    """
    try:
        columns = [(name, _TYPES[kind], _FEATURES[kind]) for name, kind in json.loads(text)]
    except (ValueError, KeyError, TypeError):
        raise WrongRows("the columns %r are no JSON array of [name, type]" % text) from None
    names = [name for name, _, _ in columns]
    if len(set(names)) < len(names):
        raise WrongRows("two columns have the same name: %s" % ", ".join(names))
    features = {"info": {"features": {name: feature for name, _, feature in columns}}}
    return pa.schema([(name, kind) for name, kind, _ in columns], {"huggingface": json.dumps(features)})
