"""What the fault programs share. `from frame import …` in a program sees the names below."""
from . import cgroups
from .images import png
from .job import Failure, Job, undisturbed
from .origin import Origin
from .preload import preload
from .places import REPOSITORY, built, program_under_test
