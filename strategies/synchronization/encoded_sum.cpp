#include <fmt/core.h>

#include "graph/ops/codec.h"
#include "graph/ops/weighted_sum.h"
#include "strategies/synchronization/batch_axes.h"
#include "strategies/synchronization/stages.h"

namespace ddlbench::strategies {

using program::Operand;

void EncodedSum::run(BucketSite& site) const {
  if (site.partial.empty()) return;
  const BucketContext& in = site.in;
  const std::int64_t members = ranks_on(in.position.mesh, site.partial);
  const std::int64_t elements = site.whole.type.shape[0], bytes = codec.payload_bytes(elements);
  const auto staging = [&](const char* what, std::int64_t size) {
    return in.instances.staging(fmt::format("{} of bucket {}", what, site.index), {{size}, graph::DType::u8});
  };
  const Operand payload = staging("payload", bytes), payloads = staging("payloads", members * bytes);
  const auto velocity = [&] { return in.shards.whole(in.storage.stage_state(velocity_name), site.index); };
  if (momentum > 0)
    site.append(
        "correct momentum of",
        program::Compute{
            {std::make_shared<graph::WeightedSum>(std::vector{momentum, 1.0})}, {velocity(), site.whole}, {velocity()}},
        program::Phase::communication);
  program::Compute encode{{std::make_shared<graph::Encode>(codec, feedback, site.index)},
                          {momentum > 0 ? velocity() : site.whole},
                          {payload}};
  if (feedback) {
    const Operand residual = in.shards.whole(in.storage.stage_state(residual_name), site.index);
    encode.inputs.push_back(residual);
    encode.outputs.push_back(residual);
  }
  site.append("encode", std::move(encode), program::Phase::communication);
  if (momentum > 0)
    site.append("clear sent momentum of",
                program::Compute{{std::make_shared<graph::KeepWhere>()},
                                 {velocity(), in.shards.whole(in.storage.stage_state(residual_name), site.index)},
                                 {velocity()}},
                program::Phase::communication);
  program::CollectiveCall call;
  call.kind = graph::Collective::all_gather;
  call.counts.assign(static_cast<std::size_t>(members), bytes);
  call.input = payload;
  call.output = payloads;
  site.communicate("gather payloads of", std::move(call), std::exchange(site.partial, {}));
  auto decode = std::make_shared<graph::Decode>(codec, elements, static_cast<int>(members), site.whole.type.dtype);
  site.append("decode", program::Compute{{std::move(decode)}, {payloads}, {site.whole}}, program::Phase::communication);
}

}  // namespace ddlbench::strategies
