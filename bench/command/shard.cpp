#include "bench/command/shard.h"

#include <fmt/core.h>
#include <algorithm>
#include <charconv>
#include <map>

#include "base/error.h"
#include "bench/config/case_count.h"

namespace ddlbench::bench {
namespace {

std::size_t number_in(const std::string& text, const std::string& whole) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > max_cases)
    throw InputError(fmt::format("expected I/N, the I-th of N parts, such as 2/4; found \"{}\"", whole));
  return number;
}

/// Returns the part of each contract: the next one, in the order of the cases, goes to the part with the fewest cases.
std::map<std::string, std::size_t> parts_of_contracts(const std::vector<Case>& cases, std::size_t count) {
  std::map<std::string, std::size_t> sizes, parts;
  for (const Case& which : cases) ++sizes[which.contract_id];
  if (sizes.size() < count) return {};
  std::vector<std::size_t> filled(count, 0);
  for (const Case& which : cases) {
    if (parts.contains(which.contract_id)) continue;
    const auto emptiest = std::min_element(filled.begin(), filled.end());
    *emptiest += sizes[which.contract_id];
    parts[which.contract_id] = static_cast<std::size_t>(emptiest - filled.begin());
  }
  return parts;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const Shard shard{number_in(text.substr(0, slash), text),
                    number_in(slash < text.size() ? text.substr(slash + 1) : "", text)};
  if (shard.number > shard.count)
    throw InputError(
        fmt::format("part {} of {} does not exist: the first of N parts is 1, the last N", shard.number, shard.count));
  return shard;
}

std::vector<Case> cases_of_shard(const std::vector<Case>& cases, const Shard& shard) {
  const std::map<std::string, std::size_t> parts = parts_of_contracts(cases, shard.count);
  std::vector<Case> own;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::size_t part = parts.empty() ? i % shard.count : parts.at(cases[i].contract_id);
    if (part + 1 == shard.number) own.push_back(cases[i]);
  }
  if (own.empty())
    throw InputError(
        fmt::format("part {} of {} has no cases: there are only {}", shard.number, shard.count, cases.size()));
  return own;
}

}  // namespace ddlbench::bench
