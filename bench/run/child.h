#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

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

/// A process in a group of its own, which this object takes with it when it goes, and which the kernel
/// ends when the calling thread dies.
class Child {
 public:
  /// Starts `program` with `arguments` (its own name aside). It reads `input` from standard input, writes
  /// its log to standard output and error, and its messages to worker_message_descriptor.
  /// Throws InputError when it cannot be started.
  Child(const std::string& program, const std::vector<std::string>& arguments, const std::string& input);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t id() const { return pid_; }
  int messages() const { return messages_.value(); }  ///< does not block
  int log() const { return log_.value(); }            ///< does not block

  /// The wait status (waitpid) once it has ended, what is left of its group being killed then.
  std::optional<int> poll();
  void signal_group(int signal) noexcept;

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
  Descriptor messages_;
  Descriptor log_;
};

}  // namespace ddlbench::bench
