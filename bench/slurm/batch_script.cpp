#include "bench/slurm/batch_script.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/join.h"

namespace ddlbench::bench {
namespace {

/// From the variables that the head of the script sets to its end.
constexpr const char* body = R"(
most_timeouts=3                     # after so many time-outs the job is not requeued again
timeouts_file=$slurm_folder/$job.timeouts

# Hydra starts a process on each node by srun. Without this, Slurm may bind that process, and with it the ranks of the
# node, to one core. ddlbench binds the threads of each rank itself.
export SLURM_CPU_BIND=none

# Slurm sends SIGUSR2 (--signal) near the time limit, and SIGTERM at the end of the job. ddlbench then saves its results and
# ends; `asked` is the reason.
asked=
stop() { # REASON SIGNAL
  asked=$1
  kill -s "$2" "$ddlbench_process" 2>/dev/null
}
trap 'stop time-out USR2' USR2
trap 'stop end TERM' TERM

arguments=(--config "$experiment" --output "$folder")
[ -n "$cases" ] && arguments+=("--filter=$cases")
# A journal belongs to an earlier start of this job: ddlbench runs what is missing, unless that start ended before it had
# planned its cases.
if grep --quiet '"kind":"plan"' "$folder/journal.jsonl" 2>/dev/null; then
  arguments=(--resume "$folder")
elif [ -e "$folder/journal.jsonl" ]; then
  rm -r "$folder"
fi
arguments+=("${options[@]}")
echo "job $SLURM_JOB_ID on $SLURM_JOB_NODELIST, restarts: ${SLURM_RESTART_COUNT:-0}: $ddlbench ${arguments[*]}"
"$ddlbench" "${arguments[@]}" &
ddlbench_process=$!
wait "$ddlbench_process"
code=$?
while [ $code -gt 128 ] && kill -0 "$ddlbench_process" 2>/dev/null; do # a signal only interrupted the wait
  wait "$ddlbench_process"
  code=$?
done

preempted() { scontrol show job "$SLURM_JOB_ID" 2>/dev/null | grep --quiet 'PreemptTime=[0-9]'; }
requeue() {
  echo "requeued after $asked"
  scontrol requeue "$SLURM_JOB_ID"
}
if [ $code -gt 128 ]; then          # ddlbench stopped before its end
  [ -n "$asked" ] || sleep 1        # Slurm signals all processes of a job, and ddlbench may be the first to notice
  [ $code -eq 142 ] && [ -z "$asked" ] && asked=time-out # it ended by itself: no further case fits into the time left
  preempted && asked=preemption
  case $asked in
    preemption) requeue ;;
    time-out)
      timeouts=$(($(cat "$timeouts_file" 2>/dev/null || echo 0) + 1))
      echo "$timeouts" >"$timeouts_file"
      if [ "$timeouts" -le "$most_timeouts" ]; then requeue; else echo "not requeued: time-out number $timeouts"; fi
      ;;
  esac
fi
exit $code
)";

/// Returns a text as the value of an option in a line #SBATCH.
std::string option_value(const std::string& name, const std::string& value) {
  if (value.find_first_of("\n\r\"\\") != std::string::npos) {
    throw InputError(
        fmt::format("{} of the jobs: '{}' has a line break, a quotation mark or a backslash, which an option "
                    "of sbatch cannot have",
                    name, value));
  }
  const bool is_word = value.find_first_of(" \t#'") == std::string::npos;
  return is_word ? value : fmt::format("\"{}\"", value);
}

/// In names of log files, % begins a pattern.
std::string without_patterns(std::string path) {
  for (std::size_t at = path.find('%'); at != std::string::npos; at = path.find('%', at + 2)) path.insert(at, "%");
  return path;
}

class Head {
 public:
  Head(std::string experiment, const StudyRequest& request) : experiment_(std::move(experiment)), request_(request) {}

