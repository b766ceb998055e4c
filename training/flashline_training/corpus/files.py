"""Selects files of hand-written text in the known languages, by path and by content."""

import re

LANGUAGES = {
    **dict.fromkeys(("ts", "tsx", "mts", "cts"), "typescript"),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("py", "pyi"), "python"),
    "go": "go",
    "rs": "rust",
    "java": "java",
    **dict.fromkeys(("kt", "kts"), "kotlin"),
    **dict.fromkeys(("c", "h"), "c"),
    **dict.fromkeys(("cc", "cpp", "cxx", "hh", "hpp", "hxx"), "cpp"),
    "cs": "csharp",
    "php": "php",
    **dict.fromkeys(("rb", "rake", "gemspec"), "ruby"),
    "swift": "swift",
    **dict.fromkeys(("sh", "bash", "zsh"), "shellscript"),
    "sql": "sql",
    **dict.fromkeys(("html", "htm"), "html"),
    "css": "css",
    "scss": "scss",
    "vue": "vue",
    "svelte": "svelte",
    "json": "json",
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    "toml": "toml",
    "md": "markdown",
}
"""Languages by file extension, with their names in VS Code."""
PROSE_AND_DATA = frozenset(("html", "json", "yaml", "toml", "markdown"))
"""Languages in which a repository often has far more text than it has code."""
MIN_BYTES = 200
MAX_BYTES = 200_000
MAX_LINE_LENGTH = 1000
MAX_MEAN_LINE_LENGTH = 100
MIN_ALPHANUMERIC = 0.25

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
    r"|(?:^parser\.generated)|(?:lock\.[jt]s$)"
    r"|(?:[._-](?:min|bundle|generated|g)\.(?:css|json|html|go|rs|cs|java|kt|swift|dart)$)"
    r"|(?:\.pb(?:\.gw)?\.(?:go|h|cc|swift)$)|(?:_grpc\.pb\.go$)|(?:^zz_generated)|(?:_(?:string|easyjson|gen)\.go$)"
    r"|(?:\.designer\.cs$)|(?:^mock_\w+\.go$)|(?:_mock\.go$)"
    r"|(?:^(?:package-lock|npm-shrinkwrap|composer|pnpm-lock|packages\.lock|deno)\.(?:json|yaml|lock)$)"
    r"|(?:(?:^|[.-])lock\.(?:json|ya?ml|toml)$)|(?:^(?:changelog|changes|history|release[-_]?notes|news)\b.*\.md$)"
    r"|(?:^(?:authors|contributors|code_of_conduct|licen[cs]e|security|governance|maintainers)\b.*\.md$)",
    re.IGNORECASE,
)


def language_of(path: str) -> str | None:
    """Returns the language by the file extension; None for other files."""
    name = path.rsplit("/", 1)[-1]
    return LANGUAGES.get(name.rpartition(".")[2].lower()) if "." in name else None


def refused_path(path: str) -> str | None:
    """Returns why a file is dropped because of its path; None if it stays."""
    *folders, name = path.split("/")
    if any(folder.lower() in _FOLDERS for folder in folders):
        return "folder"
    return "name" if _NAMES.search(name) else None


def text_of(content: bytes) -> tuple[str, str | None]:
    """Returns the text of a file with plain line ends, or the reason why there is none."""
    if not MIN_BYTES <= len(content) <= MAX_BYTES:
        return "", "size"
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "", "encoding"
    if "\0" in text:
        return "", "encoding"
    return text.replace("\r\n", "\n").replace("\r", "\n"), None
