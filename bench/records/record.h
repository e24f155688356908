#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/budget.h"

namespace ddlbench::bench {

inline constexpr int schema_version = 2;

enum class Status {
  ok,
  failed,
  crashed,
  out_of_memory,
  timed_out,
  non_finite,
  lost_rank,
  bad_data,
  unsupported,
  interrupted,
  skipped
};

std::string_view name(Status status);
std::optional<Status> parse_status(std::string_view name);

using Counts = std::map<std::string, std::int64_t>;  ///< by name

// What each field means, and which column it has, is in the .def file of the record.
#define DDLBENCH_FIELD(type, member, value, ...) type member = value;

/// The simulator's prediction for a step.
struct PredictionRecord {
#include "bench/records/prediction.def"
};

/// The host memory of a process of a case.
struct HostMemoryRecord {
#include "bench/records/host_memory.def"
};

/// A row of epochs.csv. An empty optional is an empty cell, which is not 0.
struct EpochRecord {
#include "bench/records/epoch.def"
};

/// A row of validations.csv.
struct ValidationRecord {
#include "bench/records/validation.def"
};

/// A row of ranks.csv.
struct RankRecord {
#include "bench/records/rank.def"
};

/// A row of utilisation.csv.
struct UtilisationRecord {
#include "bench/records/utilisation.def"
};

/// A row of visits.csv. `status` is ok if the visit ended with a step time.
struct VisitRecord {
#include "bench/records/visit.def"
};

/// How the rounds of a contract ended.
struct RoundsRecord {
#include "bench/records/rounds.def"
};

#undef DDLBENCH_FIELD
#define DDLBENCH_CASE(...)
#define DDLBENCH_COMPARISON(...)
#define DDLBENCH_MEASUREMENT(type, member, value, ...) type member = value;

/// The results of a case's process. The supervisor adds the columns for identification and comparison. `repetitions` is
/// 0 if no step was timed. `epoch_seconds_source` is empty if no epoch was trained.
struct Measurement {
#include "bench/records/case.def"
};

#undef DDLBENCH_MEASUREMENT
#undef DDLBENCH_CASE
#define DDLBENCH_MEASUREMENT(...)
#define DDLBENCH_CASE(type, member, value, ...) type member = value;

/// A row of cases.csv without its comparison columns, which depend on the other rows.
struct CaseRecord {
#include "bench/records/case.def"
};

#undef DDLBENCH_CASE
#undef DDLBENCH_COMPARISON
#define DDLBENCH_CASE(...)
#define DDLBENCH_COMPARISON(type, member, value, ...) type member = value;

/// The columns of a case's row that depend on the other rows. Empty if the row is not ok, if its certificate failed, or
/// if its contract has no one-rank row to compare with.
struct Comparison {
#include "bench/records/case.def"
  bool operator==(const Comparison&) const = default;
};

#undef DDLBENCH_CASE
#undef DDLBENCH_MEASUREMENT
#undef DDLBENCH_COMPARISON

struct CaseRow {
  CaseRecord record;
  Comparison comparison;
};

/// The last start of a case's processes.
struct StartedCase {
  std::string case_id;
  std::string time_utc;           ///< "2026-11-21T08:15:30Z"
  std::int64_t resumed_step = 0;  ///< steps of an earlier attempt that it does not train again
  int attempts = 1;               ///< how often the case was started, with this start
};

/// A case that a run is to have.
struct PlannedCase {
  std::string case_id, contract_id;
  std::uint64_t seed = 0;  ///< this and the next: 0 in a journal of an older ddlbench
  int ranks = 0;
};

/// What kind of run it is.
struct RunKind {
  bool certificates_only = false;  ///< one of `ddlbench verify`
  bool has_rounds = false;         ///< one that times cases again in rounds
  std::string shard = {};          ///< "1/2": a part of an experiment; empty: all of it
};

/// All records of a run, as in its journal. The cases have the times of their own processes; TimedCases has those of
/// all rounds.
struct Records {
  std::vector<CaseRecord> cases;
  std::vector<EpochRecord> epochs;
  std::vector<ValidationRecord> validations;  ///< within epochs
  std::vector<RankRecord> ranks;
  std::vector<UtilisationRecord> utilisation;
  std::vector<VisitRecord> visits;
  std::vector<RoundsRecord> rounds;  ///< of contracts whose rounds have ended
  std::vector<StartedCase> started;  ///< cases that started, whether they ended or not
  std::vector<PlannedCase> planned;  ///< all cases of the run, in order; empty in a journal of an older ddlbench
  RunKind kind;
};

/// Returns whether a strategy was compared with its reference (that of one rank, or of its own rule) and either trained
/// differently, or nothing was proved.
bool certificate_failed(const CaseRecord& record);

/// Returns whether the case was compared with the reference and is within its tolerances, but these are too wide to
/// prove anything.
bool certificate_proves_nothing(const Measurement& measurement);

/// Returns whether the ranks shared resources: more busy threads than cores, or several ranks on a GPU. The step time
/// of such a case is not ranked.
bool shares_resources(const CaseRecord& record);

/// Returns whether the outcome differs from the expected one. Never true for unsupported and skipped cases.
bool is_unexpected(const CaseRecord& record);

/// Returns whether the case makes the run's exit code 1: an unexpected outcome, or a failed certificate.
bool is_failure(const CaseRecord& record);

/// Returns whether the case trained an epoch.
bool has_trained(const CaseRecord& record);

/// Returns whether the run did not let the case get to an end of its own: it was interrupted or skipped.
bool was_cut_short(const CaseRecord& record);

/// Returns whether the case was cut short, or lost a process or a machine. A further attempt may end otherwise.
bool has_infrastructure_failure(const CaseRecord& record);

/// Which of the cases that have ended are to run again.
enum class Retry : std::uint8_t { infrastructure, failed };

/// Returns whether a case that has ended is to run again.
bool is_retried(const CaseRecord& record, Retry retry);

}  // namespace ddlbench::bench
