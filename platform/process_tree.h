#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace ddlbench::platform {

/// A process, as the system saw it a moment ago.
struct Process {
  pid_t id = 0;
  pid_t parent = 0;
  std::string name;  ///< of its program, cut to 15 characters
  char state = '?';  ///< as in /proc/PID/stat: 'R' runs, 'S' sleeps, 'T' is stopped, 'Z' has ended, …
  std::int64_t threads = 0;
  std::int64_t start_ticks = 0;     ///< when it began, since the machine's start
  std::int64_t resident_bytes = 0;  ///< shared pages included

  bool stopped() const { return state == 'T' || state == 't'; }
  bool ended() const { return state == 'Z' || state == 'X'; }
};

/// `root` and all that it started, and that they started, root first. Empty when it is not there.
std::vector<Process> process_tree(pid_t root);

/// Nothing where it is not there.
std::optional<Process> find_process(pid_t id);

/// What a file /proc/PID/stat holds; empty where the process has gone since the file was opened.
std::string stat_line(std::istream& file);

/// Reads a line of /proc/PID/stat. The command's name in it may hold anything, brackets and blanks too.
/// Throws ContractError for another text.
Process parse_process(const std::string& stat_line);

}  // namespace ddlbench::platform
