using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

namespace Config
{
    public class IniFormatException : Exception
    {
        public IniFormatException(string message, int line)
            : base($"Line {line}: {message}")
        {
            Line = line;
        }

        public int Line { get; }
    }

    public class IniFile
    {
        private readonly Dictionary<string, Dictionary<string, string>> _sections =
            new Dictionary<string, Dictionary<string, string>>(StringComparer.OrdinalIgnoreCase);

        public IEnumerable<string> Sections => _sections.Keys;

        public static IniFile Load(string path) => Parse(File.ReadAllText(path));

        public static IniFile Parse(string text)
        {
            var file = new IniFile();
            string? section = null;
            var number = 0;
            foreach (var raw in text.Split('\n'))
            {
                number++;
                var line = raw.Trim();
                if (line.Length == 0 || line.StartsWith(";"))
                {
                    continue;
                }
                if (line.StartsWith("[") && line.EndsWith("]"))
                {
                    section = line.Substring(1, line.Length - 2);
                    continue;
                }
                if (section == null)
                {
                    throw new IniFormatException("expected a section", number);
                }
                var separator = line.IndexOf('=');
                if (separator < 0)
                {
                    throw new IniFormatException("expected an option", number);
                }
                file.Set(section, line.Substring(0, separator).Trim(), line.Substring(separator + 1).Trim());
            }
            return file;
        }

        public string Get(string section, string key, string fallback = "")
        {
            if (_sections.TryGetValue(section, out var options) && options.TryGetValue(key, out var value))
            {
                return value;
            }
            return fallback;
        }

        public int GetInt(string section, string key, int fallback = 0) =>
            int.TryParse(Get(section, key), out var number) ? number : fallback;

        public void Set(string section, string key, string value)
        {
            if (!_sections.ContainsKey(section))
            {
                _sections[section] = new Dictionary<string, string>();
            }
            _sections[section][key] = value;
        }

        public override string ToString()
        {
            var builder = new StringBuilder();
            foreach (var section in _sections.OrderBy(pair => pair.Key))
            {
                builder.AppendLine($"[{section.Key}]");
                foreach (var option in section.Value)
                {
                    builder.AppendLine($"{option.Key} = {option.Value}");
                }
            }
            return builder.ToString();
        }
    }
}
