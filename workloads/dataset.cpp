#include "workloads/dataset.h"

#include <cstddef>

#include "base/error.h"

namespace ddlbench::workloads {

void Dataset::read_bytes(const SampleDraw&, std::uint8_t*, std::int32_t*) const {
  throw ContractError("this data set's samples are not bytes");
}

void Dataset::read_labels(const SampleDraw& draw, std::int32_t* labels) const {
  thread_local std::vector<std::byte> values;
  values.resize(graph::bytes(shape().sample));
  read(draw, values.data(), labels);
}

}  // namespace ddlbench::workloads
