#include <fmt/core.h>

#include "graph/ops/cast.h"
#include "strategies/synchronization/stages.h"

namespace ddlbench::strategies {

using graph::Collective;
using graph::DType;
using program::Operand;

namespace {

/// Appends the conversion of `from` into `to`, or its addition to `to`.
void append_cast(const BucketSite& site, const char* what, const Operand& from, const Operand& to, bool adds = false) {
  if (to.view.bytes == 0) return;
  program::Compute cast{{std::make_shared<graph::Cast>(to.type.dtype), adds}, {from}, {to}};
  site.append(what, std::move(cast), program::Phase::communication);
}

Operand staging(const BucketSite& site, const char* what, std::int64_t elements, DType dtype) {
  return site.in.instances.staging(fmt::format("{} of bucket {}", what, site.index), {{elements}, dtype});
}

/// Returns `operand` in `dtype`: itself, or a copy.
Operand in_type(const BucketSite& site, const char* what, const Operand& operand, DType dtype) {
  if (operand.type.dtype == dtype) return operand;
  const Operand copy = staging(site, what, operand.type.shape[0], dtype);
  append_cast(site, "round", operand, copy);
  return copy;
}

Operand slice(const Operand& whole, std::int64_t first, std::int64_t count) {
  const auto bytes = static_cast<std::int64_t>(graph::size_of(whole.type.dtype));
  Operand part = whole;
  part.view.offset += first * bytes;
  part.view.bytes = count * bytes;
  part.type.shape = {count};
  return part;
}

}  // namespace

void WireScatter::run(BucketSite& site) const {
  const std::int64_t own = site.part.type.shape[0];
  program::CollectiveCall call;
  call.kind = Collective::all_to_all;
  call.counts = site.in.shards.counts(site.index);
  const auto members = static_cast<std::int64_t>(call.counts.size());
  const Operand parts = staging(site, "parts", members * own, wire);
  call.input = in_type(site, "rounded gradients", site.whole, wire);
  call.output = parts;
  site.communicate("exchange parts of", std::move(call), {axis});
  const Operand sum = site.part.type.dtype == DType::f32 ? site.part : staging(site, "sum", own, DType::f32);
  for (std::int64_t member = 0; member < members; ++member)
    append_cast(site, "sum parts of", slice(parts, member * own, own), sum, member > 0);
  if (sum.view != site.part.view) append_cast(site, "round", sum, site.part);
  site.gradient = site.part;
  std::erase(site.partial, axis);
}

void WireGather::run(BucketSite& site) const {
  program::CollectiveCall call;
  call.kind = Collective::all_gather;
  call.counts = site.in.shards.counts(site.index);
  call.input = in_type(site, "rounded part", site.part, wire);
  const bool direct = site.whole.type.dtype == wire;
  const Operand gathered = direct ? site.whole : staging(site, "gathered", site.whole.type.shape[0], wire);
  call.output = gathered;
  site.communicate("gather gradients of", std::move(call), {axis});
  if (!direct) append_cast(site, "widen", gathered, site.whole);
  site.gradient = site.whole;
}

}  // namespace ddlbench::strategies
