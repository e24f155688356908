#include "bench/config/contract.h"

#include <nlohmann/json.hpp>

namespace ddlbench::bench {
namespace {

/// Keys sorted, so that the order in which a person wrote them does not count.
nlohmann::json contract(const Experiment& experiment, std::uint64_t seed) {
  const auto resolved = nlohmann::json::parse(experiment.resolved);
  nlohmann::json shared{{"workload", resolved.at("workload")}, {"training", resolved.at("training")}};
  shared["workload"].erase("global_batch");
  shared["training"]["seed"] = seed;
  return shared;
}

}  // namespace

std::string contract_id(const Experiment& experiment, std::int64_t global_batch, std::uint64_t seed) {
  auto text = contract(experiment, seed);
  text["workload"]["global_batch"] = global_batch;
  return hash_of(text.dump());
}

std::string scaling_id(const Experiment& experiment, std::uint64_t seed) {
  return hash_of(contract(experiment, seed).dump());
}

std::string hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, hash >>= 4)
    *digit = "0123456789abcdef"[hash & 15];
  return digits;
}

}  // namespace ddlbench::bench
