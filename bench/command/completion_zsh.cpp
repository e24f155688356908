#include "base/join.h"

#include <fmt/core.h>
#include "bench/command/completion.h"
#include "bench/command/filled.h"
#include "bench/command/value_words.h"

namespace ddlbench::bench {
namespace {

constexpr const char* zsh_script = R"(#compdef @command@
# Completion of @command@ for zsh, written by: @command@ completion zsh

_@command@() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  local -a subcommands=(
@subcommands@  )
  _arguments -C -s -S : \
@options@    '1: :->subcommand' \
    '*:: :->arguments'
  case $state in
    subcommand) _describe subcommand subcommands@first-word@ ;;
    arguments)
      case $words[1] in
@arguments@      esac
      ;;
  esac
}

if [[ $funcstack[1] == _@command@ ]]; then
  _@command@ "$@"
else
  compdef _@command@ @command@
fi
)";

/// Escapes text for single quotes, with a backslash before each letter of `special`.
std::string escaped(const std::string& text, const std::string& special) {
  std::string all;
  for (const char letter : text) {
    if (letter == '\'') {
      all += R"('\'')";
      continue;
    }
    if (letter == '\\' || special.find(letter) != std::string::npos) all += '\\';
    all += letter;
  }
  return all;
}

/// Returns the action of _arguments for a value. A single space shows the name and offers nothing.
std::string action_of(const ValueWords& value) {
  const std::string words = joined(value.words, " ");
  if (value.comma_separated) return "_sequence -s , compadd - " + words;
  if (value.unfinished) return "compadd -S \"\" - " + words;
  if (value.files && !words.empty()) return "_alternative \"names:name:(" + words + ")\" \"files:file:_files\"";
  if (value.files) return "_files";
  if (value.folders) return "_files -/";
  return words.empty() ? " " : "(" + words + ")";
}

std::string value_of(const OptionEntry& option) {
  if (option.value.empty()) return "";
  return fmt::format(":{}:{}", escaped(option.value, ":"), escaped(action_of(words_of_value(option.value)), ":"));
}

/// Returns one line per name: "'(-c --config)--config=[The experiment, a JSON file]:FILE:_files' \".
std::string specifications(const std::vector<OptionEntry>& options, const std::string& indent) {
  std::string all;
  for (const OptionEntry& option : options) {
    const std::string help = "[" + escaped(option.help, "[]:") + "]";
    for (const std::string& name : option.names) {
      if (option.positional) {
        all += fmt::format("{}'{}{}' \\\n", indent, option.required ? "" : ":", value_of(option));
        continue;
      }
      const std::string before = option.repeatable ? "*" : "(" + joined(option.names, " ") + ")";
      const std::string mode = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
      all += fmt::format("{}'{}{}{}{}{}' \\\n", indent, before, name, mode, help, value_of(option));
    }
  }
  return all;
}

std::string without_continuation(const std::string& lines) {
  return lines.empty() ? "\n" : lines.substr(0, lines.size() - 3) + "\n";
}

/// Returns the options of a command and, behind them, what may be its first word: a value, or a subcommand.
std::string arguments_of(const CommandEntry& command, const std::string& indent) {
  std::vector<OptionEntry> options = command.options;
  if (command.subcommands.empty()) return without_continuation(specifications(options, indent));
  ValueWords first;
  for (const CommandEntry& nested : command.subcommands) first.words.push_back(nested.name);
  std::erase_if(options, [&](const OptionEntry& option) {
    if (option.positional && words_of_value(option.value).files) first.files = true;
    return option.positional;
  });
  return fmt::format("{}{}'::subcommand:{}'\n", specifications(options, indent), indent,
                     escaped(action_of(first), ":"));
}

/// Returns the case of a subcommand.
std::string case_of(const CommandEntry& command) {
  std::string text = fmt::format("        {})\n", command.name);
  for (const CommandEntry& nested : command.subcommands) {
    text += fmt::format(
        "          if [[ $words[2] == {} ]] && ((CURRENT > 2)); then\n            shift words\n            "
        "((CURRENT--))\n"
        "            _arguments -s -S : \\\n{}            return\n          fi\n",
        nested.name, arguments_of(nested, "              "));
  }
  return text + fmt::format("          _arguments -s -S : \\\n{}          ;;\n", arguments_of(command, "            "));
}

}  // namespace

std::string zsh_completion(const CommandEntry& command) {
  std::string subcommands, arguments, first_word;
  std::vector<OptionEntry> options;
  for (const OptionEntry& option : command.options) {
    if (option.positional) {
      first_word = " || " + action_of(words_of_value(option.value));
    } else {
      options.push_back(option);
    }
  }
  for (const CommandEntry& one : command.subcommands) {
    subcommands += fmt::format("    '{}:{}'\n", one.name, escaped(one.help, ":"));
    arguments += case_of(one);
  }
  return filled(zsh_script, {{"@command@", command.name},
                             {"@subcommands@", subcommands},
                             {"@first-word@", first_word},
                             {"@options@", specifications(options, "    ")},
                             {"@arguments@", arguments}});
}

}  // namespace ddlbench::bench
