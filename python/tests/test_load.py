# SPDX-License-Identifier: Apache-2.0
"""Many calls and many threads: nothing leaks, and nobody gets another's bytes."""

import gc
import multiprocessing
import threading
from pathlib import Path

import numpy as np
import pytest
import reference

import clquant

CALLS = 10_000


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def grows(call, count):
    """Bytes by which the process grows in so many calls, when it has made as many before."""
    for _ in range(count // 4):
        call()
    gc.collect()
    before = resident_bytes()
    for _ in range(count):
        call()
    gc.collect()
    return resident_bytes() - before


def calls():
    x, places = np.ones((4, 1, 8, 64), np.float32), np.array([1, 5, 0, 3])
    cache = np.zeros((4, 16, 8, 64), np.int8)
    return grows(lambda: clquant.quantize_scatter(cache, places, x, 0.5, axis=1), CALLS)


def plans_views_and_errors():
    x = np.ones((4, 64), np.float32)

    def call():
        plan = clquant.plan(clquant.quantize, clquant.view(x), 0.5)
        plan(x=x)
        report, room = clquant.Report(), clquant.Workspace(64)
        report.read()
        del room
        try:
            clquant.quantize(x, np.ones(3, np.float32))
        except ValueError:
            return
        raise AssertionError("three scales were taken")

    return grows(call, CALLS // 10)


def contexts():
    x = np.ones((4, 64), np.float32)
    return grows(lambda: clquant.quantize(x, 0.5, context=clquant.Context()), 40)


@pytest.mark.parametrize(
    ("work", "bound"),
    [
        (calls, 2**20),  # an event, a buffer or a struct of each call would be above
        (plans_views_and_errors, 2**20),
        (contexts, 40 * 2**16),  # a driver keeps some for itself
    ],
)
def test_nothing_leaks(work, bound):
    """In a process of its own: what others have freed would hide it."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(work) < bound


def test_threads(rng):
    """Calls, plans and errors of many threads in one context."""
    failures = []

    def work(seed):
        mine = np.random.default_rng(seed)
        try:
            for _ in range(50):
                x = mine.normal(0, 20, (16, 64)).astype(np.float32)
                scale = np.float32(mine.random() + 0.1)
                np.testing.assert_array_equal(clquant.quantize(x, scale), reference.quantize(x, scale))
                plan = clquant.plan(clquant.dynamic_quantize, x, symmetric=True)
                np.testing.assert_array_equal(plan().y, reference.dynamic(x, symmetric=True)[0])
                wrong = int(mine.integers(2, 60))
                try:
                    clquant.quantize(x, np.ones(wrong, np.float32))
                except ValueError as error:
                    assert f"scales has {wrong} elements" in str(error)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
