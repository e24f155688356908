#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/records/record.h"
#include "bench/slurm/study.h"

namespace ddlbench::bench {

/// A pipeline of equal ranks, and the times of one micro-batch on a rank, in any unit.
struct BubbleRequest {
  std::optional<int> stages, microbatches;
  std::optional<double> forward, input, weight;
  std::optional<double> transfer;  ///< the delay of a message; 0 if not given
};

/// The parsed command line of `ddlbench`.
struct Arguments {
  std::string config;
  std::string first_word;                 ///< of the command line, if it is neither an option nor a subcommand
  std::vector<std::string> alternatives;  ///< subcommands that `config` may have meant; empty if it can only be a file
  std::vector<std::string> overrides;
  std::string filter;
  std::string output;
  std::string resume;                        ///< folder of the run to continue; empty: a new run
  Retry retry = Retry::infrastructure;       ///< which of its cases to run again
  bool accept_changes = false;               ///< continue although results may not be comparable
  std::optional<double> time_limit;          ///< seconds
  std::optional<std::int64_t> memory_limit;  ///< bytes, of each case
  std::string shard;                         ///< "I/N": which part of the cases to run; empty: all
  int retries = 0;                           ///< further attempts of a case that loses a rank
  std::optional<int> max_failures;
  bool dry_run = false;
  bool certificates_only = false;  ///< set by `verify`
  bool quiet = false;
  bool show_program = false;
  bool static_only = false;  ///< plan: account only, without simulation
  bool one_rank_per_host = false;
  bool timeline = false;
  std::string svg;
  std::vector<double> roofline;  ///< plan: peak FLOP/s and bytes/s of a device; empty: not requested
  bool markdown = false;
  bool facets = false;   ///< list: strategies by facet
  bool columns = false;  ///< schema: of results
  bool results = false;  ///< schema: the same as JSON
  std::string model;
  std::vector<std::string> options;  ///< of the model, "NAME=VALUE" each
  std::string input;                 ///< sizes of one sample, "3x224x224"
  std::optional<int> classes;
  std::optional<std::int64_t> batch;
  std::string csv;
  std::optional<std::int64_t> steps;        ///< trace: overrides the experiment's
  std::vector<std::string> devices{"cpu"};  ///< layers
  std::string precision = "fp32";
  std::optional<int> threads;
  bool forward_only = false;
  std::vector<std::string> folders;   ///< report, merge: of results
  std::string html;                   ///< report: the page to write; empty: none
  std::string mllog;                  ///< report: the file of MLPerf's format to write; empty: none
  std::string tensorboard;            ///< report: the folder for TensorBoard's files; empty: none
  std::string format = "text";        ///< report, run, verify: of standard output, "text" or "json"
  std::string before, after;          ///< compare: folders of results, or what takes turns
  bool take_turns = false;            ///< compare: run both instead of reading results
  std::optional<int> rounds;          ///< compare: number of rounds; not given: as time and precision say
  std::optional<double> max_seconds;  ///< compare: of the rounds; not given: 300
  double margin = 0.02;               ///< compare: the smallest difference of interest, as a ratio less 1
  StudyRequest study;                 ///< slurm: the jobs
  bool submit = false;                ///< slurm: submit the jobs
  std::string shell;                  ///< completion: the shell
  int start_ranks = 0;                ///< start-ranks: how many
  BubbleRequest bubble;               ///< reproduce zero-bubble
  std::string forget;                 ///< env: the kind of cache entries to remove
};

/// Whether the experiment may also be the first word, behind a subcommand. Before one, that word is kept apart: it may
/// be a mistyped subcommand. Behind others, it is something else.
enum class FirstWord : std::uint8_t { is_experiment, is_separate, is_other };

/// Adds the options that name an experiment and choose among its cases.
void add_experiment_options(CLI::App& app, Arguments& arguments, FirstWord first = FirstWord::is_experiment);
/// Adds the options that choose what to show of plans.
void add_plan_options(CLI::App& app, Arguments& arguments);
/// Adds the options that name a model and the shape for which it is built.
void add_model_options(CLI::App& app, Arguments& arguments);
/// Adds the options of an experiment and of a trace of its first steps.
void add_trace_options(CLI::App& app, Arguments& arguments);
/// Adds the options of a model and of timing it layer by layer.
void add_layers_options(CLI::App& app, Arguments& arguments);
/// Adds the options that name folders of results and the page to write.
void add_report_options(CLI::App& app, Arguments& arguments);
/// Adds the options that name folders of results and the folder that joins them.
void add_merge_options(CLI::App& app, Arguments& arguments);
/// Adds the options of a pipeline whose bubble is computed.
void add_bubble_options(CLI::App& app, Arguments& arguments);
/// Adds the options of a comparison of two runs.
void add_compare_options(CLI::App& app, Arguments& arguments);
/// Adds the options that limit the time, the memory and the failures of a run. Returns them.
std::vector<CLI::Option*> add_limit_options(CLI::App& app, Arguments& arguments);
/// Adds the options of an experiment and of the Slurm jobs that run it.
void add_slurm_options(CLI::App& app, Arguments& arguments);
/// Adds the options of an experiment and of a run.
void add_run_options(CLI::App& app, Arguments& arguments, FirstWord first = FirstWord::is_experiment);

}  // namespace ddlbench::bench
