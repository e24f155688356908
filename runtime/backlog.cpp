#include "runtime/backlog.h"

namespace ddlbench::runtime {

Backlog::Backlog(kernels::Device& device)
    : device_(device), memory_(device, bytes), pinned_(device, bytes), copied_(device, kernels::EventKind::order) {}

void Backlog::wait_for_event() {
  device_.copy_in(memory_.data(), pinned_.data(), bytes, graph::Stream::copy);
  copied_.record(graph::Stream::copy);
  copied_.wait_for_event(graph::Stream::compute);
}

}  // namespace ddlbench::runtime
