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
  std::vector<double> roofline;  ///< plan: FLOP/s and bytes/s of a device; empty: not wanted
  bool markdown = false;
  bool facets = false;  ///< list: strategies by facet
  bool columns = false;  ///< schema: of results
  std::string model;
  std::vector<std::string> options;  ///< of the model, "NAME=VALUE" each
  std::string input;                 ///< sizes of one sample, "3x224x224"
  std::optional<int> classes;
  std::optional<std::int64_t> batch;
  std::string csv;
  std::optional<std::int64_t> steps;        ///< trace: in place of the experiment's
  std::vector<std::string> devices{"cpu"};  ///< layers
  std::string precision = "fp32";
  std::optional<int> threads;
  bool forward_only = false;
  std::string forget;  ///< env: what of the cache to remove
};

/// The options that name an experiment and choose among its cases.
void add_experiment_options(CLI::App& app, Arguments& arguments);
/// Those and what to show of plans.
void add_plan_options(CLI::App& app, Arguments& arguments);
/// The options that name a model and what it is built for.
void add_model_options(CLI::App& app, Arguments& arguments);
/// Those of an experiment and of a trace of its first steps.
void add_trace_options(CLI::App& app, Arguments& arguments);
/// Those and where and what of it to time.
void add_layers_options(CLI::App& app, Arguments& arguments);
/// Those of an experiment and the ones of a run.
void add_run_options(CLI::App& app, Arguments& arguments);

}  // namespace ddlbench::bench
