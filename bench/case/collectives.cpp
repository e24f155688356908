#include "bench/case/collectives.h"

#include <fmt/core.h>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"

namespace ddlbench::bench {
namespace {

using collectives::Algorithm;
using graph::Collective;

/// Returns the algorithms in use, for the kinds of collectives that have more than one.
std::map<Collective, std::set<Algorithm>> algorithms_of(const program::Plan& plan) {
  std::map<Collective, std::set<Algorithm>> found;
  for (const program::Role& role : plan.roles) {
    for (const program::Program* program : {&role.train, &role.evaluate}) {
      for (const auto* section : program::sections(*program)) {
        for (const program::Instruction& instruction : *section) {
          const auto* call = std::get_if<program::CollectiveCall>(&instruction.action);
          if (call == nullptr || !collectives::has_algorithms(call->kind)) continue;
          if (program::member_count(call->group, plan.meshes) > 1) found[call->kind].insert(call->algorithm);
        }
      }
    }
  }
  return found;
}

}  // namespace

std::optional<Algorithm> wanted_algorithm(const Devices& devices) {
  if (devices.collectives == "auto") return std::nullopt;
  return collectives::find_algorithm(devices.collectives);
}

std::string choices_text(const std::vector<runtime::CollectiveChoice>& choices) {
  std::string text;
  for (const runtime::CollectiveChoice& choice : choices)
    text += fmt::format("{} {}\n", choice.algorithm.name(), choice.key);
  return text;
}

std::vector<runtime::CollectiveChoice> choices_from_text(const std::string& text) {
  std::vector<runtime::CollectiveChoice> choices;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    require(space != std::string::npos, "not the choice of a collective: " + line);
    choices.push_back({line.substr(space + 1), collectives::find_algorithm(line.substr(0, space)), line});
  }
  return choices;
}

std::string describe_collectives(const program::Plan& plan) {
  std::string text;
  for (const auto& [kind, algorithms] : algorithms_of(plan)) {
    text += fmt::format("{}{}:", text.empty() ? "" : "; ", graph::name(kind));
    const char* separator = " ";
    for (const Algorithm algorithm : algorithms) {
      text += separator + algorithm.name();
      separator = ", ";
    }
  }
  return text;
}

bool has_nominal_bytes(const program::Plan& plan) {
  for (const auto& [kind, algorithms] : algorithms_of(plan)) {
    if (algorithms.contains(collectives::native())) return true;
  }
  return false;
}

}  // namespace ddlbench::bench
