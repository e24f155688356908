#include <charconv>

#include "graph/error.h"
#include "workloads/models/builder.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int64_t widest = 1 << 20;

std::vector<std::int64_t> parse_widths(const std::string& text) {
  std::vector<std::int64_t> widths;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::int64_t width = 0;
    const auto [after, error] = std::from_chars(at, end, width);
    const bool at_comma = after != end && *after == ',';
    if (error != std::errc{} || width <= 0 || width > widest || (after != end && !at_comma) ||
        (at_comma && after + 1 == end)) {
      throw InputError("mlp: hidden must be widths from 1 to " + std::to_string(widest) +
                       " separated by commas, such as \"512,256\", but is \"" + text + "\"");
    }
    widths.push_back(width);
    at = at_comma ? after + 1 : after;
  }
  return widths;
}

graph::Graph build(const SampleShape& shape, std::int64_t batch, const graph::OptionValues& options) {
  if (shape.sample.shape.empty() || shape.sample.dtype != graph::DType::f32 || !shape.label.empty()) {
    throw InputError("mlp needs f32 samples with one label each, but the data set's samples are " +
                     graph::to_string(shape.sample));
  }
  Builder net("mlp", shape, batch);
  graph::TensorId x = net.flatten("flatten", net.input());
  int layer = 0;
  for (const std::int64_t width : parse_widths(graph::value_of<std::string>(options, "hidden"))) {
    x = net.linear("fc" + std::to_string(++layer), x, width, graph::Activation::relu);
  }
  x = net.linear("fc" + std::to_string(++layer), x, shape.classes, graph::Activation::none);
  return std::move(net).finish(x);
}

}  // namespace

ModelKind mlp() {
  return {"mlp",
          "fully connected layers with ReLU between them",
          {{"hidden", std::string("512,256"), "widths of the hidden layers; empty: none"}},
          build};
}

}  // namespace ddlbench::workloads
