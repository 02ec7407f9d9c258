"""The digests of the images in a Parquet file, to check it against what was written."""

import hashlib

import pyarrow as pa

from .reading import open_file, told, write

# Images are large.
BATCH_ROWS = 16


def digests(path):
    """Writes a line for each image: its path, a tab, and SHA-256 of its bytes in hexadecimal."""
    file = open_file(path)
    with told(path):
        names = [field.name for field in file.schema_arrow if is_image(field.type)]
        for rows in file.iter_batches(BATCH_ROWS, columns=names, use_threads=False):
            for name in names:
                for image in rows.column(name).to_pylist():
                    if image is not None:
                        write(1, ("%s\t%s\n" % (image["path"], hashlib.sha256(image["bytes"]).hexdigest())).encode())


def is_image(kind):
    """True for the type of images."""
    return pa.types.is_struct(kind) and {"bytes", "path"} <= {kind.field(index).name for index in range(kind.num_fields)}
