#include "codec_cases.h"

#include <cmath>

namespace ddlbench::test {

std::vector<graph::Codec> codecs() {
  std::vector<graph::Codec> all;
  for (const Choice& choice :
       {Choice{"one_bit", {{"group", std::int64_t{1024}}}}, Choice{"ternary", {{"group", std::int64_t{512}}}},
        Choice{"qsgd", {{"bits", std::int64_t{2}}}}, Choice{"qsgd", {{"bits", std::int64_t{4}}}},
        Choice{"qsgd", {{"bits", std::int64_t{8}}, {"group", std::int64_t{1536}}}}, Choice{"two_bit", {}},
        Choice{"top_k", {{"density", 0.05}}}, Choice{"top_k", {{"density", 1.0}}},
        Choice{"sparse_binary", {{"density", 0.2}}}, Choice{"sparse_binary", {{"density", 0.9}}}})
    all.push_back(graph::make_codec(choice));
  return all;
}

HostTensor gradient(std::int64_t elements, const std::string& name) {
  HostTensor g = random_tensor({elements}, name);
  for (std::size_t i = 0; i < g.values.size(); ++i) {
    if (i % 3 == 1) g.values[i] = std::round(8 * g.values[i]) / 8;
    if (i % 7 == 2) g.values[i] *= 0.01F;
  }
  return g;
}

std::vector<HostTensor> encode(kernels::Device& device, const graph::Codec& codec, const HostTensor& g,
                               const HostTensor* residual, const graph::Scalars& scalars) {
  Run run{std::make_shared<graph::Encode>(codec, residual != nullptr), {g}, {}};
  if (residual != nullptr) run.inputs.push_back(*residual);
  run.scalars = scalars;
  return test::run(device, run);
}

HostTensor decode(kernels::Device& device, const graph::Codec& codec, const HostTensor& payload,
                  std::int64_t elements) {
  return run(device, {std::make_shared<graph::Decode>(codec, elements, 1), {payload}, {}})[0];
}

HostTensor payloads(const graph::Codec& codec, std::int64_t elements, int parts) {
  const auto oracle = device("reference");
  HostTensor all{{{parts * codec.payload_bytes(elements)}, graph::DType::u8}, {}};
  for (int part = 0; part < parts; ++part) {
    const HostTensor one = encode(*oracle, codec, gradient(elements, "part " + std::to_string(part)))[0];
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
  }
  return all;
}

void add_encodes(Cases& cases) {
  for (const graph::Codec& codec : codecs()) {
    for (const std::int64_t elements : {0, 1, 37, 511, 512, 513, 3000, 20011}) {
      const HostTensor g = gradient(elements);
      cases.add(std::make_shared<graph::Encode>(codec, false, 3), {g}, 0);
      cases.add(std::make_shared<graph::Encode>(codec, true, 4), {g, random_tensor({elements}, "residual")}, 0);
    }
  }
}

void add_decodes(Cases& cases, graph::DType to) {
  for (const graph::Codec& codec : codecs()) {
    for (const std::int64_t elements : {0, 1, 37, 511, 512, 513, 3000, 20011}) {
      for (const int parts : {1, 3})
        cases.add_both(std::make_shared<graph::Decode>(codec, elements, parts, to), {payloads(codec, elements, parts)},
                       0);
    }
  }
}

}  // namespace ddlbench::test
