#pragma once

#include <cstdint>
#include <vector>

#include "case_list.h"
#include "graph/ops/codec.h"

namespace ddlbench::test {

/// Returns codecs of every kind, with settings such that few elements make several groups.
std::vector<graph::Codec> codecs();

/// Returns a gradient with positive and negative values, zeros, and equal values.
HostTensor gradient(std::int64_t elements, const std::string& name = "g");

/// Returns the outputs of an Encode on a device, with a residual if one is given.
std::vector<HostTensor> encode(kernels::Device& device, const graph::Codec& codec, const HostTensor& g,
                               const HostTensor* residual = nullptr, const graph::Scalars& scalars = {});

/// Returns D of a payload.
HostTensor decode(kernels::Device& device, const graph::Codec& codec, const HostTensor& payload, std::int64_t elements);

/// Returns the payloads of several ranks' gradients, one after the other.
HostTensor payloads(const graph::Codec& codec, std::int64_t elements, int parts);

void add_encodes(Cases& cases);
void add_decodes(Cases& cases, graph::DType to);

}  // namespace ddlbench::test
