# SPDX-License-Identifier: Apache-2.0
"""Keywords and words that are none here: errors that name the nearest one."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

# What other libraries call it.
_ELSEWHERE = {"group_size": "block", "bits": "dtype", "num_bits": "dtype", "stream": "queue", "device": "context"}


def near(given: Any, known: Iterable[str], elsewhere: Mapping[str, str]) -> str:
    """Return the end of a sentence, which names the word that is nearest to a text; "" where none is near."""
    lower = given.lower() if isinstance(given, str) else ""
    found = elsewhere.get(lower) or next(iter(difflib.get_close_matches(lower, list(known), 1)), None)
    return f": did you mean {found}?" if found else ""


def only_its_keywords(words: Mapping[str, str] | None = None, also: Iterable[str] = ()) -> Callable[[F], F]:
    """Make a function refuse the keywords that it does not have.

    ``words`` says which argument takes a word, for those who take the word for a keyword; ``also`` are names that lie behind
    ``**``.
    """

    def decorate(function: F) -> F:
        parameters = inspect.signature(function).parameters.values()
        named = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD and each.name != "self"]
        more = [each for each in also if each not in named]
        known = frozenset((*named, *more))
        name = function.__qualname__.removesuffix(".__init__")

        @functools.wraps(function)
        def checked(*args: Any, **given: Any) -> Any:
            if not known.issuperset(given):
                raise unknown(name, next(key for key in given if key not in known), [*named, *more], words)
            return function(*args, **given)

        return cast(F, checked)

    return decorate


def unknown(name: str, given: str, known: Iterable[str], words: Mapping[str, str] | None = None) -> TypeError:
    """Make the error of a keyword that ``name`` does not have."""
    names = [each for each in known if each != "verb"]
    lower = given.lower()
    near = difflib.get_close_matches(lower, [*names, *(words or ())], 1)
    if _ELSEWHERE.get(lower) in names:
        hint = f"did you mean {_ELSEWHERE[lower]}?"
    elif near and near[0] in names:
        hint = f"did you mean {near[0]}?"
    elif near and words:
        hint = f'did you mean {words[near[0]]}="{near[0]}"?'
    else:
        hint = f"it has {', '.join(names)}"
    return TypeError(f"{name} has no {given}: {hint}")
