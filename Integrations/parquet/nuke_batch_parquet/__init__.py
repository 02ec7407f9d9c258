"""Reads and writes Parquet for nuke-batch, with pyarrow."""

__version__ = "0.1.0"
