// Input: a model of layers in JSON.
#include <string>

#include "base/error.h"
#include "fuzz/input.h"
#include "fuzz/target.h"
#include "workloads/models/builder.h"
#include "workloads/models/layers/graph_file.h"

using namespace ddlbench;

DDLBENCH_FUZZ_TARGET(model)(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const workloads::GraphFile file = workloads::parse_graph(text, "model.json");
    const graph::Graph model = workloads::build_graph(file, {file.default_sample, 4, {}});
    fuzz::expect(model.nodes.size() <= workloads::max_layers + 1, "a model has a limited number of layers");
  } catch (const InputError&) {
  }
  return 0;
}
