#include "bench/command/arguments.h"

#include <regex>

#include "bench/config/json_reader.h"

namespace ddlbench::bench {
namespace {

std::string regex_error_of(const std::string& pattern) {
  try {
    const std::regex compiled(pattern);
    return "";
  } catch (const std::regex_error& error) {
    return "not a regular expression: " + std::string(error.what());
  }
}

/// Paths stand in JSON records.
std::string text_error_of(const std::string& path) {
  return is_utf8(path) ? "" : "not UTF-8 text";
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
      ->check(CLI::Validator(regex_error_of, ""));
}

void add_plan_options(CLI::App& app, Arguments& arguments) {
  app.add_flag("--show-program", arguments.show_program, "Print every program");
  app.add_flag("--static", arguments.static_only, "Work, traffic and memory alone: time nothing, simulate nothing");
  app.add_flag("--timeline", arguments.timeline, "Draw one simulated step of each case");
  app.add_option("--svg", arguments.svg, "The drawing of the one case that is chosen, as an SVG file")
      ->type_name("FILE")
      ->check(CLI::Validator(text_error_of, ""));
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
