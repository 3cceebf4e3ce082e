# SPDX-License-Identifier: Apache-2.0
# Stands for PyTorch where the bench is tested: whatever is asked for is there, and does nothing. FAKE_TORCH says
# what goes wrong: "missing" as a module, "lacking" the works, or that the process "ends" in the second.
import os

trouble = os.environ.get("FAKE_TORCH", "")
if trouble == "missing":
    raise ImportError
done = 0


class Anything:
    def __getattr__(self, name):
        return self

    def __call__(self, *arguments, **named):
        return self

    __getitem__ = __add__ = __sub__ = __rsub__ = __mul__ = __truediv__ = __rtruediv__ = __call__
    __mod__ = __and__ = __or__ = __lshift__ = __neg__ = __call__

    def index_put_(self, index, values):
        global done
        done += 1
        if trouble == "lacking":
            raise AttributeError("index_put_")
        if trouble == "ends" and done == 2:
            os._exit(0)


def __getattr__(name):
    return Anything()
