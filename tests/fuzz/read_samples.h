#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "workloads/dataset.h"

namespace ddlbench::fuzz {

/// Reads the first and the last sample of a data set in each form.
inline void read_samples(const workloads::Dataset& data) {
  const workloads::SampleShape& shape = data.shape();
  std::vector<char> values(static_cast<std::size_t>(graph::bytes(shape.sample)));
  std::vector<std::int32_t> labels(static_cast<std::size_t>(graph::elements(shape.label)));
  for (const std::int64_t index : {std::int64_t{0}, data.size() - 1}) {
    const workloads::SampleDraw draw{index, 7};
    data.read(draw, values.data(), labels.data());
    data.read_labels(draw, labels.data());
    if (data.normalisation() == nullptr) continue;
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(graph::elements(shape.sample.shape)));
    data.read_bytes(draw, bytes.data(), labels.data());
  }
}

}  // namespace ddlbench::fuzz
