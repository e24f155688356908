#include "bench/records/columns.h"

namespace ddlbench::bench {

namespace {

template <auto member>
std::string of_case(const CaseRow& row) {
  return cell(row.record.*member);
}

template <auto member>
std::string measured(const CaseRow& row) {
  return row.record.measurement ? cell((*row.record.measurement).*member) : std::string();
}

/// Of the measured steps, where there were any.
template <auto member>
std::string timed(const CaseRow& row) {
  const bool any = row.record.measurement && row.record.measurement->repetitions > 0;
  return any ? cell((*row.record.measurement).*member) : std::string();
}

/// Of the trained epochs, where there were any.
template <auto member>
std::string trained(const CaseRow& row) {
  const bool any = row.record.measurement && !row.record.measurement->epoch_seconds_source.empty();
  return any ? cell((*row.record.measurement).*member) : std::string();
}

template <auto member>
std::string budget(const CaseRow& row) {
  const bool any = row.record.measurement && row.record.measurement->repetitions > 0;
  return any ? cell(row.record.measurement->budget.*member) : std::string();
}

const PredictionRecord* prediction(const CaseRow& row) {
  return row.record.measurement && row.record.measurement->prediction ? &*row.record.measurement->prediction : nullptr;
}

template <auto member>
std::string predicted(const CaseRow& row) {
  return prediction(row) != nullptr ? cell(prediction(row)->*member) : std::string();
}

template <auto member>
std::string predicted_budget(const CaseRow& row) {
  return prediction(row) != nullptr ? cell(prediction(row)->budget.*member) : std::string();
}

template <auto member>
std::string host_memory(const CaseRow& row) {
  const bool any = row.record.measurement && row.record.measurement->host_memory;
  return any ? cell((*row.record.measurement->host_memory).*member) : std::string();
}

template <auto member>
std::string compared(const CaseRow& row) {
  return cell(row.comparison.*member);
}

/// Empty where the devices are the host's own cores.
std::string devices_shared(const CaseRow& row) {
  const bool any = row.record.measurement && row.record.measurement->devices;
  return any ? cell(row.record.measurement->devices_shared) : std::string();
}

std::string version(const CaseRow&) {
  return cell(schema_version);
}

std::string status(const CaseRow& row) {
  return cell(name(row.record.status));
}

}  // namespace

const std::vector<Column<CaseRow>>& case_columns() {
  using R = CaseRecord;
  using M = Measurement;
  using B = BudgetRecord;
  using P = PredictionRecord;
  using C = Comparison;
  using H = HostMemoryRecord;
  static const std::vector<Column<CaseRow>> columns{
      {"schema_version", version},
      {"experiment", of_case<&R::experiment>},
      {"case_id", of_case<&R::case_id>},
      {"contract_id", of_case<&R::contract_id>},
      {"scaling_id", of_case<&R::scaling_id>},
      {"baseline_case_id", compared<&C::baseline_case_id>},
      {"seed", of_case<&R::seed>},
      {"status", status},
      {"status_reason", of_case<&R::status_reason>},
      {"workload", of_case<&R::workload>},
      {"dataset", of_case<&R::dataset>},
      {"strategy", of_case<&R::strategy>},
      {"family", of_case<&R::family>},
      {"promise", measured<&M::promise>},
      {"ranks", of_case<&R::ranks>},
      {"threads_per_rank", of_case<&R::threads_per_rank>},
      {"oversubscribed", of_case<&R::oversubscribed>},
      {"mesh", measured<&M::mesh>},
      {"transport", of_case<&R::transport>},
      {"throttle", of_case<&R::throttle>},
      {"device", of_case<&R::device>},
      {"device_name", measured<&M::device_name>},
      {"devices", measured<&M::devices>},
      {"devices_shared", devices_shared},
      {"host", of_case<&R::host>},
      {"precision", of_case<&R::precision>},
      {"optimizer", of_case<&R::optimizer>},
      {"global_batch", of_case<&R::global_batch>},
      {"microbatches", measured<&M::microbatches>},
      {"epochs", of_case<&R::epochs>},
      {"epoch_seconds", trained<&M::epoch_seconds>},
      {"epoch_seconds_source", trained<&M::epoch_seconds_source>},
      {"repetitions", timed<&M::repetitions>},
      {"step_seconds", timed<&M::step_seconds>},
      {"step_seconds_low", timed<&M::step_seconds_low>},
      {"step_seconds_high", timed<&M::step_seconds_high>},
      {"samples_per_second", timed<&M::samples_per_second>},
      {"speedup_ratio", compared<&C::speedup_ratio>},
      {"own_speedup_ratio", compared<&C::own_speedup_ratio>},
      {"efficiency_ratio", compared<&C::efficiency_ratio>},
      {"peak_memory_bytes", timed<&M::peak_memory_bytes>},
      {"final_train_loss", trained<&M::final_train_loss>},
      {"final_validation_loss", trained<&M::final_validation_loss>},
      {"final_accuracy_ratio", trained<&M::final_accuracy_ratio>},
      {"final_perplexity", trained<&M::final_perplexity>},
      {"seconds_to_target", of_case<&R::seconds_to_target>},
      {"epochs_to_target", of_case<&R::epochs_to_target>},
      {"certificate_loss_max_rel_error", measured<&M::certificate_loss>},
      {"certificate_gradient_max_rel_error", measured<&M::certificate_gradient>},
      {"certificate_update_max_rel_error", measured<&M::certificate_update>},
      {"batch_statistics_samples", measured<&M::batch_statistics_samples>},
      {"budget_forward_seconds", budget<&B::forward>},
      {"budget_backward_seconds", budget<&B::backward>},
      {"budget_recompute_seconds", budget<&B::recompute>},
      {"budget_communication_seconds", budget<&B::communication>},
      {"budget_bubble_seconds", budget<&B::bubble>},
      {"budget_optimizer_seconds", budget<&B::optimizer>},
      {"budget_input_seconds", budget<&B::input>},
      {"budget_rest_seconds", budget<&B::rest>},
      {"sent_bytes_per_rank_per_step", timed<&M::sent_bytes_per_rank_per_step>},
      {"sent_bytes_nominal", timed<&M::sent_bytes_nominal>},
      {"collectives", measured<&M::collectives>},
      {"peculiar_kernels", measured<&M::peculiar_kernels>},
      {"launches_per_rank_per_step", timed<&M::launches_per_rank_per_step>},
      {"launch_mode", measured<&M::launch_mode>},
      {"predicted_step_seconds", predicted<&P::step_seconds>},
      {"predicted_budget_forward_seconds", predicted_budget<&B::forward>},
      {"predicted_budget_backward_seconds", predicted_budget<&B::backward>},
      {"predicted_budget_recompute_seconds", predicted_budget<&B::recompute>},
      {"predicted_budget_communication_seconds", predicted_budget<&B::communication>},
      {"predicted_budget_bubble_seconds", predicted_budget<&B::bubble>},
      {"predicted_budget_optimizer_seconds", predicted_budget<&B::optimizer>},
      {"predicted_budget_input_seconds", predicted_budget<&B::input>},
      {"predicted_budget_rest_seconds", predicted_budget<&B::rest>},
      {"predicted_peak_memory_bytes", predicted<&P::peak_memory_bytes>},
      {"noise_floor_loss", measured<&M::noise_loss>},
      {"noise_floor_gradient", measured<&M::noise_gradient>},
      {"noise_floor_update", measured<&M::noise_update>},
      {"certified", measured<&M::certified>},
      {"certificate_reason", measured<&M::certificate_reason>},
      {"target", of_case<&R::target>},
      {"tolerance_loss", measured<&M::tolerance_loss>},
      {"tolerance_gradient", measured<&M::tolerance_gradient>},
      {"tolerance_update", measured<&M::tolerance_update>},
      {"certificate_statistic_max_rel_error", measured<&M::certificate_statistic>},
      {"noise_floor_statistic", measured<&M::noise_statistic>},
      {"tolerance_statistic", measured<&M::tolerance_statistic>},
      {"final_loss_scale", trained<&M::final_loss_scale>},
      {"skipped_steps", trained<&M::skipped_steps>},
      {"loader_bytes", host_memory<&H::loader_bytes>},
      {"heap_peak_bytes", host_memory<&H::heap_peak_bytes>},
      {"case_heap_peak_bytes", host_memory<&H::case_heap_peak_bytes>},
      {"resident_peak_bytes", host_memory<&H::resident_peak_bytes>},
      {"resident_excess_bytes", host_memory<&H::resident_excess_bytes>},
      {"case_resident_peak_bytes", host_memory<&H::case_resident_peak_bytes>},
      {"resident_base_bytes", host_memory<&H::resident_base_bytes>},
  };
  return columns;
}

}  // namespace ddlbench::bench
