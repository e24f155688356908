#include <algorithm>
#include <cctype>

#include "bench/page/sections.h"

namespace ddlbench::bench {
namespace {

/// Returns a word for a POSIX shell.
std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("/._-+=:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Html command_line(const std::string& what, const std::string& command) {
  return element("p", html_text(what)) + element("pre", element("code", html_text(command)));
}

}  // namespace

Html repeat_section(const RunResults& results) {
  return command_line("Run the experiment again, with the resolved configuration:",
                      "ddlbench --config " + shell_word(results.folder + "/config.json")) +
         command_line("Show the table and the recommendation again:", "ddlbench report " + shell_word(results.folder)) +
         command_line("Write this page again:",
                      "ddlbench report " + shell_word(results.folder) + " --html report.html");
}

}  // namespace ddlbench::bench
