#include "kernels/choices.h"

namespace ddlbench::kernels {

Choices::Choice Choices::find_or(const std::string& key, const std::function<Choice()>& choose) {
  const std::lock_guard lock(mutex_);
  const auto found = choices_.find(key);
  if (found != choices_.end()) return found->second;
  const Choice choice = choose();
  return choices_.emplace(key, choice).first->second;
}

}  // namespace ddlbench::kernels
