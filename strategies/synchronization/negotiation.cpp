#include "strategies/synchronization/negotiation.h"

#include <fmt/core.h>

#include "graph/ops/readiness.h"
#include "strategies/synchronization/batch_axes.h"

namespace ddlbench::strategies {
namespace {

std::int64_t gradients_of(const BucketContext& in) {
  return static_cast<std::int64_t>(in.layout.parameters.size());
}

void append(const BucketContext& in, std::string name, program::Action action) {
  in.writer.append(std::move(name), std::move(action), program::Phase::communication, in.position.pipeline,
                   in.position.microbatches - 1);
}

}  // namespace

program::Operand add_marks(const BucketContext& in, const Cycles& cycles) {
  const auto count = static_cast<std::int64_t>(cycles.all.size()) * gradients_of(in);
  return in.instances.lasting("readiness", {{count}, graph::DType::u8});
}

void append_negotiation(const BucketContext& in, const Cycles& cycles, const program::Operand& marks,
                        std::size_t index) {
  const std::int64_t gradients = gradients_of(in);
  program::Operand own = marks;
  own.view.offset += static_cast<std::int64_t>(index) * gradients;
  own.view.bytes = gradients;
  own.type.shape = {gradients};
  append(in, fmt::format("mark ready in cycle {}", index),
         program::Compute{{std::make_shared<graph::MarkReady>(gradients, cycles.all[index].ready)}, {}, {own}});
  program::CollectiveCall call;
  call.reduction = graph::Reduction::max;
  call.input = call.output = own;
  call.group.axes = batch_axes(in.position.mesh);
  append(in, fmt::format("negotiate cycle {}", index), std::move(call));
}

void append_confirmation(const BucketContext& in, const program::Operand& marks, program::Operand gradient) {
  gradient.type.shape = {1};
  gradient.view.bytes = graph::bytes_of(1, gradient.type.dtype);
  append(in, "confirm readiness",
         program::Compute{{std::make_shared<graph::ConfirmReady>(gradients_of(in))}, {marks, gradient}, {gradient}});
}

}  // namespace ddlbench::strategies
