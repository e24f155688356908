#include "workloads/dataset.h"

#include <cstddef>

namespace ddlbench::workloads {

void Dataset::read_labels(const SampleDraw& draw, std::int32_t* labels) const {
  thread_local std::vector<std::byte> values;
  values.resize(graph::bytes(shape().sample));
  read(draw, values.data(), labels);
}

}  // namespace ddlbench::workloads
