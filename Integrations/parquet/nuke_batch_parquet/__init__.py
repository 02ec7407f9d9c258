"""Reads and writes Parquet for nuke-batch, with pyarrow."""

__version__ = "0.2.0"