  std::string text(const std::string& script, const std::vector<StudyJob>& jobs) {
    text_ = "#!/bin/bash\n";
    about(script, jobs);
    const bool is_array = request_.layout == Layout::array;
    option("--job-name", is_array || jobs[0].ranks.size() > 1 ? experiment_ : experiment_ + "-" + jobs[0].name);
    if (is_array) option("--array", fmt::format("0-{}%{}", jobs.size() - 1, request_.simultaneous));
    if (!request_.partition.empty()) option("--partition", request_.partition);
    if (!request_.account.empty()) option("--account", request_.account);
    if (!request_.time.empty()) option("--time", request_.time);
    resources(jobs[0].allocation);
    option("--chdir", request_.working_folder);
    const std::string logs = without_patterns(slurm_folder(request_.folder));
    option("--output", fmt::format("{}/{}{}.log", logs, script, is_array ? "-%a" : ""));
    option("--open-mode", "append");
    option("--requeue", "");
    option("--signal", "B:USR2@60");
    for (const std::string& one : request_.sbatch_options) plain_option(one);
    variables(jobs);
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += text + '\n'; }
  void option(const std::string& name, const std::string& value) {
    line(value.empty() ? "#SBATCH " + name : fmt::format("#SBATCH {}={}", name, option_value(name, value)));
  }
  void plain_option(const std::string& whole) {
    if (!whole.starts_with('-') || whole.find('\n') != std::string::npos)
      throw InputError(
          fmt::format("--sbatch '{}': write an option of sbatch in one line, as in --sbatch=--qos=long", whole));
    line("#SBATCH " + whole);
  }

  void about(const std::string& script, const std::vector<StudyJob>& jobs) {
    std::size_t cases = 0;
    std::vector<int> ranks;
    for (const StudyJob& job : jobs) {
      cases += job.case_ids.size();
      ranks.insert(ranks.end(), job.ranks.begin(), job.ranks.end());
    }
    line(fmt::format("# {}: {} on {} rank{}.", experiment_, counted(cases, "case"), joined(ranks),
                     ranks.back() == 1 ? "" : "s"));
    line(fmt::format("# Written by ddlbench slurm. Submit it with: sbatch {}",
                     shell_word(fmt::format("{}/{}.sh", slurm_folder(request_.folder), script))));
    if (request_.layout == Layout::array) {
      line("#");
      line("# Each task of the array runs the cases of one number of ranks. All tasks of an array ask for the same");
      line("# allocation, that of the largest number.");
    } else if (request_.layout == Layout::allocation) {
      line("#");
      line(
          "# All cases run in this allocation one after another, then in turns, so that they are compared on the same");
      line("# nodes at the same time. A case with fewer ranks leaves the rest of the allocation idle.");
    }
    line("");
  }

  void resources(const Allocation& allocation) {
    line("# " + describe(allocation));
    option("--nodes", std::to_string(allocation.nodes));
    option("--ntasks-per-node", std::to_string(allocation.tasks_per_node));
    option("--cpus-per-task", std::to_string(allocation.cpus_per_task));
    if (allocation.gpus_per_node == 0) return;
    const std::string type = request_.gpu_type.empty() ? "" : request_.gpu_type + ":";
    option("--gres", fmt::format("gpu:{}{}", type, allocation.gpus_per_node));
  }

  void variables(const std::vector<StudyJob>& jobs) {
    line("");
    line("ddlbench=" + shell_word(request_.program));
    line("experiment=" + shell_word(experiment_file(request_.folder)));
    line("slurm_folder=" + shell_word(slurm_folder(request_.folder)));
    const auto name = [](const StudyJob& job) { return shell_word(job.name); };
    const auto filter = [](const StudyJob& job) { return shell_word(job.filter); };
    if (request_.layout == Layout::array) {
      line(fmt::format("jobs=({})", joined(jobs, " ", name)));
      line(fmt::format("filters=({})", joined(jobs, " ", filter)));
      line("job=${jobs[$SLURM_ARRAY_TASK_ID]}");
      line("cases=${filters[$SLURM_ARRAY_TASK_ID]}  # a regular expression that selects the cases by their ids");
    } else {
      line("job=" + name(jobs[0]));
      line(fmt::format("cases={}  # a regular expression that selects the cases by their ids; empty: all",
                       filter(jobs[0])));
    }
    line(fmt::format("folder={}/$job  # the results of this job, with a journal of their own",
                     shell_word(request_.folder)));
    line(
        fmt::format("options=({})  # further options of ddlbench", joined(request_.ddlbench_options, " ", shell_word)));
    if (request_.before.empty()) return;
    line("");
    for (const std::string& command : request_.before) line(command);
  }

  std::string experiment_;
  const StudyRequest& request_;
  std::string text_;
};

}  // namespace

std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+,:=@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::vector<BatchScript> batch_scripts(const std::string& experiment, const std::vector<StudyJob>& jobs,
                                       const StudyRequest& request) {
  std::vector<BatchScript> scripts;
  if (request.layout == Layout::array) {
    scripts.push_back({"array", jobs, ""});
  } else {
    for (const StudyJob& job : jobs) scripts.push_back({job.name, {job}, ""});
  }
  Head head(experiment, request);
  for (BatchScript& script : scripts) script.text = head.text(script.name, script.jobs) + body;
  return scripts;
}

}  // namespace ddlbench::bench
