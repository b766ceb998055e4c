"""Detects texts that contain, or seem to contain, keys and passwords; they are dropped whole."""

import math
import re
from collections import Counter

# A random string has about 3.8 bits per character with 16 letters and digits, and 4 with 20. Placeholders such as
# password123password have fewer.
MIN_ENTROPY = 3.6

_SHAPES = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY"
    r"|\b(?:"
    r"(?:AKIA|ASIA|AGPA|AROA)[0-9A-Z]{16}\b"  # AWS
    r"|gh[pousr]_[A-Za-z0-9]{36}"  # GitHub
    r"|github_pat_[A-Za-z0-9_]{22}"
    r"|glpat-[A-Za-z0-9_-]{20}"  # GitLab
    r"|xox[abeoprs]-[A-Za-z0-9-]{10}"  # Slack
    r"|hooks\.slack\.com/services/T[A-Z0-9]{6}"
    r"|AIza[A-Za-z0-9_-]{35}"  # Google
    r"|ya29\.[A-Za-z0-9_-]{30}"
    r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16}"  # Stripe
    r"|sk-(?:proj-|ant-)?[A-Za-z0-9_-]{40}"  # model services
    r"|hf_[A-Za-z]{34}\b"
    r"|npm_[A-Za-z0-9]{36}"  # registries
    r"|pypi-AgE[A-Za-z0-9_-]{40}"
    r"|SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"  # mail
    r"|key-[0-9a-f]{32}\b"
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\."  # JSON web tokens
    r")"
)
_ASSIGNED = re.compile(r"[:=]\s{0,3}[\"'`]([A-Za-z0-9+/=_.~!@#$%^&*-]{16,})[\"'`]")
_NAME = re.compile(
    r"(?:password|passwd|pwd|secret|token|api_?key|access_?key|private_?key|auth_?key|credential)s?[\w\]]{0,16}"
    r"[\"']?\s{0,3}[:=]?$",
    re.IGNORECASE,
)
_NAME_REACH = 40


def has_secret(text: str) -> bool:
    """Returns whether a key is recognised by its form, or a random string is assigned to a name that suggests a key."""
    if _SHAPES.search(text):
        return True
    # The values are searched first: few strings are that long, while such names are everywhere.
    return any(
        _is_random(found[1]) and _NAME.search(text[max(0, found.start() - _NAME_REACH) : found.start()])
        for found in _ASSIGNED.finditer(text)
    )


def entropy(text: str) -> float:
    """Returns the bits per character, by the text's own frequencies."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def _is_random(value: str) -> bool:
    mixed = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return mixed and entropy(value) >= MIN_ENTROPY
