#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bench/case/progress.h"
#include "bench/config/experiment.h"
#include "bench/records/store.h"
#include "temporary_folder.h"

// Runs cases whose processes do what the labels say. Each case's process is another run of this test binary.

namespace ddlbench::bench {

/// Set in the environment of such processes; its value is the supervisor's process id.
constexpr const char* worker_variable = "DDLBENCH_TEST_WORKER";

/// Executes the action that the case's label names.
Measurement stand_in(const Experiment&, const Case& which, const std::string& trace_file, Progress& progress);

Case make_case(const std::string& act, int ranks = 1);

struct Run {
  int code = 0;
  Records records;
  std::string out, err;
};

/// Runs the cases and writes the records to the folder's `run`.
Run run(const test::TemporaryFolder& folder, const std::vector<Case>& cases, double timeout_seconds = 20,
        const std::string& program = "/proc/self/exe", std::optional<int> max_failures = {},
        bool certificates_only = false);

/// Continues the run in that folder.
Run resume(const test::TemporaryFolder& folder, const std::vector<Case>& cases, Retry retry = Retry::infrastructure);

/// Runs the cases until the deadline.
Run run_until(const test::TemporaryFolder& folder, const std::vector<Case>& cases,
              std::chrono::steady_clock::time_point deadline);

/// Runs the cases with a limit of the time of each.
Run run_with_limit(const test::TemporaryFolder& folder, const std::vector<Case>& cases, double case_seconds);

/// Runs the cases, with further attempts of a case that loses a rank.
Run run_with_retries(const test::TemporaryFolder& folder, const std::vector<Case>& cases, int retries);

const CaseRecord& record_of(const Run& run, const std::string& id);

/// Returns how many processes `parent` started for cases, including their descendants: these inherit the variable.
int cases_of(pid_t parent);

}  // namespace ddlbench::bench
