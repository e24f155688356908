#include <fmt/core.h>

#include "strategies/passes/factors.h"
#include "strategies/synchronization/batch_axes.h"
#include "strategies/synchronization/stages.h"

namespace ddlbench::strategies {

using program::Operand;

void LowRankSum::run(BucketSite& site) const {
  if (site.partial.empty()) return;
  const BucketContext& in = site.in;
  const std::vector<std::string> axes = std::exchange(site.partial, {});
  const int members = ranks_on(in.position.mesh, axes);
  const graph::LowRankLayout layout = low_rank_layout(in.layout, site.index, approximation_rank);
  const auto compute = [&](const char* what, graph::OpPtr op, std::vector<Operand> from, std::vector<Operand> to) {
    program::Compute action{{std::move(op)}, std::move(from), std::move(to)};
    site.append(what, std::move(action), program::Phase::communication);
  };
  const auto sum = [&](const char* what, const Operand& operand) {
    program::CollectiveCall call;
    call.input = call.output = operand;
    site.communicate(what, std::move(call), axes);
  };

  const Operand sums = in.instances.staging(fmt::format("P and vectors of bucket {}", site.index),
                                            {{layout.sum_elements()}, graph::DType::f32});
  const Operand residual = in.shards.whole(in.storage.stage_state(residual_name), site.index);
  const Operand& q = in.storage.factors(site.index);
  compute("project", std::make_shared<graph::LowRankProject>(layout), {site.whole, residual, q}, {sums, residual});
  sum("sum P and vectors of", sums);
  if (!layout.matrices.empty()) {
    Operand p = sums;
    p.type.shape = {layout.p_elements()};
    p.view.bytes = static_cast<std::int64_t>(graph::bytes(p.type));
    compute("orthogonalise P of", std::make_shared<graph::LowRankOrthogonalise>(layout), {p}, {p});
    compute("project back", std::make_shared<graph::LowRankProjectBack>(layout, members), {residual, p, q}, {q});
    sum("sum Q of", q);
  }
  compute("reconstruct", std::make_shared<graph::LowRankReconstruct>(layout, members, site.whole.type.dtype),
          {sums, q, residual}, {site.whole, residual});
}

}  // namespace ddlbench::strategies
