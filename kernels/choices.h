#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ddlbench::kernels {

class ScratchMemory;

/// Which of an op's candidates a process runs, decided once for each key: replicas in one process then compute the same
/// bits, and later binds do not time again. What was decided can be told to other processes, and by them.
class Choices {
 public:
  /// Names of candidates by key. A key names the work, the threads and all candidates that there were.
  using Table = std::map<std::string, std::string>;

  /// `context`: what choices depend on beside their keys: the processor or GPU, libraries and their versions.
  explicit Choices(std::string context) : context_(std::move(context)) {}
  const std::string& context() const { return context_; }

  /// The name of the candidate for `work` among those of that name, made by `choose` if there is none yet. One at a
  /// time: choices are timed. `choose` may ask for other works.
  std::string find_or(const std::string& work, const std::vector<std::string>& candidates,
                      const std::function<std::string()>& choose);

  /// Chosen before on an equal machine; what is there already stays. Names that are none of the candidates' are not
  /// used.
  void learn(const Table& known);
  /// What ranks have agreed on, in place of what is there.
  void agree(const Table& agreed);

  /// What find_or has told since this was asked last.
  Table take_used();
  /// What `choose` has made since this was asked last.
  Table take_made();

  /// Memory for trials, kept from one to the next as long as somebody holds it.
  std::shared_ptr<ScratchMemory> scratch();

 private:
  struct Entry {
    std::string candidate;
    bool used = false;  ///< and not taken
  };

  const std::string context_;
  std::recursive_mutex mutex_;
  std::map<std::string, Entry> entries_;
  Table made_;
  std::weak_ptr<ScratchMemory> scratch_;
};

}  // namespace ddlbench::kernels
