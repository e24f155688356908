#include "strategies/synchronization/mean_weights.h"

#include "graph/ops/weighted_sum.h"
#include "strategies/passes/writer.h"
#include "strategies/synchronization/batch_axes.h"

namespace ddlbench::strategies {

void append_mean_weights(const Storage& storage, const FlatLayout& layout, const RolePosition& position,
                         program::Instructions& section) {
  Writer writer(section);
  const std::vector<std::string> axes = batch_axes(position.mesh);
  const int ranks = ranks_on(position.mesh, axes);
  const auto append = [&](const std::string& of, const FlatBuffer& own, const FlatBuffer& mean, std::int64_t elements) {
    if (elements == 0) return;
    const program::Operand from = flat(own.id, own.dtype, {0, elements}), to = flat(mean.id, mean.dtype, {0, elements});
    program::Compute share{{std::make_shared<graph::WeightedSum>(std::vector{1.0 / ranks})}, {from}, {to}};
    writer.append("share of mean " + of, std::move(share), program::Phase::communication, position.pipeline, 0);
    program::CollectiveCall call;
    call.group.axes = axes;
    call.input = call.output = to;
    writer.append("mean " + of, std::move(call), program::Phase::communication, position.pipeline, 0);
  };
  append("parameters", storage.parameters(), storage.mean_parameters(), layout.elements);
  append("statistics", storage.statistics(), storage.mean_statistics(), layout.statistic_elements);
}

}  // namespace ddlbench::strategies
