"""Recognises the permissive licences that a text grants, by phrases that only they have."""

import re
from dataclasses import dataclass
from typing import Iterable

LICENCE_FILE = re.compile(r"(?:un)?(?:licen[sc]e|copying)s?(?:[._-][\w.-]*)?", re.IGNORECASE)
_SOURCE_SUFFIX = re.compile(r"\.(?:[cm]?[jt]sx?|py|json|ya?ml|sh|html)$", re.IGNORECASE)


@dataclass(frozen=True)
class Form:
    """
    One licence: all `phrases` occur in the normalised text and none of `without`. Its terms have about `words` words.
    """

    name: str
    phrases: tuple[str, ...]
    words: int
    without: tuple[str, ...] = ()


_BSD = "redistribution and use in source and binary forms with or without modification are permitted"
_ENDORSE = "endorse or promote products"
FORMS = (
    Form(
        "MIT",
        (
            "permission is hereby granted free of charge to any person obtaining a copy",
            "without restriction",
            "the above copyright notice and this permission notice",
        ),
        words=180,
    ),
    Form("BSD-3-Clause", (_BSD, _ENDORSE), words=230),
    Form("BSD-2-Clause", (_BSD, "redistributions in binary form must reproduce"), words=190, without=(_ENDORSE,)),
    Form(
        "ISC",
        ("or distribute this software for any purpose with or without fee is hereby granted provided that the above",),
        words=125,
    ),
    Form(
        "Apache-2.0",
        ("apache license version 2 0", "unless required by applicable law or agreed to in writing"),
        words=1750,
    ),
)

# A text that names one of these has other terms than the permissive ones.
FOREIGN = (
    "general public licen",
    "lesser general public",
    "affero",
    "agpl",
    "mozilla public",
    "server side public",
    "sspl",
    "business source licen",
    "commons clause",
    "elastic licen",
    "functional source licen",
    "eclipse public",
    "creative commons",
    "common development and distribution",
    "enterprise licen",
    "enterprise edition",
    "commercial licen",
    "non commercial",
    "noncommercial",
    "all advertising materials",
    "portions of this software are licensed",
    "sustainable use",
    "polyform",
    "open rail",
    "responsible ai",
)
# Words besides the terms, such as copyright lines, names of contributors and an appendix.
MAX_OTHER_WORDS = 320


def is_licence_file(path: str) -> bool:
    """Returns whether a file has licence terms, by its name: LICENSE, LICENCE.txt, COPYING, LICENSE-MIT."""
    name = path.rsplit("/", 1)[-1]
    return LICENCE_FILE.fullmatch(name) is not None and _SOURCE_SUFFIX.search(name) is None


def licences_of(text: str) -> frozenset[str]:
    """Returns the SPDX names of the permissive licences in `text`; empty if it has, or can have, any other terms."""
    plain = " ".join(re.findall(r"[a-z0-9]+", text.lower()))
    if any(phrase in plain for phrase in FOREIGN):
        return frozenset()
    found = [form for form in FORMS if _grants(plain, form)]
    # The text of the Apache licence has its first phrase more than once, so it counts as one grant.
    licensed_words = sum(form.words * plain.count(form.phrases[0]) for form in found if form.name != "Apache-2.0")
    licensed_words += sum(form.words for form in found if form.name == "Apache-2.0")
    if plain.count(" ") > licensed_words + MAX_OTHER_WORDS:
        return frozenset()
    return frozenset(form.name for form in found)


def _grants(plain: str, form: Form) -> bool:
    return all(phrase in plain for phrase in form.phrases) and not any(phrase in plain for phrase in form.without)


def licence_of_all(texts: Iterable[str]) -> str | None:
    """Returns the SPDX expression for the licence files of one folder; None if one of them is not permissive."""
    licences_by_file = [licences_of(text) for text in texts]
    if not licences_by_file or any(not licences for licences in licences_by_file):
        return None
    return " AND ".join(sorted(frozenset.union(*licences_by_file)))
