#include "bench/records/record_json.h"

#include <cmath>
#include <limits>

#include "bench/records/json_fields.h"
#include "graph/error.h"

namespace ddlbench::bench {

nlohmann::json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from_json(const nlohmann::json& json) {
  if (!json.is_string()) return json.get<double>();
  const auto& text = json.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw ContractError("\"" + text + "\" is not a number");
}

static void to_json(nlohmann::json& json, Status status) {
  json = name(status);
}

static void from_json(const nlohmann::json& json, Status& status) {
  const auto& text = json.get_ref<const std::string&>();
  const auto parsed = parse_status(text);
  if (!parsed) throw ContractError("\"" + text + "\" is not a status");
  status = *parsed;
}

template <class Fields>
void fields(Fields& f, BudgetRecord& r) {
  auto& [forward, backward, recompute, communication, bubble, optimizer, input, rest] = r;
  f("forward", forward);
  f("backward", backward);
  f("recompute", recompute);
  f("communication", communication);
  f("bubble", bubble);
  f("optimizer", optimizer);
  f("input", input);
  f("rest", rest);
}

template <class Fields>
void fields(Fields& f, PredictionRecord& r) {
  auto& [step_seconds, budget, peak_memory_bytes] = r;
  f("step_seconds", step_seconds);
  f("budget", budget);
  f("peak_memory_bytes", peak_memory_bytes);
}

template <class Fields>
void fields(Fields& f, HostMemoryRecord& r) {
  auto& [loader_bytes, heap_peak_bytes, case_heap_peak_bytes, resident_peak_bytes, resident_excess_bytes,
         case_resident_peak_bytes, resident_base_bytes] = r;
  f("loader_bytes", loader_bytes);
  f("heap_peak_bytes", heap_peak_bytes);
  f("case_heap_peak_bytes", case_heap_peak_bytes);
  f("resident_peak_bytes", resident_peak_bytes);
  f("resident_excess_bytes", resident_excess_bytes);
  f("case_resident_peak_bytes", case_resident_peak_bytes);
  f("resident_base_bytes", resident_base_bytes);
}

template <class Fields>
void fields(Fields& f, EpochRecord& r) {
  auto& [case_id, epoch, epoch_seconds, validation_seconds, train_loss, validation_loss, accuracy_ratio,
         top5_accuracy_ratio, perplexity, elapsed_seconds, loss_scale, skipped_steps] = r;
  f("case_id", case_id);
  f("epoch", epoch);
  f("epoch_seconds", epoch_seconds);
  f("validation_seconds", validation_seconds);
  f("train_loss", train_loss);
  f("validation_loss", validation_loss);
  f("accuracy_ratio", accuracy_ratio);
  f("top5_accuracy_ratio", top5_accuracy_ratio);
  f("perplexity", perplexity);
  f("elapsed_seconds", elapsed_seconds);
  f("loss_scale", loss_scale);
  f("skipped_steps", skipped_steps);
}

template <class Fields>
void fields(Fields& f, RankRecord& r) {
  auto& [case_id, rank, role, budget, peak_bytes, sent_bytes, flops_per_step] = r;
  f("case_id", case_id);
  f("rank", rank);
  f("role", role);
  f("budget", budget);
  f("peak_bytes", peak_bytes);
  f("sent_bytes", sent_bytes);
  f("flops_per_step", flops_per_step);
}

template <class Fields>
void fields(Fields& f, UtilisationRecord& r) {
  auto& [case_id, elapsed_seconds, cpu_user_ratio, cpu_system_ratio, cpu_idle_ratio, cpu_iowait_ratio, resident_bytes,
         threads, processes, network_received_bytes, network_sent_bytes, loopback_bytes, gpu_utilisation_ratio,
         gpu_memory_bytes, gpu_power_watts] = r;
  f("case_id", case_id);
  f("elapsed_seconds", elapsed_seconds);
  f("cpu_user_ratio", cpu_user_ratio);
  f("cpu_system_ratio", cpu_system_ratio);
  f("cpu_idle_ratio", cpu_idle_ratio);
  f("cpu_iowait_ratio", cpu_iowait_ratio);
  f("resident_bytes", resident_bytes);
  f("threads", threads);
  f("processes", processes);
  f("network_received_bytes", network_received_bytes);
  f("network_sent_bytes", network_sent_bytes);
  f("loopback_bytes", loopback_bytes);
  f("gpu_utilisation_ratio", gpu_utilisation_ratio);
  f("gpu_memory_bytes", gpu_memory_bytes);
  f("gpu_power_watts", gpu_power_watts);
}

template <class Fields>
void fields(Fields& f, Measurement& r) {
  auto& [promise, mesh, device_name, microbatches, epoch_seconds, epoch_seconds_source, repetitions, step_seconds,
         step_seconds_low, step_seconds_high, samples_per_second, peak_memory_bytes, host_memory, final_train_loss,
         final_validation_loss, final_accuracy_ratio, final_perplexity, certificate_loss, certificate_gradient,
         certificate_update, noise_loss, noise_gradient, noise_update, tolerance_loss, tolerance_gradient,
         tolerance_update, certified, certificate_reason, batch_statistics_samples, budget,
         sent_bytes_per_rank_per_step, sent_bytes_nominal, collectives, peculiar_kernels, prediction, devices,
         devices_shared, launches_per_rank_per_step, launch_mode, certificate_statistic, noise_statistic,
         tolerance_statistic, final_loss_scale, skipped_steps, trace_failure] = r;
  f("promise", promise);
  f("mesh", mesh);
  f("device_name", device_name);
  f("microbatches", microbatches);
  f("epoch_seconds", epoch_seconds);
  f("epoch_seconds_source", epoch_seconds_source);
  f("repetitions", repetitions);
  f("step_seconds", step_seconds);
  f("step_seconds_low", step_seconds_low);
  f("step_seconds_high", step_seconds_high);
  f("samples_per_second", samples_per_second);
  f("peak_memory_bytes", peak_memory_bytes);
  f("host_memory", host_memory);
  f("final_train_loss", final_train_loss);
  f("final_validation_loss", final_validation_loss);
  f("final_accuracy_ratio", final_accuracy_ratio);
  f("final_perplexity", final_perplexity);
  f("certificate_loss", certificate_loss);
  f("certificate_gradient", certificate_gradient);
  f("certificate_update", certificate_update);
  f("noise_loss", noise_loss);
  f("noise_gradient", noise_gradient);
  f("noise_update", noise_update);
  f("tolerance_loss", tolerance_loss);
  f("tolerance_gradient", tolerance_gradient);
  f("tolerance_update", tolerance_update);
  f("certified", certified);
  f("certificate_reason", certificate_reason);
  f("batch_statistics_samples", batch_statistics_samples);
  f("budget", budget);
  f("sent_bytes_per_rank_per_step", sent_bytes_per_rank_per_step);
  f("sent_bytes_nominal", sent_bytes_nominal);
  f("collectives", collectives);
  f("peculiar_kernels", peculiar_kernels);
  f("prediction", prediction);
  f("devices", devices);
  f("devices_shared", devices_shared);
  f("launches_per_rank_per_step", launches_per_rank_per_step);
  f("launch_mode", launch_mode);
  f("certificate_statistic", certificate_statistic);
  f("noise_statistic", noise_statistic);
  f("tolerance_statistic", tolerance_statistic);
  f("final_loss_scale", final_loss_scale);
  f("skipped_steps", skipped_steps);
  f("trace_failure", trace_failure);
}

template <class Fields>
void fields(Fields& f, CaseRecord& r) {
  auto& [experiment, case_id, contract_id, scaling_id, seed, status, status_reason, expect, workload, dataset, strategy,
         family, ranks, threads_per_rank, oversubscribed, transport, device, host, precision, optimizer, throttle,
         global_batch, epochs, target, seconds_to_target, epochs_to_target, measurement] = r;
  f("experiment", experiment);
  f("case_id", case_id);
  f("contract_id", contract_id);
  f("scaling_id", scaling_id);
  f("seed", seed);
  f("status", status);
  f("status_reason", status_reason);
  f("expect", expect);
  f("workload", workload);
  f("dataset", dataset);
  f("strategy", strategy);
  f("family", family);
  f("ranks", ranks);
  f("threads_per_rank", threads_per_rank);
  f("oversubscribed", oversubscribed);
  f("transport", transport);
  f("device", device);
  f("host", host);
  f("precision", precision);
  f("optimizer", optimizer);
  f("throttle", throttle);
  f("global_batch", global_batch);
  f("epochs", epochs);
  f("target", target);
  f("seconds_to_target", seconds_to_target);
  f("epochs_to_target", epochs_to_target);
  f("measurement", measurement);
}

nlohmann::json to_json(const EpochRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const RankRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const UtilisationRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const Measurement& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const CaseRecord& record) {
  return fields_to_json(record);
}

EpochRecord epoch_from_json(const nlohmann::json& json) {
  return fields_from_json<EpochRecord>(json);
}
RankRecord rank_from_json(const nlohmann::json& json) {
  return fields_from_json<RankRecord>(json);
}
UtilisationRecord utilisation_from_json(const nlohmann::json& json) {
  return fields_from_json<UtilisationRecord>(json);
}
Measurement measurement_from_json(const nlohmann::json& json) {
  return fields_from_json<Measurement>(json);
}
CaseRecord case_from_json(const nlohmann::json& json) {
  return fields_from_json<CaseRecord>(json);
}

}  // namespace ddlbench::bench
