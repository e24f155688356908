#include "workloads/models/gpt2_file.h"
#include "workloads/models/models.h"
#include "workloads/models/transformer.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int64_t gpt2_vocabulary = 50257;
constexpr std::int64_t gpt2_positions = 1024;
constexpr std::int64_t gpt2_head_size = 64;

Option vocabulary(std::int64_t size) {
  return {"vocabulary", size, "rows of the token embedding; 0: one for each of the data set's tokens", 0, {}, 1 << 24};
}

Option dropout(double rate) {
  return {
      "dropout", rate, "dropout rate of the embeddings and of each block's output; attention weights have no dropout",
      0,         {},   0.999};
}

Option tied() {
  return {"tied", true, "use the embedding table as the head's weight"};
}

Option fused_head(bool fused) {
  return {"fused_head", fused, "compute logits and loss together in chunks, without storing all logits"};
}

TransformerSizes sizes_of(const OptionValues& options, std::int64_t layers, std::int64_t heads, std::int64_t hidden) {
  return {layers,
          heads,
          hidden,
          value_of<std::int64_t>(options, "vocabulary"),
          value_of<double>(options, "dropout"),
          value_of<bool>(options, "tied"),
          value_of<bool>(options, "fused_head")};
}

graph::Graph build_tiny(const ModelRequest& request) {
  const OptionValues& options = request.options;
  return build_transformer(
      "tiny-gpt", request,
      sizes_of(options, value_of<std::int64_t>(options, "layers"), value_of<std::int64_t>(options, "heads"),
               value_of<std::int64_t>(options, "hidden")));
}

SampleShape text(std::int64_t positions, int classes) {
  return {{{positions}, graph::DType::i32}, {positions}, classes};
}

SampleShape natural_tiny(const OptionValues&) {
  return text(64, 256);
}

SampleShape natural_gpt2(const OptionValues& options) {
  const auto rows = value_of<std::int64_t>(options, "vocabulary");
  return text(gpt2_positions, static_cast<int>(rows != 0 ? rows : gpt2_vocabulary));
}

graph::FileNames tiny_file_names(const graph::Graph& model, const OptionValues& options) {
  return gpt2_file_names(model, value_of<std::int64_t>(options, "hidden") / value_of<std::int64_t>(options, "heads"));
}

graph::FileNames gpt2_names(const graph::Graph& model, const OptionValues&) {
  return gpt2_file_names(model, gpt2_head_size);
}

ModelKind gpt2(std::string name, std::string help, graph::Graph (*build)(const ModelRequest&)) {
  return {std::move(name), std::move(help), {vocabulary(gpt2_vocabulary), dropout(0.1), tied(), fused_head(true)},
          build,           natural_gpt2,    nullptr,
          gpt2_names};
}

}  // namespace

ModelKind tiny_gpt() {
  return {"tiny-gpt",
          "a transformer in GPT-2's form (Radford et al. 2019) over the positions of a text",
          {{"layers", std::int64_t{4}, "number of blocks of attention and MLP", 1, {}, 1 << 12},
           {"heads", std::int64_t{4}, "attention heads per block", 1, {}, 1 << 12},
           {"hidden", std::int64_t{128}, "features of the residual stream, a multiple of the heads", 1, {}, 1 << 16},
           vocabulary(0),
           dropout(0),
           tied(),
           fused_head(false)},
          build_tiny,
          natural_tiny,
          nullptr,
          tiny_file_names};
}

ModelKind gpt2_small() {
  return gpt2("gpt2-small", "GPT-2 small (Radford et al. 2019): 124,439,808 parameters over 1024 positions",
              [](const ModelRequest& request) {
                return build_transformer("gpt2-small", request, sizes_of(request.options, 12, 12, 768));
              });
}

ModelKind gpt2_medium() {
  return gpt2("gpt2-medium", "GPT-2 medium (Radford et al. 2019): 354,823,168 parameters over 1024 positions",
              [](const ModelRequest& request) {
                return build_transformer("gpt2-medium", request, sizes_of(request.options, 24, 16, 1024));
              });
}

}  // namespace ddlbench::workloads
