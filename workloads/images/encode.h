#pragma once

#include <cstdint>
#include <vector>

#include "workloads/images/image.h"

namespace ddlbench::workloads {

/// Returns `pixels` as a baseline JPEG file with chroma subsampled by 2 in both directions; `quality` is 1 to 100.
std::vector<std::uint8_t> encode_jpeg(const Pixels& pixels, int quality);

}  // namespace ddlbench::workloads
