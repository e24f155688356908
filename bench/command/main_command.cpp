#include "bench/command/main_command.h"

#include <fmt/core.h>
#include <exception>
#include <new>

#include "base/error.h"
#include "base/join.h"
#include "base/printable.h"
#include "bench/case/case_runner.h"
#include "bench/command/commands.h"
#include "bench/command/completion.h"
#include "bench/command/manual.h"
#include "bench/config/problem.h"
#include "bench/launcher/rank_guard.h"
#include "bench/launcher/rank_starter.h"
#include "bench/launcher/ranks_executor.h"
#include "bench/launcher/worker_main.h"
#include "bench/records/build_info.h"
#include "bench/report/printable_stream.h"
#include "comm/process_place.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {
namespace {

/// Returns CLI11's message, with non-printable characters of arguments escaped.
std::string usage_error(const CLI::App* app, const CLI::Error& error) {
  const std::string said = error.what();
  return printable(said) + CLI::FailureMessage::simple(app, error).substr(said.size());
}

std::string shell_error_of(const std::string& shell) {
  return shell == "bash" || shell == "zsh" ? "" : "unknown shell '" + shell + "'; available: bash, zsh";
}

const std::string default_command = "Without a subcommand, ddlbench runs the experiment in FILE.";

const std::vector<ExitStatus> exit_statuses{
    {"0", "success"},
    {"1", "a case failed, or its certificate does not hold"},
    {"2", "invalid usage or configuration, or something that it names cannot be used"},
    {"3", "compare: a case became slower"},
    {"4", "ddlbench or its environment failed"},
    {"129, 130, 140, 142, 143", "stopped by SIGHUP, SIGINT, SIGUSR2, a time limit, SIGTERM"}};

/// The command line's grammar, and the arguments that it parsed.
struct Command {
  CLI::App app{"Benchmarks parallel training strategies for neural networks."};
  Arguments arguments;

  Command() {
    app.name("ddlbench");
    app.failure_message(usage_error);
    app.set_version_flag("--version", "ddlbench " + describe(build_info));
    app.require_subcommand(0, 1);
    const auto text = [](const ExitStatus& status) { return fmt::format("{} {}", status.codes, status.meaning); };
    app.footer(fmt::format("{}\nExit codes: {}.", default_command, joined(exit_statuses, "; ", text)));
    add_run_options(app, arguments, FirstWord::is_separate);
    add_run_options(*app.add_subcommand("run", "Run an experiment"), arguments);
    add_run_options(
        *app.add_subcommand("verify", "Compute only the certificates: compare each case's first steps with one rank"),
        arguments);
    add_experiment_options(*app.add_subcommand("validate", "Check a configuration without running it"), arguments);
    CLI::App* plan = app.add_subcommand("plan", "Predict and rank the cases without running them");
    add_experiment_options(*plan, arguments);
    add_plan_options(*plan, arguments);
    add_experiment_options(
        *app.add_subcommand("profile", "Time the cases' operators and collectives, and cache the times"), arguments);
    add_trace_options(*app.add_subcommand("trace",
                                          "Train the first steps on one rank, and write the data that another program "
                                          "needs to reproduce them"),
                      arguments);
    add_report_options(*app.add_subcommand("report", "Show the table and the recommendation of earlier runs again"),
                       arguments);
    add_merge_options(*app.add_subcommand("merge", "Join the folders of runs, such as the shards of a sweep"),
                      arguments);
    add_compare_options(
        *app.add_subcommand("compare", "Show which cases became faster or slower from one run to another"), arguments);
    add_model_options(
        *app.add_subcommand("describe", "Show a model's layers, shapes, parameters, FLOPs and activations"), arguments);
    add_layers_options(
        *app.add_subcommand("layers", "Time each layer of a model: forward, backward-input and backward-weight"),
        arguments);
    CLI::App* reproduce = app.add_subcommand("reproduce", "Compute published results, beside the published values");
    reproduce->require_subcommand(1);
    add_bubble_options(
        *reproduce->add_subcommand("zero-bubble",
                                   "Bubble rates of pipeline schedules (Qi et al. 2024), or of a row of your own"),
        arguments);
    CLI::App* slurm =
        app.add_subcommand("slurm", "Write Slurm jobs for the cases, by number of ranks, and submit them");
    add_slurm_options(*slurm, arguments);
    slurm->require_subcommand(0, 1);
    slurm->add_subcommand("status", "Show the states of a study's jobs and cases")
        ->add_option("DIR", arguments.study.folder, "Folder that ddlbench slurm --output wrote")
        ->type_name("DIR")
        ->required();
    app.add_subcommand("list", "List strategies, models, data sets, optimizers, transports and devices")
        ->add_flag("--facets", arguments.facets, "Show the settings of each strategy as a Markdown table");
    app.add_subcommand("env", "Show the environment: machine, build, libraries and cache")
        ->add_option("--forget", arguments.forget,
                     "Remove this kind of cache entry, such as choices, so that it is timed again")
        ->type_name("KIND")
        ->check(CLI::Validator([](const std::string& kind) { return kind.empty() ? "empty" : ""; }, ""));
    CLI::App* schema = app.add_subcommand("schema", "Print the JSON schema of a configuration");
    schema->add_flag("--markdown", arguments.markdown, "Print a Markdown table instead");
    schema->add_flag("--columns", arguments.columns, "Print a Markdown table of the result columns instead");
    schema->add_flag("--results", arguments.results, "Print the result columns with type and unit as JSON instead");
    app.add_subcommand("completion", "Print the completion script for a shell")
        ->add_option("SHELL", arguments.shell, "The shell")
        ->required()
        ->type_name("bash|zsh")
        ->check(CLI::Validator(shell_error_of, ""));
    app.add_subcommand("man", "Print the manual page as roff");
    app.add_subcommand("worker", "Run one case, or one of its ranks, in its own process")->group("");
    app.add_subcommand("rank", "Start and watch a worker for an MPI launcher")->group("");
    CLI::App* start = app.add_subcommand("start-ranks", "Start a worker for each rank, without an MPI launcher");
    start->group("");
    start->add_option("RANKS", arguments.start_ranks, "Number of ranks")->required()->check(CLI::PositiveNumber);
  }

