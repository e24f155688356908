#pragma once

#include <cstdint>
#include <vector>

#include "workloads/images/image.h"

namespace ddlbench::workloads {

/// A baseline JPEG file, chroma halved in both directions; `quality` 1 to 100.
std::vector<std::uint8_t> encode_jpeg(const Pixels& pixels, int quality);

}  // namespace ddlbench::workloads
