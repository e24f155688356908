#include "bench/report/replicate_key.h"

namespace ddlbench::bench {

ReplicateKey replicate_key(const CaseRecord& record) {
  return {record.replicate_id.value_or(record.contract_id),
          record.ranks,
          record.threads_per_rank,
          record.strategy,
          record.device,
          record.transport,
          record.settings.value_or("")};
}

}  // namespace ddlbench::bench
