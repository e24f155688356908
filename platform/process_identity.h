#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ddlbench::platform {

/// A process that is meant for good: its number is given to others once it has ended. Told, as a text, to processes
/// that are to notice when it does, though they are not its children.
class ProcessIdentity {
 public:
  /// Where it is gone, nothing.
  static std::optional<ProcessIdentity> of(pid_t process);
  /// Nothing for another text.
  static std::optional<ProcessIdentity> parse(const std::string& text);

  std::string text() const;
  pid_t process() const { return process_; }
  /// Whether this is its machine, since the same start, and its namespace of numbers.
  bool is_of_here() const;
  /// Whether it has ended; never where it is not of here, which cannot tell.
  bool ended() const;

 private:
  ProcessIdentity(pid_t process, std::int64_t start_ticks, std::string place);

  pid_t process_;
  std::int64_t start_ticks_;  ///< since the machine's start
  std::string place_;         ///< this start of this machine, and the process's namespace of numbers
};

}  // namespace ddlbench::platform
