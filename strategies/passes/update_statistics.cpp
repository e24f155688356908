#include "strategies/passes/update_statistics.h"

#include "graph/ops/batch_norm.h"

namespace ddlbench::strategies {

void update_statistics(const FlatLayout& layout, const Storage& storage, const RolePosition& position, bool local,
                       Writer& writer) {
  const int last = position.microbatches - 1;
  for (const StatisticRun& run : layout.statistic_runs) {
    const auto operand = [&run](const FlatBuffer& buffer) {
      return flat(buffer.id, buffer.dtype, {run.begin, run.end});
    };
    double observations = static_cast<double>(run.observations) * position.microbatches;
    if (local)
      for (const std::string& axis : run.partial_axes) observations /= position.mesh.size_of(axis);
    program::CollectiveCall call;
    call.group = group_of(local ? std::vector<std::string>{} : run.partial_axes, run.tie.holders);
    if (!call.group.axes.empty()) {
      call.input = call.output = operand(storage.observed());
      writer.append("reduce statistics", std::move(call), program::Phase::communication, position.pipeline, last);
    }
    const program::Operand statistics = operand(storage.statistics());
    program::Compute compute{{std::make_shared<graph::StatisticUpdate>(run.momentum, 1 / observations)},
                             {statistics, operand(storage.observed())},
                             {statistics}};
    writer.append("update statistics", std::move(compute), program::Phase::optimizer, position.pipeline, last);
  }
}

}  // namespace ddlbench::strategies
