#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "platform/scratch_memory.h"

namespace ddlbench::kernels {

/// Returns the properties in a candidate's name that change its numerical results: "winograd", "fft",
/// "nondeterministic".
std::vector<std::string> numerical_properties(const std::string& candidate);

/// The candidate that a process runs for each op, chosen once per key. Replicas in one process therefore compute
/// identical bits, and later bindings are not timed again. Choices can be exchanged with other processes. All functions
/// may be called from any thread.
class Choices {
 public:
  /// Names of candidates by key. A key states the work, the threads and the list of candidates.
  using Table = std::map<std::string, std::string>;

  struct Timed {
    std::string candidate;  ///< name of the candidate
    double seconds = 0;
  };
  struct Choice {
    std::string candidate;  ///< name of the candidate
    /// False if other processes used the processors during the measurement, or if a candidate ran out of memory.
    bool reliable = true;
    std::vector<Timed> timed = {};  ///< all candidates that were timed; empty if there was only one
  };
  struct Made {
    Table reliable;
    std::size_t unreliable =
        0;  ///< number of additional choices that are not reliable: they are used only in this process

    std::size_t size() const { return reliable.size() + unreliable; }
  };

  /// `context` states what choices depend on besides their keys: the processor or GPU, libraries and their versions.
  explicit Choices(std::string context) : context_(std::move(context)) {}
  const std::string& context() const { return context_; }

  /// Returns the name of the candidate for `work`, one of `candidates`. If there is none yet, calls `choose` to choose
  /// it. Because `choose` takes times, only one call runs at a time; others block. `choose` may call find_or for other
  /// works; a choice is reliable only if the choices that it depends on are.
  std::string find_or(const std::string& work, const std::vector<std::string>& candidates,
                      const std::function<Choice()>& choose);

  /// Makes find_or return `candidate` without timing wherever it is among the candidates: for tests of this candidate.
  void prefer(std::string candidate);
  /// Adds choices made earlier on an equal machine. Existing choices remain. find_or ignores names that are not among
  /// its candidates.
  void learn(const Table& known);
  /// Replaces choices by those on which the ranks have agreed.
  void agree(const Table& agreed);

  /// Returns the choices that find_or has returned since the last call.
  Table take_used();
  /// Returns the choices that `choose` has made since the last call.
  Made take_made();
  /// Returns what `choose` has returned since the last call, by `work`.
  std::map<std::string, Choice> take_chosen();

  /// Returns memory for trials, shared by all callers and freed with the last reference.
  std::shared_ptr<platform::ScratchMemory> scratch();

 private:
  struct Entry {
    std::string candidate;
    bool used = false;  ///< since the last take_used()
    bool reliable = true;
  };
  const std::string& use(Entry& entry);

  const std::string context_;
  std::recursive_mutex mutex_;
  std::map<std::string, Entry> entries_;
  std::optional<std::string> preferred_;
  Made made_;
  std::map<std::string, Choice> chosen_;
  std::size_t unreliable_uses_ = 0;
  std::weak_ptr<platform::ScratchMemory> scratch_;
};

}  // namespace ddlbench::kernels
