"""Which files are hand-written source text of the three languages, by path and by content."""

import re

LANGUAGES = {
    **dict.fromkeys(("ts", "tsx", "mts", "cts"), "typescript"),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "javascript"),
    "py": "python",
}
FEWEST_BYTES = 200
MOST_BYTES = 200_000
LONGEST_LINE = 1000
LONGEST_MEAN_LINE = 100
LEAST_ALPHANUMERIC = 0.25

# Folders of other people's code, of built code and of recorded output.
_FOLDERS = frozenset(
    "vendor vendored _vendor vendors node_modules bower_components third_party third-party thirdparty 3rdparty external"
    " externals extern dist build out lib-dist generated __generated__ _generated autogen gen codegen-output min"
    " snapshots __snapshots__ __image_snapshots__ baselines baseline cassettes recordings __recordings__ testdata"
    " test-fixtures __testfixtures__ fixture fixtures __fixtures__ locales locale i18n l10n translations lang langs"
    " site-packages venv .venv .yarn .pnp".split()
)
_NAMES = re.compile(
    r"(?:[.-](?:min|bundle|prod|generated|gen|pb|chunk|umd)\.[cm]?[jt]sx?$)|(?:_pb2(?:_grpc)?\.py$)|(?:_pb\.[cm]?[jt]s$)"
    r"|(?:^\.pnp\.)|(?:^jquery[.\d-]*\.js$)|(?:^(?:versioneer|_version|ez_setup)\.py$)|(?:^yarn-[\d.]+\.c?js$)"
    r"|(?:^parser\.generated)|(?:lock\.[jt]s$)",
    re.IGNORECASE,
)


def language_of(path: str) -> str | None:
    """The language by the file extension; None for other files."""
    name = path.rsplit("/", 1)[-1]
    return LANGUAGES.get(name.rpartition(".")[2].lower()) if "." in name else None


def refused_path(path: str) -> str | None:
    """Why a file is not taken, from its path alone."""
    *folders, name = path.split("/")
    if any(folder.lower() in _FOLDERS for folder in folders):
        return "folder"
    return "name" if _NAMES.search(name) else None


def text_of(content: bytes) -> tuple[str, str | None]:
    """The text of a file with plain line ends, or why there is none."""
    if not FEWEST_BYTES <= len(content) <= MOST_BYTES:
        return "", "size"
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "", "encoding"
    if "\0" in text:
        return "", "encoding"
    return text.replace("\r\n", "\n").replace("\r", "\n"), None
