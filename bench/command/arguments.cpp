#include "bench/command/arguments.h"

#include "base/error.h"
#include "bench/command/filter.h"
#include "bench/command/number_limits.h"
#include "bench/command/shard.h"
#include "bench/config/case_count.h"
#include "json/read.h"

namespace ddlbench::bench {
namespace {

std::string filter_error_of(const std::string& pattern) {
  try {
    const Filter compiled(pattern);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// Returns why a path is unusable, or "". Paths become text in JSON records, so they must be UTF-8.
std::string text_error_of(const std::string& path) {
  if (path.empty()) return "empty; give it a value, or leave the option out";
  return json::is_utf8(path) ? "" : "not UTF-8 text";
}

std::string format_error_of(const std::string& format) {
  return format == "text" || format == "json" ? "" : "unknown format '" + format + "'; available: text, json";
}

std::string shard_error_of(const std::string& shard) {
  try {
    parse_shard(shard);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string retry_error_of(const std::string& retried) {
  return retried == "failed" ? "" : "unknown value '" + retried + "'; available: failed";
}

void add_format_option(CLI::App& app, Arguments& arguments) {
  app.add_option("--format", arguments.format, "Form of the results on standard output (default: text)")
      ->type_name("text|json")
      ->check(CLI::Validator(format_error_of, ""));
}

}  // namespace

void add_experiment_options(CLI::App& app, Arguments& arguments, FirstWord first) {
  app.add_option(first == FirstWord::is_experiment ? "--config,-c,FILE" : "--config,-c", arguments.config,
                 first == FirstWord::is_other ? "Experiment that both programs run, a JSON file"
                                              : "Experiment, a JSON file; - reads standard input")
      ->type_name("FILE")
      ->check(CLI::Validator(text_error_of, ""));
  if (first == FirstWord::is_separate) {
    app.add_option("FILE", arguments.first_word, "Experiment to run, as with --config")
        ->type_name("FILE")
        ->check(CLI::Validator(text_error_of, ""));
  }
  app.add_option("--set", arguments.overrides, "Override a configuration value; repeatable")
      ->type_name("/POINTER=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--filter", arguments.filter, "Use only the cases whose id or strategy matches")
      ->type_name("REGEX")
      ->check(CLI::Validator(filter_error_of, ""));
}

void add_plan_options(CLI::App& app, Arguments& arguments) {
  app.add_flag("--show-program", arguments.show_program, "Print every program");
  app.add_flag("--static", arguments.static_only, "Show only work, traffic and memory, without timing or simulation");
  app.add_flag("--one-rank-per-host", arguments.one_rank_per_host,
               "Predict for hosts like this one, one for each rank, connected by the links of devices/throttle");
  app.add_option("--roofline", arguments.roofline,
                 "Show the minimum step time, by op, on a device with this peak rate and memory bandwidth")
      ->type_name("FLOPS,BYTES_PER_SECOND")
      ->expected(2)
      ->delimiter(',')
      ->check(positive_number());
  app.add_flag("--timeline", arguments.timeline, "Draw a simulated step of each case; several steps if they overlap");
  app.add_option("--svg", arguments.svg, "Write the drawing of the selected case to an SVG file")
      ->type_name("FILE")
      ->check(CLI::Validator(text_error_of, ""));
}

void add_model_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator is_text(text_error_of, "");
  app.add_option("--model,-m,MODEL", arguments.model, "Model name, or path of a JSON model file")
      ->type_name("MODEL")
      ->check(is_text);
  app.add_option("--config,-c", arguments.config, "Experiment that provides the model, data set and batch")
      ->type_name("FILE")
      ->check(is_text);
  app.add_option("--set", arguments.overrides, "Override a configuration value; repeatable")
      ->type_name("/POINTER=VALUE")
      ->expected(1)
      ->needs("--config")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--option", arguments.options, "Model setting; repeatable")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--input", arguments.input, "Shape of one sample: 3x224x224, or 1024 for text")
      ->type_name("SIZES")
      ->check(is_text);
  app.add_option("--classes", arguments.classes, "Number of classes, or vocabulary size for text")
      ->type_name("N")
      ->check(integer_from(1, 1 << 24));
  app.add_option("--batch", arguments.batch, "Samples")->type_name("N")->check(integer_from(1, 1 << 24));
  app.add_option("--csv", arguments.csv, "Also write the table as CSV")->type_name("FILE")->check(is_text);
}

void add_trace_options(CLI::App& app, Arguments& arguments) {
  add_experiment_options(app, arguments);
  app.add_option("--output,-o", arguments.output, "New folder for the trace")
      ->type_name("DIR")
      ->required()
      ->check(CLI::Validator(text_error_of, ""));
  app.add_option("--steps", arguments.steps, "Number of training steps (default: measure/verify_steps)")
      ->type_name("N")
      ->check(integer_from(1, 10000));
}

void add_layers_options(CLI::App& app, Arguments& arguments) {
  add_model_options(app, arguments);
  app.add_option("--device", arguments.devices, "Devices to time the layers on, shown side by side (default: cpu)")
      ->type_name("DEVICE[,DEVICE]")
      ->delimiter(',')
      ->check(CLI::Validator(text_error_of, ""));
  app.add_option("--precision", arguments.precision,
                 "Precision of parameters, activations and gradients (default: fp32)")
      ->type_name("fp32|bf16|fp16")
      ->check(CLI::Validator(text_error_of, ""));
  app.add_option("--threads", arguments.threads, "Host threads (default: all cores)")
      ->type_name("N")
      ->check(integer_from(1, 1 << 16));
  app.add_flag("--forward-only", arguments.forward_only, "Skip the backward pass");
  app.add_flag("--quiet,-q", arguments.quiet, "Do not show which layer is being timed");
}

void add_report_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator is_text(text_error_of, "");
  app.add_option("DIR", arguments.folders, "Folders of results, of finished or interrupted runs")
      ->type_name("DIR")
      ->required()
      ->check(is_text);
  add_format_option(app, arguments);
  app.add_option("--html", arguments.html, "Also write a page with charts, which needs no other file and no network")
      ->type_name("FILE")
      ->check(is_text);
  app.add_option("--mllog", arguments.mllog, "Also write the training runs as lines of MLPerf's logging format")
      ->type_name("FILE")
      ->check(is_text);
  app.add_option("--tensorboard", arguments.tensorboard, "Also write the training runs as event files of TensorBoard")
      ->type_name("DIR")
      ->check(is_text);
}

void add_merge_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator is_text(text_error_of, "");
  app.add_option("DIR", arguments.folders, "Folders of results of one configuration")
      ->type_name("DIR")
      ->required()
      ->check(is_text);
  app.add_option("--output,-o", arguments.output, "New folder for all of them")
      ->type_name("DIR")
      ->required()
      ->check(is_text);
  app.add_flag("--accept-changes", arguments.accept_changes, "Merge runs of different programs, too");
}

void add_bubble_options(CLI::App& app, Arguments& arguments) {
  BubbleRequest& bubble = arguments.bubble;
  const auto whole = [&app](const char* name, std::optional<int>& value, int most, const char* help) {
    app.add_option(name, value, help)->type_name("N")->check(integer_from(1, most));
  };
  const auto time = [&app](const char* name, auto& value, double least, const char* help) {
    app.add_option(name, value, help)->type_name("TIME")->check(number_from(least, 1e9));
  };
  whole("--stages", bubble.stages, 128, "Ranks of the pipeline");
  whole("--microbatches", bubble.microbatches, 1024, "Micro-batches of a step");
  time("--forward", bubble.forward, 1e-9, "Time of a micro-batch's forward pass on a rank, in any unit");
  time("--input", bubble.input, 1e-9, "Time of the half of its backward pass that computes the gradient of the input");
  time("--weight", bubble.weight, 1e-9, "Time of the half that computes the gradients of the weights");
  time("--transfer", bubble.transfer, 0, "Delay of a message between two ranks (default: 0)");
}

void add_compare_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator is_text(text_error_of, "");
  app.add_option("OLD", arguments.before,
                 "Folder of results to compare with; with --run, a ddlbench program or an experiment")
      ->type_name("FILE")
      ->required()
      ->check(is_text);
  app.add_option("NEW", arguments.after, "Folder, program or experiment to compare with OLD")
      ->type_name("FILE")
      ->required()
      ->check(is_text);
  app.add_option_function<std::string>(
         "--margin", [&arguments](const std::string& text) { arguments.margin = *parse_percentage(text); },
         "Smallest difference of interest (default: 2%)")
      ->type_name("PERCENT")
      ->check(percentage());
  app.add_flag("--markdown", arguments.markdown, "Print tables of GitHub's Markdown");
  app.add_option("--csv", arguments.csv, "Also write all cases as CSV")->type_name("FILE")->check(is_text);
  app.add_flag("--run", arguments.take_turns,
               "Run two ddlbench programs, or two experiments, in turns, and compare them");
  add_experiment_options(app, arguments, FirstWord::is_other);
  app.add_option("--rounds", arguments.rounds, "Number of rounds (default: as many as the margin needs)")
      ->type_name("N")
      ->check(integer_from(2, 10000));
  app.add_option("--max-seconds", arguments.max_seconds, "Time after which no other round begins (default: 300)")
      ->type_name("N")
      ->check(positive_number());
  app.add_option("--output,-o", arguments.output, "New folder for the results of all runs (default: they are removed)")
      ->type_name("DIR")
      ->check(is_text);
  app.add_flag("--quiet,-q", arguments.quiet, "Show neither progress nor notes, only errors");
}

