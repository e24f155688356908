#include "catch.h"
#include "workloads/model.h"

using namespace ddlbench;
using namespace ddlbench::workloads;

namespace {

SampleShape samples(graph::Shape shape, graph::DType dtype, graph::Shape label) {
  SampleShape made;
  made.sample.shape = std::move(shape);
  made.sample.dtype = dtype;
  made.label = std::move(label);
  return made;
}

graph::FileNames names_of(const std::string& model, const SampleShape& shape, OptionValues options) {
  const ModelKind& kind = find_model(model);
  options = with_defaults(kind.options, options);
  return kind.names_in_files(kind.build({shape, 2, options}), options);
}

graph::FileNames gpt(bool tied) {
  return names_of(
      "tiny-gpt", samples({4}, graph::DType::i32, {4}),
      {{"layers", std::int64_t{1}}, {"heads", std::int64_t{2}}, {"hidden", std::int64_t{4}}, {"tied", tied}});
}

}  // namespace

TEST_CASE("an image model's parameters have torchvision's names and layouts") {
  const graph::FileNames names = names_of("lenet", samples({1, 28, 28}, graph::DType::f32, {}), {});
  CHECK(names.of("conv1.weight").name == "conv1.weight");
  CHECK(names.of("conv1.weight").layout.is_plain());
  CHECK(names.ignored.empty());
}

TEST_CASE("a GPT's parameters have the names of Hugging Face's GPT2LMHeadModel") {
  const graph::FileNames tied = gpt(true);
  CHECK(tied.parameters.size() == 16);
  CHECK(tied.of("wte.weight").name == "transformer.wte.weight");
  CHECK(tied.of("h.0.ln_1.bias").name == "transformer.h.0.ln_1.bias");
  CHECK(tied.of("h.0.mlp.c_fc.weight.first_moment").name == "transformer.h.0.mlp.c_fc.weight.first_moment");
  for (const char* kept : {"transformer.h.0.attn.bias", "h.0.attn.masked_bias", "lm_head.weight"})
    CHECK(tied.ignores(kept));
  CHECK_FALSE(tied.ignores("h.0.attn.c_attn.bias"));

  const graph::FileNames apart = gpt(false);
  CHECK(apart.of("lm_head.weight").name == "lm_head.weight");
  CHECK_FALSE(apart.ignores("lm_head.weight"));
}

TEST_CASE("a GPT's matrices are transposed in files, with queries, keys and values in three blocks") {
  const graph::FileNames names = gpt(true);
  CHECK(names.of("wte.weight").layout.is_plain());
  CHECK(names.of("wpe.weight").layout.is_plain());
  CHECK(names.of("h.0.mlp.c_fc.bias").layout.is_plain());
  for (const char* matrix :
       {"h.0.attn.c_attn.weight", "h.0.attn.c_proj.weight", "h.0.mlp.c_fc.weight", "h.0.mlp.c_proj.weight"})
    CHECK(names.of(matrix).layout.transposed);

  // Two heads of size 2 over 4 inputs. Row 4 here is the first row of head 0's value: column 8 of the 12 in the file.
  const graph::FileLayout attention = names.of("h.0.attn.c_attn.weight").layout;
  CHECK(graph::file_shape(attention, {12, 4}) == graph::Shape{4, 12});
  std::vector<float> weight(48, 0);
  weight[4 * 4 + 3] = 1;  // from input 3
  CHECK(graph::to_file(attention, {12, 4}, weight)[3 * 12 + 8] == 1);
  // Row 6 is the first row of head 1's query: column 2.
  weight.assign(48, 0);
  weight[6 * 4] = 1;
  CHECK(graph::to_file(attention, {12, 4}, weight)[2] == 1);
  const graph::FileLayout bias = names.of("h.0.attn.c_attn.bias").layout;
  CHECK((bias.head_size == 2 && !bias.transposed));
}
