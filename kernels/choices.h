#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace ddlbench::kernels {

/// Which of an op's candidates a process runs, decided once for each key: replicas in one process then
/// compute the same bits, and later binds do not time again.
class Choices {
 public:
  struct Choice {
    std::size_t candidate = 0;
    std::size_t workspace_bytes = 0;  ///< the most that any candidate wants: the same on every rank
  };

  /// The choice for `key`, made by `choose` if there is none yet. One at a time: choices are timed. `choose` may ask
  /// for other keys.
  Choice find_or(const std::string& key, const std::function<Choice()>& choose);

 private:
  std::recursive_mutex mutex_;
  std::map<std::string, Choice> choices_;
};

}  // namespace ddlbench::kernels
