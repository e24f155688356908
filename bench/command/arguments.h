#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// What was written behind `ddlbench`.
struct Arguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string filter;
  std::string output;
  std::optional<int> max_failures;
  bool dry_run = false;
  bool quiet = false;
  bool show_program = false;
  bool static_only = false;  ///< plan: account, and simulate nothing
  bool timeline = false;
  std::string svg;
  bool markdown = false;
};

/// The options that name an experiment and choose among its cases.
void add_experiment_options(CLI::App& app, Arguments& arguments);
/// Those and what to show of plans.
void add_plan_options(CLI::App& app, Arguments& arguments);
/// Those and the ones of a run.
void add_run_options(CLI::App& app, Arguments& arguments);

}  // namespace ddlbench::bench