  bool chosen(const char* subcommand) const { return app.got_subcommand(subcommand); }

  /// Makes the first word the experiment. Throws InputError if an experiment was named twice.
  void take_first_word() {
    const std::string& first_word = arguments.first_word;
    if (first_word.empty()) return;
    if (!app.get_subcommands().empty()) {
      const std::string name = app.get_subcommands().front()->get_name();
      throw InputError(fmt::format(
          "'{0}' comes before the subcommand {1}; write it after the subcommand: ddlbench {1} {0}", first_word, name));
    }
    if (!arguments.config.empty()) {
      throw InputError(
          fmt::format("two experiments are named, '{}' and '{}'; run one at a time", first_word, arguments.config));
    }
    arguments.config = first_word;
    for (const CLI::App* one : app.get_subcommands([](const CLI::App* any) { return !any->get_group().empty(); }))
      arguments.alternatives.push_back(one->get_name());
  }
};

int completion_command(const Command& command, std::ostream& out) {
  const CommandEntry tree = command_tree(command.app);
  out << (command.arguments.shell == "bash" ? bash_completion(tree) : zsh_completion(tree));
  return exit_code::ok;
}

int man_command(const Command& command, std::ostream& out) {
  out << manual_page(command_tree(command.app), {build_info.version, default_command, exit_statuses});
  return exit_code::ok;
}

int dispatch(const Command& command, std::ostream& out, std::ostream& err) {
  const Arguments& arguments = command.arguments;
  if (command.chosen("verify")) return verify_command(arguments, out, err);
  if (command.chosen("validate")) return validate_command(arguments, out);
  if (command.chosen("plan")) return plan_command(arguments, out, err);
  if (command.chosen("profile")) return profile_command(arguments, out, err);
  if (command.chosen("trace")) return trace_command(arguments, out, err);
  if (command.chosen("report")) return report_command(arguments, out, err);
  if (command.chosen("merge")) return merge_command(arguments, out);
  if (command.chosen("compare")) return compare_command(arguments, out, err);
  if (command.chosen("describe")) return describe_command(arguments, out);
  if (command.chosen("layers")) return layers_command(arguments, out, err);
  if (command.chosen("slurm")) {
    const bool asks_status = command.app.get_subcommand("slurm")->got_subcommand("status");
    return asks_status ? slurm_status_command(arguments, out) : slurm_command(arguments, out, err);
  }
  if (command.chosen("reproduce")) return reproduce_command(arguments, out);
  if (command.chosen("list")) return list_command(command.arguments, out);
  if (command.chosen("env")) return env_command(arguments, out);
  if (command.chosen("schema")) return schema_command(arguments, out);
  if (command.chosen("completion")) return completion_command(command, out);
  if (command.chosen("man")) return man_command(command, out);
  if (command.chosen("worker")) return worker_main(run_case);
  if (command.chosen("rank")) return guard_rank();
  if (command.chosen("start-ranks")) return start_ranks(arguments.start_ranks);
  return run_command(arguments, out, err);
}

/// Returns whether this process produces no output: of the processes that a user's own launcher started together, only
/// rank 0 does.
bool follows() {
  return in_ranks() && comm::process_place()->rank != 0;
}

int parse_and_dispatch(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  Command command;
  try {
    command.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return command.app.exit(error, out, err) == 0 ? exit_code::ok : exit_code::usage;
  }
  command.take_first_word();
  const bool alone = command.chosen("validate") || command.chosen("plan") || command.chosen("trace") ||
                     command.chosen("report") || command.chosen("merge") || command.chosen("compare") ||
                     command.chosen("describe") || command.chosen("layers") || command.chosen("slurm") ||
                     command.chosen("reproduce") || command.chosen("list") || command.chosen("env") ||
                     command.chosen("schema") || command.chosen("completion") || command.chosen("man");
  if (alone && follows()) return exit_code::ok;
  return dispatch(command, out, err);
}

}  // namespace

int main_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) noexcept {
  PrintableStream shown(out), told(err);
  try {
    if (follows()) {
      std::ostream nowhere(nullptr);
      return parse_and_dispatch(argc, argv, nowhere, nowhere);
    }
    const int code = parse_and_dispatch(argc, argv, out, err);
    if (out.flush() || code != exit_code::ok) return code;
    err << "ddlbench: the results could not be written to standard output\n";
    return exit_code::infrastructure;
  } catch (const ConfigError& error) {
    err << shortened(error.what()) << '\n';
    return exit_code::usage;
  } catch (const InputError& error) {
    err << "ddlbench: " << shortened(printable(error.what())) << '\n';
    return exit_code::usage;
  } catch (const workloads::BadData& error) {
    err << "ddlbench: " << shortened(printable(error.what())) << '\n';
    return exit_code::usage;
  } catch (const std::bad_alloc&) {
    err << "ddlbench: out of memory\n";
    return exit_code::infrastructure;
  } catch (const std::exception& error) {
    err << "ddlbench: " << shortened(printable(error.what())) << '\n';
    return exit_code::infrastructure;
  }
}

}  // namespace ddlbench::bench
