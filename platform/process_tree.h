#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace ddlbench::platform {

/// A snapshot of a process.
struct Process {
  pid_t id = 0;
  pid_t parent = 0;
  std::string name;  ///< of the program, truncated to 15 characters
  char state = '?';  ///< as in /proc/PID/stat: 'R' running, 'S' sleeping, 'T' stopped, 'Z' ended (zombie), …
  std::int64_t threads = 0;
  std::int64_t start_ticks = 0;     ///< clock ticks between the start of the machine and that of the process
  std::int64_t resident_bytes = 0;  ///< including shared pages

  bool stopped() const { return state == 'T' || state == 't'; }
  bool blocked() const { return state == 'D'; }  ///< until its system call ends, which signals do not interrupt
  bool ended() const { return state == 'Z' || state == 'X'; }
};

/// Returns the process `root` and all its descendants, root first; empty if it does not exist.
std::vector<Process> process_tree(pid_t root);

/// Returns the ids of that process and its descendants, root first. Reads only their own files, while process_tree
/// reads those of all processes; but while another one ends, it may miss one or return it twice (proc(5),
/// /proc/PID/task/TID/children).
std::vector<pid_t> tree_ids(pid_t root);

/// Returns nothing if the process does not exist.
std::optional<Process> find_process(pid_t id);

/// Returns the content of a file /proc/PID/stat; empty if the process has ended since the file was opened.
std::string stat_line(std::istream& file);

/// Parses a line of /proc/PID/stat. The command name in it may contain any characters, including brackets and blanks.
/// Throws ContractError for any other text.
Process parse_process(const std::string& stat_line);

}  // namespace ddlbench::platform
