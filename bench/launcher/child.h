#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/launcher/launch_command.h"
#include "platform/process_tree.h"

namespace ddlbench::bench {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : value_(other.value_) { other.value_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  int value() const { return value_; }

 private:
  int value_;
};

/// A process and all that it starts, in whatever groups and sessions: this object takes them with it when it
/// goes, and the kernel ends the process when the calling thread dies. One at a time: while it lives, this
/// process inherits those whose parent dies.
class Child {
 public:
  /// It reads `input` from standard input. Throws InputError when it cannot be started.
  Child(const LaunchCommand& command, const std::string& input);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t id() const { return pid_; }
  int output() const { return output_.value(); }  ///< what it writes to standard output; does not block
  int log() const { return log_.value(); }        ///< to standard error; does not block

  /// The wait status (waitpid) once it has ended, what it leaves behind being killed then.
  std::optional<int> poll();
  /// Its processes, the first among them, and those that it left behind.
  std::vector<platform::Process> processes() const;
  /// To all of them; those that are stopped go on, and get it.
  void signal(int number) noexcept;

 private:
  void kill_the_rest() noexcept;

  bool was_reaper_ = false;
  std::set<pid_t> others_;  ///< children that this process had before
  pid_t pid_ = -1;
  std::optional<int> status_;
  Descriptor output_;
  Descriptor log_;
};

}  // namespace ddlbench::bench
