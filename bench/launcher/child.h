#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/launcher/launch_command.h"
#include "platform/process_tree.h"

namespace ddlbench::bench {

/// A file descriptor that is closed on destruction.
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

/// A process with all of its descendants, whatever their process groups and sessions. The destructor kills them all,
/// and the kernel kills the process if the calling thread dies. While a Child exists, this process is the reaper of
/// orphaned descendants. If several exist, it is unknown whose an orphan is: the first one that ends kills it.
class Child {
 public:
  /// Starts the process with `input` on its standard input, and returns when it runs the program, so that a signal
  /// reaches this one. Throws InputError if it cannot be started.
  Child(const LaunchCommand& command, const std::string& input);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t id() const { return pid_; }
  int output() const { return output_.value(); }  ///< the process's standard output; non-blocking
  int log() const { return log_.value(); }        ///< its standard error; non-blocking

  /// Returns the wait status (waitpid) once the process has ended, and kills its remaining descendants. Does not block
  /// while it runs.
  std::optional<int> poll();
  /// Returns the process with its descendants, itself included, and the processes that it orphaned.
  std::vector<platform::Process> processes() const;
  /// Stops the process and its descendants, but not orphans, until resume(), except those that are stopped. Waits until
  /// they have stopped: at most a second, and 20 ms for one that the kernel does not interrupt because it writes to a
  /// disk. Throws InputError if /proc cannot be read.
  void suspend();
  void resume() noexcept;
  /// Sends a signal to all of them; continues those that are stopped, so that they receive it.
  void signal(int number) noexcept;

 private:
  void kill_the_rest() noexcept;

  std::set<pid_t> others_;     ///< children that this process had before
  std::set<pid_t> suspended_;  ///< processes that suspend() stopped
  pid_t pid_ = -1;
  std::optional<int> status_;
  Descriptor output_;
  Descriptor log_;
};

}  // namespace ddlbench::bench
