#include "program/check.h"

#include <fmt/core.h>

#include "base/counted.h"
#include "base/error.h"
#include "program/check/parts.h"

namespace ddlbench::program {
namespace {

/// Returns the first rank of each role. It stands for all ranks of the role in checks of a single rank's program.
std::vector<int> representatives(const Plan& plan) {
  std::vector<int> first(plan.roles.size(), none);
  for (int rank = plan.ranks() - 1; rank >= 0; --rank)
    first[static_cast<std::size_t>(plan.role_of_rank[static_cast<std::size_t>(rank)])] = rank;
  std::erase(first, none);
  return first;
}

void check_mode(const Plan& plan, Mode mode, Report& report) {
  const std::size_t before = report.size();
  const Cadence cadence = mode == Mode::train ? plan.cadence : Cadence{};
  for (int rank : representatives(plan)) {
    const std::size_t before_role = report.size();
    check_form(plan.role(rank), mode, cadence, rank, report);
    if (report.size() == before_role) check_memory(plan.role(rank), mode, cadence, rank, report);
  }
  const bool ordered = report.size() == before;
  const std::size_t before_traffic = report.size();
  const Traffic traffic = resolve_traffic(plan, mode, report);
  check_messages(plan, traffic, report);
  check_collectives(plan, traffic, report);
  if (ordered && report.size() == before_traffic) check_progress(plan, traffic, report);
}

constexpr std::size_t findings_named = 10;

}  // namespace

std::string to_string(const Finding& finding) {
  return fmt::format("rank {}, {}: {}", finding.rank, finding.where, finding.what);
}

std::vector<Finding> check(const Plan& plan) {
  Report report;
  check_roles(plan, report);
  if (report.empty()) {
    for (int rank : representatives(plan)) check_shared_buffers(plan.role(rank), rank, report);
    for (Mode mode : {Mode::train, Mode::evaluate}) check_mode(plan, mode, report);
  }
  return std::move(report).take();
}

void require_sound(const Plan& plan) {
  const std::vector<Finding> findings = check(plan);
  if (findings.empty()) return;
  std::string text = "the plan has " + counted(findings.size(), "defect");
  for (std::size_t i = 0; i < findings.size() && i < findings_named; ++i) text += "\n  " + to_string(findings[i]);
  if (findings.size() > findings_named) text += "\n  and more";
  throw ContractError(text);
}

}  // namespace ddlbench::program
