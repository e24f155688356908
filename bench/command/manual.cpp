#include "bench/command/manual.h"

#include <fmt/core.h>
#include <cctype>
#include <sstream>

#include "base/join.h"

namespace ddlbench::bench {
namespace {

/// Escapes text for roff, so that no letter begins a macro, an escape or a hyphen.
std::string roff(const std::string& text) {
  std::string all;
  if (text.starts_with('.') || text.starts_with('\'')) all = "\\&";
  for (const char letter : text) {
    if (letter == '\\') {
      all += "\\e";
    } else if (letter == '-') {
      all += "\\-";
    } else {
      all += letter;
    }
  }
  return all;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string as_sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return text;
}

void print_entry(std::ostream& out, const std::string& term, const std::string& text) {
  out << ".TP\n" << term << '\n' << roff(text) << '\n';
}

void print_options(std::ostream& out, const std::vector<OptionEntry>& options) {
  for (const OptionEntry& option : options) {
    std::string term = joined(option.names, ", ", option.positional ? italic : bold);
    if (!option.value.empty() && !option.positional) term += " " + italic(option.value);
    std::string text = as_sentence(option.help);
    if (!option.limits.empty()) text += " " + as_sentence("Value: " + option.limits);
    if (option.required) text += " Required.";
    print_entry(out, term, text);
  }
}

std::string synopsis(const std::string& name, const CommandEntry& command) {
  std::string line = bold(name);
  if (!command.options.empty()) line += " [" + italic("OPTIONS") + "]";
  for (const OptionEntry& option : command.options) {
    if (option.positional)
      line += option.required ? " " + italic(option.names[0]) : " [" + italic(option.names[0]) + "]";
  }
  if (!command.subcommands.empty()) line += " [" + italic("SUBCOMMAND") + "]";
  return line;
}

void print_subcommands(std::ostream& out, const std::string& before, const CommandEntry& command) {
  for (const CommandEntry& subcommand : command.subcommands) {
    const std::string name = before + " " + subcommand.name;
    out << ".SS " << synopsis(name, subcommand) << '\n' << roff(as_sentence(subcommand.help)) << '\n';
    print_options(out, subcommand.options);
    print_subcommands(out, name, subcommand);
  }
}

/// Returns the first sentence of a description in the style of a NAME section: "benchmarks parallel …".
std::string title(std::string help) {
  help = help.substr(0, help.find('.'));
  if (!help.empty()) help[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(help[0])));
  return help;
}

}  // namespace

std::string manual_page(const CommandEntry& command, const ManualText& text) {
  std::string upper = command.name;
  for (char& letter : upper) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  std::ostringstream out;
  out << ".\\\" Written by: " << command.name << " man\n"
      << ".TH " << upper << " 1 \"\" \"" << command.name << ' ' << text.version << "\" \"User Commands\"\n"
      << ".SH NAME\n"
      << roff(command.name) << " \\- " << roff(title(command.help)) << '\n'
      << ".SH SYNOPSIS\n"
      << synopsis(command.name, command) << '\n'
      << ".SH DESCRIPTION\n"
      << roff(as_sentence(command.help)) << '\n'
      << roff(text.description) << '\n'
      << ".SH OPTIONS\n";
  print_options(out, command.options);
  out << ".SH SUBCOMMANDS\n";
  print_subcommands(out, command.name, command);
  out << ".SH EXIT STATUS\n";
  for (const ExitStatus& status : text.exit_statuses) print_entry(out, bold(status.codes), as_sentence(status.meaning));
  out << ".SH FILES\n";
  print_entry(out, italic("PREFIX/share/ddlbench/configs"),
              "Example experiments and the schema of configurations. \"ddlbench env\" prints the path of this folder.");
  print_entry(out, italic("PREFIX/share/doc/ddlbench"), "The documentation.");
  print_entry(out, fmt::format("{}, {}", italic("$XDG_CACHE_HOME/ddlbench"), italic("~/.cache/ddlbench")),
              "Times that were measured on this machine, for later runs. \"ddlbench env\" prints what it contains.");
  out << ".SH SEE ALSO\n" << bold("mpiexec") << "(1)\n";
  return out.str();
}

}  // namespace ddlbench::bench
