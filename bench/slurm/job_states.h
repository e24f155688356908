#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// The state of a job, or of a task of a job array, as Slurm names it.
struct JobState {
  std::string name;                                 ///< "PENDING", "RUNNING", "COMPLETED", "TIMEOUT", …
  std::string reason;                               ///< why it is pending: "Resources"; empty otherwise
  std::string elapsed;                              ///< time since its last start: "1-02:03:04"
  std::string nodes;                                ///< "n[0-1]"; empty while there is none
  std::optional<double> cpu_efficiency_ratio = {};  ///< processor time / (time × cores), from accounting

  bool is_waiting() const;  ///< may still start
  bool is_running() const;  ///< has an allocation
  /// Neither: also in a state that this version of ddlbench does not know.
  bool has_ended() const { return !is_waiting() && !is_running(); }
};

/// States of jobs, by id: "4711", or "4711_2" for a task of an array.
using JobStates = std::map<std::string, JobState>;

/// The options of squeue and sacct whose output the functions below parse, without the ids of jobs.
const std::vector<std::string>& squeue_options();
const std::vector<std::string>& sacct_options();

/// Parses the output of squeue. Lines that have another form are left out.
JobStates parse_squeue(const std::string& output);
/// Parses the output of sacct. Lines of job steps are left out.
JobStates parse_sacct(const std::string& output);

/// Parses a time such as "1-02:03:04", "1-02", "02:03:04" or "03:04.567". Returns seconds; nothing for another text.
std::optional<double> parse_slurm_time(const std::string& text);

/// Asks squeue, and sacct for jobs that squeue does not know any more. A job that neither knows is left out: without
/// accounting, Slurm forgets a job some minutes after its end. Throws InputError if Slurm does not answer.
JobStates ask_slurm(const std::vector<std::string>& ids);

}  // namespace ddlbench::bench
