"""Processes that are forked off a server without threads, which has the program in memory already."""

import multiprocessing
from multiprocessing.context import ForkServerContext

# There is one server, and who comes first has it load: it is to be the same for all.
PRELOAD = [
    "models.block",
    "models.acts.visit_acts",
    "tests.faults.product",
    "tests.fakes.agenda",
    "tests.fakes.rehearsal",
]


def forking() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context