std::vector<CLI::Option*> add_limit_options(CLI::App& app, Arguments& arguments) {
  CLI::Option* time =
      app.add_option_function<std::string>(
             "--time-limit", [&arguments](const std::string& text) { arguments.time_limit = parse_duration(text); },
             "Start nothing that cannot end within this time, and stop when it has passed: 90s, 45m, 1h30m, 1-02:30:00 "
             "(default in a Slurm job: its end, if Slurm provides it)")
          ->type_name("TIME")
          ->check(duration());
  CLI::Option* memory =
      app.add_option_function<std::string>(
             "--memory-limit", [&arguments](const std::string& text) { arguments.memory_limit = parse_size(text); },
             "Memory of the processes of a case on this machine; one that needs more ends as out_of_memory: 512M, 8GiB "
             "(default: what is available)")
          ->type_name("SIZE")
          ->check(size());
  CLI::Option* retries =
      app.add_option("--retries", arguments.retries, "Restart a case that lost a rank, at most N times (default: 0)")
          ->type_name("N")
          ->check(integer_from(0, 1000));
  CLI::Option* failures =
      app.add_option("--max-failures", arguments.max_failures, "Skip the remaining cases after N failures")
          ->type_name("N")
          ->check(integer_from(1, max_cases));
  return {time, memory, retries, failures};
}

