#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ddlbench::platform {

/// A unique identity of a process, unlike its ID, which the system reuses after the process has ended. It can be passed
/// as text to processes that are not its parent and have to notice its end.
class ProcessIdentity {
 public:
  /// Returns the identity of a running process, or nothing if it has ended.
  static std::optional<ProcessIdentity> of(pid_t process);
  /// Returns nothing if the text is not an identity.
  static std::optional<ProcessIdentity> parse(const std::string& text);

  std::string text() const;
  pid_t process() const { return process_; }
  /// Returns whether the identity is from this machine, the same boot and the same PID namespace.
  bool is_local() const;
  /// Returns whether the process has ended; always false for an identity that is not local, because that is unknown.
  bool ended() const;

 private:
  ProcessIdentity(pid_t process, std::int64_t start_ticks, std::string place);

  pid_t process_;
  std::int64_t start_ticks_;  ///< since the machine started
  std::string place_;         ///< boot ID and PID namespace
};

}  // namespace ddlbench::platform
