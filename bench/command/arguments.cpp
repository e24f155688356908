#include "bench/command/arguments.h"

#include "base/error.h"
#include "bench/command/filter.h"
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
  if (path.empty()) return "empty; leave the option out, or name something";
  return json::is_utf8(path) ? "" : "not UTF-8 text";
}

}  // namespace

void add_experiment_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--config,-c", arguments.config, "The experiment, a JSON file")
      ->type_name("FILE")
      ->check(CLI::Validator(text_error_of, ""));
  app.add_option("--set", arguments.overrides, "Override a value of the configuration; may be given many times")
      ->type_name("/POINTER=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--filter", arguments.filter, "Only cases whose id or strategy it matches")
      ->type_name("REGEX")
      ->check(CLI::Validator(filter_error_of, ""));
}

void add_plan_options(CLI::App& app, Arguments& arguments) {
  app.add_flag("--show-program", arguments.show_program, "Print every program");
  app.add_flag("--static", arguments.static_only, "Work, traffic and memory alone: time nothing, simulate nothing");
  app.add_option("--roofline", arguments.roofline,
                 "The least time of a step on a device of this peak rate and this memory bandwidth, by op")
      ->type_name("FLOPS,BYTES_PER_SECOND")
      ->expected(2)
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_flag("--timeline", arguments.timeline, "Draw one simulated step of each case");
  app.add_option("--svg", arguments.svg, "The drawing of the one case that is chosen, as an SVG file")
      ->type_name("FILE")
      ->check(CLI::Validator(text_error_of, ""));
}

void add_model_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator is_text(text_error_of, "");
  app.add_option("--model,-m,MODEL", arguments.model, "A model's name, or the file of a model in JSON")->check(is_text);
  app.add_option("--config,-c", arguments.config, "The experiment whose model, data set and batch are meant")
      ->type_name("FILE")
      ->check(is_text);
  app.add_option("--set", arguments.overrides, "Override a value of the configuration; may be given many times")
      ->type_name("/POINTER=VALUE")
      ->expected(1)
      ->needs("--config")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--option", arguments.options, "A setting of the model; may be given many times")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--input", arguments.input, "Sizes of one sample: 3x224x224, or 1024 for a text")
      ->type_name("SIZES")
      ->check(is_text);
  app.add_option("--classes", arguments.classes, "Classes, or tokens of a text")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--batch", arguments.batch, "Samples")->type_name("N")->check(CLI::Range(1, 1 << 24));
  app.add_option("--csv", arguments.csv, "Write the table as CSV, too")->type_name("FILE")->check(is_text);
}

void add_trace_options(CLI::App& app, Arguments& arguments) {
  add_experiment_options(app, arguments);
  app.add_option("--output,-o", arguments.output, "Folder that is made for the trace")
      ->type_name("DIR")
      ->required()
      ->check(CLI::Validator(text_error_of, ""));
  app.add_option("--steps", arguments.steps, "Steps to train (default: measure/verify_steps)")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
}

void add_layers_options(CLI::App& app, Arguments& arguments) {
  add_model_options(app, arguments);
  app.add_option("--device", arguments.devices, "Where to time them: one, or several side by side (default: cpu)")
      ->type_name("KIND[,KIND]")
      ->delimiter(',')
      ->check(CLI::Validator(text_error_of, ""));
  app.add_option("--precision", arguments.precision, "fp32, bf16 or fp16 (default: fp32)")
      ->type_name("NAME")
      ->check(CLI::Validator(text_error_of, ""));
  app.add_option("--threads", arguments.threads, "Of the host (default: all cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 16));
  app.add_flag("--forward-only", arguments.forward_only, "Leave the backward pass out");
  app.add_flag("--quiet,-q", arguments.quiet, "Do not say which layer is being timed");
}

void add_run_options(CLI::App& app, Arguments& arguments) {
  add_experiment_options(app, arguments);
  app.add_option("--output,-o", arguments.output, "Folder of the records (default: results/NAME-TIMESTAMP)")
      ->type_name("DIR")
      ->check(CLI::Validator(text_error_of, ""));
  app.add_option("--max-failures", arguments.max_failures, "Skip the rest once so many cases have failed")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_flag("--dry-run", arguments.dry_run, "Say which cases would run, and run none");
  app.add_flag("--quiet,-q", arguments.quiet, "No progress");
}

}  // namespace ddlbench::bench
