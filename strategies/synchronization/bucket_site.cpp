#include <fmt/core.h>

#include "graph/ops/cast.h"
#include "strategies/synchronization/batch_axes.h"
#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

program::Operand BucketSite::own_parameters() const {
  const FlatBuffer* masters = in.storage.masters();
  return in.shards.own(masters != nullptr ? *masters : in.storage.parameters(), index);
}

void BucketSite::refresh_parameters() const {
  const FlatBuffer* masters = in.storage.masters();
  if (masters == nullptr) return;
  const program::Operand parameters = in.shards.own(in.storage.parameters(), index);
  append("round",
         program::Compute{{std::make_shared<graph::Cast>(parameters.type.dtype)}, {own_parameters()}, {parameters}},
         program::Phase::communication);
}

int BucketSite::data_ranks() const {
  return ranks_on(in.position.mesh, batch_axes(in.position.mesh));
}

void BucketSite::append(const std::string& what, program::Action action, program::Phase phase) const {
  const std::string of = slice == program::none ? "" : fmt::format(" slice {} of", slice);
  in.writer.append(fmt::format("{}{} bucket {}", what, of, index), std::move(action), phase, in.position.pipeline,
                   microbatch);
}

void BucketSite::communicate(const std::string& what, program::CollectiveCall call, std::vector<std::string> axes,
                             bool with_holders) const {
  call.group = group_of(std::move(axes), with_holders ? bucket().tie.holders : std::vector<int>{});
  append(what, std::move(call), program::Phase::communication);
}

}  // namespace ddlbench::strategies
