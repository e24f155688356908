#include "bench/config/strategy_choice.h"

#include "bench/records/record.h"

namespace ddlbench::bench {

std::vector<std::string> expectable_statuses() {
  std::vector<std::string> names;
  for (const Status status : {Status::ok, Status::failed, Status::crashed, Status::out_of_memory, Status::timed_out,
                              Status::non_finite, Status::lost_rank, Status::bad_data, Status::unsupported}) {
    names.emplace_back(name(status));
  }
  return names;
}

}  // namespace ddlbench::bench
