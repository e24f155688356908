#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "platform/scratch_memory.h"

namespace ddlbench::kernels {

/// What sets a candidate's numbers apart from another's, as its name says: "winograd", "fft", "nondeterministic".
std::vector<std::string> peculiarities(const std::string& candidate);

/// Which of an op's candidates a process runs, decided once for each key: replicas in one process then compute the same
/// bits, and later binds do not time again. What was decided can be told to other processes, and by them.
class Choices {
 public:
  /// Names of candidates by key. A key names the work, the threads and all candidates that there were.
  using Table = std::map<std::string, std::string>;

  struct Choice {
    std::string candidate;  ///< its name
    bool fair = true;       ///< not made while others had the processors
  };
  struct Made {
    Table fair;
    std::size_t unfair = 0;  ///< so many more: for this process alone, others choose again

    std::size_t size() const { return fair.size() + unfair; }
  };

  /// `context`: what choices depend on beside their keys: the processor or GPU, libraries and their versions.
  explicit Choices(std::string context) : context_(std::move(context)) {}
  const std::string& context() const { return context_; }

  /// The name of the candidate for `work` among those of that name, made by `choose` if there is none yet. One at a
  /// time: choices are timed. `choose` may ask for other works; a choice is as fair as those that it rests on.
  std::string find_or(const std::string& work, const std::vector<std::string>& candidates,
                      const std::function<Choice()>& choose);

  /// Chosen before on an equal machine; what is there already stays. Names that are none of the candidates' are not
  /// used.
  void learn(const Table& known);
  /// What ranks have agreed on, in place of what is there.
  void agree(const Table& agreed);

  /// What find_or has told since this was asked last.
  Table take_used();
  /// What `choose` has made since this was asked last.
  Made take_made();

  /// Memory for trials, kept from one to the next as long as somebody holds it.
  std::shared_ptr<platform::ScratchMemory> scratch();

 private:
  struct Entry {
    std::string candidate;
    bool used = false;  ///< and not taken
    bool fair = true;
  };
  const std::string& use(Entry& entry);

  const std::string context_;
  std::recursive_mutex mutex_;
  std::map<std::string, Entry> entries_;
  Made made_;
  std::size_t unfair_uses_ = 0;
  std::weak_ptr<platform::ScratchMemory> scratch_;
};

}  // namespace ddlbench::kernels
