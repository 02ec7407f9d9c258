"""`python3 -m nuke_batch_parquet`, the same as `nuke-batch-parquet`."""

from .command_line import main

main()
