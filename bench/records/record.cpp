#include "bench/records/record.h"

#include <array>
#include <utility>

namespace ddlbench::bench {

namespace {

constexpr std::array<std::pair<Status, std::string_view>, 11> status_names{{
    {Status::ok, "ok"},
    {Status::failed, "failed"},
    {Status::crashed, "crashed"},
    {Status::out_of_memory, "out_of_memory"},
    {Status::timed_out, "timed_out"},
    {Status::non_finite, "non_finite"},
    {Status::lost_rank, "lost_rank"},
    {Status::bad_data, "bad_data"},
    {Status::unsupported, "unsupported"},
    {Status::interrupted, "interrupted"},
    {Status::skipped, "skipped"},
}};

}  // namespace

std::string_view name(Status status) {
  return status_names.at(static_cast<std::size_t>(status)).second;
}

std::optional<Status> parse_status(std::string_view name) {
  for (const auto& [value, text] : status_names) {
    if (text == name) return value;
  }
  return std::nullopt;
}

bool certificate_failed(const CaseRecord& record) {
  return record.measurement && !record.measurement->certified && record.measurement->certificate_update.has_value();
}

bool certificate_proves_nothing(const Measurement& m) {
  const auto beyond = [](const std::optional<double>& found, const std::optional<double>& tolerance) {
    return found && tolerance && *found > *tolerance;
  };
  return !m.certified && m.tolerance_update && !beyond(m.certificate_loss, m.tolerance_loss) &&
         !beyond(m.certificate_gradient, m.tolerance_gradient) && !beyond(m.certificate_update, m.tolerance_update) &&
         !beyond(m.certificate_statistic, m.tolerance_statistic);
}

bool shares_resources(const CaseRecord& record) {
  return record.oversubscribed || (record.measurement && record.measurement->devices_shared);
}

bool is_unexpected(const CaseRecord& record) {
  if (record.status == Status::unsupported || record.status == Status::skipped) return false;
  return name(record.status) != record.expect;
}

bool has_trained(const CaseRecord& record) {
  return record.measurement && !record.measurement->epoch_seconds_source.empty();
}

bool is_failure(const CaseRecord& record) {
  return is_unexpected(record) || (record.status == Status::ok && certificate_failed(record));
}

bool was_cut_short(const CaseRecord& record) {
  const bool is_such = record.status == Status::interrupted || record.status == Status::skipped;
  return is_such && name(record.status) != record.expect;
}

bool has_infrastructure_failure(const CaseRecord& record) {
  return was_cut_short(record) || (record.status == Status::lost_rank && name(record.status) != record.expect);
}

bool is_retried(const CaseRecord& record, Retry retry) {
  return has_infrastructure_failure(record) || (retry == Retry::failed && is_failure(record));
}

}  // namespace ddlbench::bench
