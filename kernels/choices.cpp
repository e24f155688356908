#include "kernels/choices.h"

namespace ddlbench::kernels {

Choices::Choice Choices::find_or(const std::string& key, const std::function<Choice()>& choose) {
  const std::lock_guard lock(mutex_);
  const auto found = choices_.find(key);
  if (found != choices_.end()) return found->second;
  return choices_[key] = choose();
}

}  // namespace ddlbench::kernels