void add_run_options(CLI::App& app, Arguments& arguments, FirstWord first) {
  add_experiment_options(app, arguments, first);
  app.add_option("--output,-o", arguments.output, "Folder for the results (default: results/NAME-TIMESTAMP)")
      ->type_name("DIR")
      ->check(CLI::Validator(text_error_of, ""));
  const CLI::Validator is_text(text_error_of, "");
  app.add_option("--resume", arguments.resume,
                 "Continue the run in this folder: run the cases that have not ended, or that lost a rank")
      ->type_name("DIR")
      ->check(is_text);
  app.add_option("--shard", arguments.shard,
                 "Run only the I-th of N parts of the cases; `ddlbench merge` joins their folders")
      ->type_name("I/N")
      ->check(CLI::Validator(shard_error_of, ""));
  app.add_option_function<std::string>(
         "--retry", [&arguments](const std::string&) { arguments.retry = Retry::failed; },
         "With --resume: also rerun the cases that failed")
      ->type_name("failed")
      ->check(CLI::Validator(retry_error_of, ""));
  app.add_flag("--accept-changes", arguments.accept_changes,
               "With --resume: continue although the configuration, the program, the devices or the data changed");
  add_limit_options(app, arguments);
  add_format_option(app, arguments);
  app.add_flag("--dry-run", arguments.dry_run, "List the cases and the time to expect, without running them");
  app.add_flag("--quiet,-q", arguments.quiet, "Show neither progress nor notes, only errors");
}

}  // namespace ddlbench::bench
