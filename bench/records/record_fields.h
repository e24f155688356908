#pragma once

#include "bench/records/record.h"
#include "bench/records/result_column.h"

// The fields of all records, for the visitors of JSON (json_fields.h) and of tables (tables.h). Each field is f("key",
// member, ResultColumn).
namespace ddlbench::bench {

void fields(auto& f, program::Budget& r) {
  for (const auto& [name, seconds, help] : program::Budget::parts) f(name, r.*seconds, column(name, help, {}));
}

#define DDLBENCH_FIELD(type, member, value, help, ...) \
  f(#member, r.member, column(#member, help, {} __VA_OPT__(, ) __VA_ARGS__));

void fields(auto& f, PredictionRecord& r) {
#include "bench/records/prediction.def"
}

void fields(auto& f, HostMemoryRecord& r) {
#include "bench/records/host_memory.def"
}

void fields(auto& f, EpochRecord& r) {
#include "bench/records/epoch.def"
}

void fields(auto& f, ValidationRecord& r) {
#include "bench/records/validation.def"
}

void fields(auto& f, RankRecord& r) {
#include "bench/records/rank.def"
}

void fields(auto& f, UtilisationRecord& r) {
#include "bench/records/utilisation.def"
}

void fields(auto& f, VisitRecord& r) {
#include "bench/records/visit.def"
}

void fields(auto& f, RoundsRecord& r) {
#include "bench/records/rounds.def"
}

#undef DDLBENCH_FIELD

/// Conditions under which cells of cases.csv are filled.
inline Presence always(const CaseRecord&) {
  return {};
}
inline Presence measured(const CaseRecord& r) {
  return {r.measurement.has_value(), "the case is not `ok`"};
}
inline Presence timed(const CaseRecord& r) {
  return {r.measurement && r.measurement->repetitions > 0, "no step was timed"};
}
inline Presence trained(const CaseRecord& r) {
  return {has_trained(r), "no epoch was trained"};
}
inline Presence on_gpus(const CaseRecord& r) {
  return {r.measurement && r.measurement->devices, "the ranks compute on processors"};
}
inline Presence predicted(const CaseRecord& r) {
  return {r.measurement && r.measurement->prediction, "no prediction was possible: the case's log says why"};
}
inline Presence with_host_memory(const CaseRecord& r) {
  return {r.measurement && r.measurement->host_memory, "no epoch was trained"};
}

#define DDLBENCH_CASE(...)
#define DDLBENCH_COMPARISON(...)
#define DDLBENCH_MEASUREMENT(type, member, ...) f(#member, r.member, ResultColumn{});

void fields(auto& f, Measurement& r) {
#include "bench/records/case.def"
}

#undef DDLBENCH_MEASUREMENT
#undef DDLBENCH_CASE
#define DDLBENCH_MEASUREMENT(...)
#define DDLBENCH_CASE(type, member, ...) f(#member, r.member, ResultColumn{});

void fields(auto& f, CaseRecord& r) {
#include "bench/records/case.def"
}

#undef DDLBENCH_MEASUREMENT
#undef DDLBENCH_CASE
#undef DDLBENCH_COMPARISON
#define DDLBENCH_CASE(type, member, value, presence, help, ...) \
  f(#member, row.record.member, column(#member, help, presence(row.record) __VA_OPT__(, ) __VA_ARGS__));
#define DDLBENCH_MEASUREMENT(type, member, value, presence, help, ...) \
  f(#member, measurement.member, column(#member, help, presence(row.record) __VA_OPT__(, ) __VA_ARGS__));
#define DDLBENCH_COMPARISON(type, member, value, help) \
  f(#member, row.comparison.member, column(#member, help, {true, "there is no baseline"}));

/// The columns of cases.csv.
void fields(auto& f, CaseRow& row) {
  static const Measurement none;
  const Measurement& measurement = row.record.measurement ? *row.record.measurement : none;
  f("schema_version", schema_version, column("schema_version", "of these tables", {}));
#include "bench/records/case.def"
}

#undef DDLBENCH_CASE
#undef DDLBENCH_MEASUREMENT
#undef DDLBENCH_COMPARISON

}  // namespace ddlbench::bench
