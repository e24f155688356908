#include "kernels/choice/choices.h"

#include <fmt/core.h>
#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "platform/scratch_memory.h"

namespace ddlbench::kernels {
namespace {

std::string key_of(const std::string& work, const std::vector<std::string>& candidates) {
  std::string all;
  for (const std::string& name : candidates) all += name + '\n';
  return fmt::format("{} of {} candidates #{}", work, candidates.size(), fnv1a(all));
}

}  // namespace

std::vector<std::string> numerical_properties(const std::string& candidate) {
  std::vector<std::string> found;
  for (const char* word : {"winograd", "fft", "nondeterministic"})
    if (candidate.find(word) != std::string::npos) found.emplace_back(word);
  return found;
}

std::string Choices::find_or(const std::string& work, const std::vector<std::string>& candidates,
                             const std::function<Choice()>& choose) {
  const std::lock_guard lock(mutex_);
  const std::string key = key_of(work, candidates);
  const auto offers = [&](const std::string& candidate) {
    return std::find(candidates.begin(), candidates.end(), candidate) != candidates.end();
  };
  if (preferred_ && offers(*preferred_)) return use(entries_[key] = {*preferred_});
  const auto found = entries_.find(key);
  if (found != entries_.end() && offers(found->second.candidate)) return use(found->second);
  const std::size_t unreliable_uses = unreliable_uses_;
  Choice choice = choose();
  choice.reliable = choice.reliable && unreliable_uses_ == unreliable_uses;
  if (choice.reliable) {
    made_.reliable[key] = choice.candidate;
  } else {
    ++made_.unreliable;
  }
  Entry& entry = entries_[key] = {choice.candidate, false, choice.reliable};
  chosen_[work] = std::move(choice);
  return use(entry);
}

const std::string& Choices::use(Entry& entry) {
  entry.used = true;
  if (!entry.reliable) ++unreliable_uses_;
  return entry.candidate;
}

void Choices::prefer(std::string candidate) {
  const std::lock_guard lock(mutex_);
  preferred_ = std::move(candidate);
}

void Choices::learn(const Table& known) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, candidate] : known) entries_.try_emplace(key, Entry{candidate});
}

void Choices::agree(const Table& agreed) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, candidate] : agreed) {
    entries_[key].candidate = candidate;
    if (const auto own = made_.reliable.find(key); own != made_.reliable.end()) own->second = candidate;
  }
}

Choices::Table Choices::take_used() {
  const std::lock_guard lock(mutex_);
  Table table;
  for (auto& [key, entry] : entries_) {
    if (std::exchange(entry.used, false)) table[key] = entry.candidate;
  }
  return table;
}

Choices::Made Choices::take_made() {
  const std::lock_guard lock(mutex_);
  return std::exchange(made_, {});
}

std::map<std::string, Choices::Choice> Choices::take_chosen() {
  const std::lock_guard lock(mutex_);
  return std::exchange(chosen_, {});
}

std::shared_ptr<platform::ScratchMemory> Choices::scratch() {
  const std::lock_guard lock(mutex_);
  auto memory = scratch_.lock();
  if (memory == nullptr) scratch_ = memory = std::make_shared<platform::ScratchMemory>();
  return memory;
}

}  // namespace ddlbench::kernels
