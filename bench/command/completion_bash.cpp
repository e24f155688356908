#include <fmt/core.h>
#include <algorithm>
#include <map>

#include "base/join.h"
#include "bench/command/completion.h"
#include "bench/command/filled.h"
#include "bench/command/value_words.h"

namespace ddlbench::bench {
namespace {

constexpr const char* bash_script = R"(# Completion of @command@ for bash, written by: @command@ completion bash

# Sets `value` to the name of the value of option $2 of subcommand $1, or of the positional argument if $2 is empty.
_@command@_value() {
  value=
  case "$1 $2" in
@values@  esac
  [[ -n $value ]]
}

_@command@() {
  local current=${COMP_WORDS[COMP_CWORD]} subcommand= option= value= files= others= before= word i
  local -a words=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == = ]]; then
      option=${option:-=}  # bash splits "--config=FILE" and "/POINTER=VALUE" there
    elif [[ -n $option ]]; then
      option=
    elif [[ $word == -* ]]; then
      _@command@_value "$subcommand" "$word" && option=$word
    elif [[ -z $subcommand ]]; then
      case $word in @subcommands-alternatives@) subcommand=$word ;; esac
    else
      case "$subcommand $word" in @nested-alternatives@) subcommand+=" $word" ;; esac
    fi
  done
  if [[ $current == = ]]; then
    [[ -n $option ]] || return
    current=
  fi
  if [[ -z $option && $current == -* ]]; then
    case $subcommand in
@options@    esac
  elif [[ -z $option && -z $subcommand ]]; then
    words=(@subcommands@)
    others=@first-word@
  else
    _@command@_value "$subcommand" "$option"
    case $value in
@words@    esac
    if [[ -z $option ]]; then
      case $subcommand in
@nested-words@      esac
    fi
  fi
  for word in "${words[@]}"; do
    [[ $before$word == "$current"* ]] && COMPREPLY+=("$before$word")
  done
  [[ ${#COMPREPLY[@]} -eq 0 ]] && files=${files:-$others}
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$files" -- "$current")
  fi
}

complete -F _@command@ @command@
)";

/// The options of a subcommand, or of the command itself (name "").
struct Scope {
  std::string command;
  const std::vector<OptionEntry>& options;
};

std::vector<Scope> scopes_of(const CommandEntry& command) {
  std::vector<Scope> scopes{{"", command.options}};
  for (const CommandEntry& subcommand : command.subcommands) {
    scopes.push_back({subcommand.name, subcommand.options});
    for (const CommandEntry& nested : subcommand.subcommands)
      scopes.push_back({subcommand.name + " " + nested.name, nested.options});
  }
  return scopes;
}

/// Returns the options that take each value, by its name: "'run --config'"; "'describe '" is a positional argument.
std::map<std::string, std::vector<std::string>> takers(const std::vector<Scope>& scopes) {
  std::map<std::string, std::vector<std::string>> all;
  for (const Scope& scope : scopes) {
    for (const OptionEntry& option : scope.options) {
      if (option.value.empty()) continue;
      for (const std::string& name : option.names) {
        all[option.value].push_back(fmt::format("'{} {}'", scope.command, option.positional ? "" : name));
      }
    }
  }
  return all;
}

std::string cases_of_options(const std::vector<Scope>& scopes) {
  return joined(scopes, "", [](const Scope& scope) {
    std::vector<std::string> names;
    for (const OptionEntry& option : scope.options) {
      if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return fmt::format("      '{}') words=({}) ;;\n", scope.command, joined(names, " "));
  });
}

std::string case_of_words(const std::string& name) {
  const ValueWords value = words_of_value(name);
  std::string sets;
  if (!value.words.empty()) sets += " words=(" + joined(value.words, " ") + ")";
  if (value.files) sets += " files=-f";
  if (value.folders) sets += " files=-d";
  if (value.comma_separated) sets += R"( before=${current%"${current##*,}"})";
  if (value.unfinished) sets += " && compopt -o nospace 2>/dev/null";
  return fmt::format("      '{}'){} ;;\n", name, sets);
}

/// Returns what compgen offers for the first word where no subcommand matches: files, if the command takes one there.
std::string first_word_of(const CommandEntry& command) {
  const bool takes_file = std::any_of(command.options.begin(), command.options.end(), [](const OptionEntry& option) {
    return option.positional && words_of_value(option.value).files;
  });
  return takes_file ? "-f" : "";
}

}  // namespace

std::string bash_completion(const CommandEntry& command) {
  const std::vector<Scope> scopes = scopes_of(command);
  std::string values, words;
  for (const auto& [name, patterns] : takers(scopes)) {
    values += fmt::format("    {}) value='{}' ;;\n", joined(patterns, " | "), name);
    words += case_of_words(name);
  }
  const auto name = [](const CommandEntry& one) { return one.name; };
  std::vector<std::string> nested{"''"};  // a pattern that matches nothing
  std::string nested_words;
  for (const CommandEntry& subcommand : command.subcommands) {
    for (const CommandEntry& one : subcommand.subcommands)
      nested.push_back(fmt::format("'{} {}'", subcommand.name, one.name));
    if (!subcommand.subcommands.empty())
      nested_words +=
          fmt::format("        '{}') words+=({}) ;;\n", subcommand.name, joined(subcommand.subcommands, " ", name));
  }
  return filled(bash_script, {{"@command@", command.name},
                              {"@values@", values},
                              {"@subcommands@", joined(command.subcommands, " ", name)},
                              {"@subcommands-alternatives@", joined(command.subcommands, " | ", name)},
                              {"@nested-alternatives@", joined(nested, " | ")},
                              {"@nested-words@", nested_words},
                              {"@first-word@", first_word_of(command)},
                              {"@options@", cases_of_options(scopes)},
                              {"@words@", words}});
}

}  // namespace ddlbench::bench
