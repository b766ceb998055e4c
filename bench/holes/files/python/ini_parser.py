import re

SECTION = re.compile(r"^\[(?P<name>[^\]]+)\]$")
OPTION = re.compile(r"^(?P<key>[^=:]+)[=:](?P<value>.*)$")


class ParseError(Exception):
    def __init__(self, message, line_number):
        super().__init__(f"line {line_number}: {message}")
        self.line_number = line_number


class IniFile:
    def __init__(self):
        self.sections = {}

    def get(self, section, key, default=None):
        return self.sections.get(section, {}).get(key, default)

    def get_int(self, section, key, default=0):
        value = self.get(section, key)
        return default if value is None else int(value)

    def get_float(self, section, key, default=0.0):
        value = self.get(section, key)
        return default if value is None else float(value)

    def get_bool(self, section, key, default=False):
        value = self.get(section, key)
        if value is None:
            return default
        return value.lower() in ("1", "true", "yes", "on")

    def set(self, section, key, value):
        self.sections.setdefault(section, {})[key] = str(value)


def parse(text):
    ini = IniFile()
    section = None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith(("#", ";")):
            continue
        match = SECTION.match(line)
        if match:
            section = match["name"]
            ini.sections.setdefault(section, {})
            continue
        match = OPTION.match(line)
        if match is None:
            raise ParseError("expected an option", number)
        if section is None:
            raise ParseError("option outside of a section", number)
        ini.set(section, match["key"].strip(), match["value"].strip())
    return ini


def dump(ini):
    lines = []
    for section, options in ini.sections.items():
        lines.append(f"[{section}]")
        for key, value in options.items():
            lines.append(f"{key} = {value}")
        lines.append("")
    return "\n".join(lines)
