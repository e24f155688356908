#include "bench/records/columns.h"

namespace ddlbench::bench {

namespace {

template <auto member>
std::string of_sample(const UtilisationRecord& record) {
  return cell(record.*member);
}

}  // namespace

const std::vector<Column<UtilisationRecord>>& utilisation_columns() {
  using R = UtilisationRecord;
  static const std::vector<Column<UtilisationRecord>> columns{
      {"case_id", of_sample<&R::case_id>},
      {"elapsed_seconds", of_sample<&R::elapsed_seconds>},
      {"cpu_user_ratio", of_sample<&R::cpu_user_ratio>},
      {"cpu_system_ratio", of_sample<&R::cpu_system_ratio>},
      {"cpu_idle_ratio", of_sample<&R::cpu_idle_ratio>},
      {"cpu_iowait_ratio", of_sample<&R::cpu_iowait_ratio>},
      {"resident_bytes", of_sample<&R::resident_bytes>},
      {"threads", of_sample<&R::threads>},
      {"processes", of_sample<&R::processes>},
      {"network_received_bytes", of_sample<&R::network_received_bytes>},
      {"network_sent_bytes", of_sample<&R::network_sent_bytes>},
      {"loopback_bytes", of_sample<&R::loopback_bytes>},
      {"gpu_utilisation_ratio", of_sample<&R::gpu_utilisation_ratio>},
      {"gpu_memory_bytes", of_sample<&R::gpu_memory_bytes>},
      {"gpu_power_watts", of_sample<&R::gpu_power_watts>},
  };
  return columns;
}

}  // namespace ddlbench::bench
