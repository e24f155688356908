#include "bench/command/arguments.h"
#include "bench/command/number_limits.h"

namespace ddlbench::bench {
namespace {

constexpr std::pair<const char*, Layout> layouts[] = {
    {"jobs", Layout::jobs}, {"array", Layout::array}, {"allocation", Layout::allocation}};

std::string layout_error_of(const std::string& name) {
  for (const auto& [known, layout] : layouts) {
    if (name == known) return "";
  }
  return "unknown layout '" + name + "'; available: jobs, array, allocation";
}

/// A value that Slurm compares with its own names: one word.
std::string word_error_of(const std::string& text) {
  if (text.empty()) return "empty; give it a value, or leave the option out";
  return text.find_first_of(" \t\n\r\"'\\") == std::string::npos ? "" : "'" + text + "' is not one word";
}

void add_list(CLI::App& app, const char* name, std::vector<std::string>& values, const char* type, const char* help) {
  app.add_option(name, values, help)
      ->type_name(type)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// Returns the options that limit a run as they were given, for the ddlbench of each job.
std::vector<std::string> given_of(const std::vector<CLI::Option*>& limits) {
  std::vector<std::string> given;
  for (const CLI::Option* option : limits) {
    if (option->count() > 0) given.push_back(option->get_name() + "=" + option->as<std::string>());
  }
  return given;
}

}  // namespace

void add_slurm_options(CLI::App& app, Arguments& arguments) {
  StudyRequest& study = arguments.study;
  const CLI::Validator is_word(word_error_of, "");
  add_experiment_options(app, arguments);
  app.add_option("--output,-o", study.folder, "Folder for the jobs and their results; always needed")->type_name("DIR");
  app.add_option("--partition", study.partition, "Partition of the jobs (default: the site's)")
      ->type_name("NAME")
      ->check(is_word);
  app.add_option("--time", study.time,
                 "Time limit of each job: minutes, or HOURS:MINUTES:SECONDS (default: the partition's)")
      ->type_name("TIME")
      ->check(is_word);
  app.add_option("--account", study.account, "Account that the jobs are charged to (default: the user's)")
      ->type_name("NAME")
      ->check(is_word);
  app.add_option_function<std::string>(
         "--layout",
         [&study](const std::string& name) {
           for (const auto& [known, layout] : layouts) {
             if (name == known) study.layout = layout;
           }
         },
         "One job for each number of ranks, a job array, or one allocation for all (default: jobs)")
      ->type_name("jobs|array|allocation")
      ->check(CLI::Validator(layout_error_of, ""));
  app.add_option("--ranks-per-node", study.placement.ranks_per_node, "Maximum number of ranks on a node (default: all)")
      ->type_name("N")
      ->check(integer_from(1, 1 << 16));
  app.add_option("--cpus-per-rank", study.placement.cpus_per_rank,
                 "Cores of each rank (default: devices/threads_per_rank, at least 1)")
      ->type_name("N")
      ->check(integer_from(1, 1 << 16));
  app.add_option("--gpu-type", study.gpu_type, "Type of the GPUs, as the site names it, such as a100 (default: any)")
      ->type_name("NAME")
      ->check(is_word);
  app.add_option("--simultaneous", study.simultaneous, "Tasks of an array that run at the same time (default: 1)")
      ->type_name("N")
      ->check(integer_from(1, 1 << 16));
  add_list(app, "--sbatch", study.sbatch_options, "OPTION",
           "One more option of sbatch, such as --sbatch=--qos=long; repeatable");
  app.parse_complete_callback(
      [limits = add_limit_options(app, arguments), &study] { study.ddlbench_options = given_of(limits); });
  add_list(app, "--before", study.before, "COMMAND",
           "Shell command before the cases, such as 'module load mpich'; repeatable");
  app.add_flag("--submit", arguments.submit, "Submit the jobs with sbatch");
  app.add_flag("--dry-run", arguments.dry_run, "Print the batch scripts, and write nothing");
}

}  // namespace ddlbench::bench
