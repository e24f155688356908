#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/budget.h"

namespace ddlbench::bench {

inline constexpr int schema_version = 1;

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

// What each field means, and which column it is, stands in the record's own file.
#define DDLBENCH_FIELD(type, member, value, ...) type member = value;

/// What the simulator says of a step.
struct PredictionRecord {
#include "bench/records/prediction.def"
};

/// What a process of a case has of the host's memory.
struct HostMemoryRecord {
#include "bench/records/host_memory.def"
};

/// A row of epochs.csv. An empty optional is an empty cell, which is not 0.
struct EpochRecord {
#include "bench/records/epoch.def"
};

/// A row of ranks.csv.
struct RankRecord {
#include "bench/records/rank.def"
};

/// A row of utilisation.csv.
struct UtilisationRecord {
#include "bench/records/utilisation.def"
};

#undef DDLBENCH_FIELD
#define DDLBENCH_CASE(...)
#define DDLBENCH_COMPARISON(...)
#define DDLBENCH_MEASUREMENT(type, member, value, ...) type member = value;

/// What a case's process found out; identification and comparison columns are added by the supervisor.
/// `repetitions` is 0 where no step was timed, `epoch_seconds_source` empty where no epoch was trained.
struct Measurement {
#include "bench/records/case.def"
};

#undef DDLBENCH_MEASUREMENT
#undef DDLBENCH_CASE
#define DDLBENCH_MEASUREMENT(...)
#define DDLBENCH_CASE(type, member, value, ...) type member = value;

/// A row of cases.csv, its comparison columns aside: they need the other rows.
struct CaseRecord {
#include "bench/records/case.def"
};

#undef DDLBENCH_CASE
#undef DDLBENCH_COMPARISON
#define DDLBENCH_CASE(...)
#define DDLBENCH_COMPARISON(type, member, value, ...) type member = value;

/// The columns of a case's row that depend on the other rows. Empty for a row that is not ok, whose certificate failed,
/// or whose contract has no one-rank row to compare with.
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

/// All records of a run, as its journal has them.
struct Records {
  std::vector<CaseRecord> cases;
  std::vector<EpochRecord> epochs;
  std::vector<RankRecord> ranks;
  std::vector<UtilisationRecord> utilisation;
  std::vector<std::string> started;  ///< ids of the cases that began, whether they ended or not
};

/// An exact strategy was held against the reference and is not the same training, or nothing was proved by that.
bool certificate_failed(const CaseRecord& record);

/// It was held against the reference, and is as near as its tolerances want it, but these are too wide to prove
/// anything.
bool certificate_proves_nothing(const Measurement& measurement);

/// Its ranks were in each other's way: more busy threads than cores, or several ranks on a GPU. Its step time is not
/// ranked.
bool shares_resources(const CaseRecord& record);

/// Another outcome was expected than the one that came. Of unsupported and skipped cases never.
bool is_unexpected(const CaseRecord& record);

/// What makes a run's exit code 1: an unexpected outcome, or a failed certificate.
bool is_failure(const CaseRecord& record);

}  // namespace ddlbench::bench
