#include "strategies/compile.h"

#include "catch.h"
#include "compiled.h"
#include "failure.h"
#include "graph/byte_inputs.h"
#include "graph/ops/dropout.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/shape.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

constexpr std::int64_t batch = 48;

std::string rejection(const std::string& strategy, int ranks, std::int64_t size, OptionValues options = {}) {
  return test::failure_of([&] { compiled(strategy, ranks, size, std::move(options)); });
}

}  // namespace

TEST_CASE("every strategy compiles to a valid plan on 1 to 4 ranks") {
  for (const std::string model : {"lenet", "mlp"})
    for (int ranks = 1; ranks <= 4; ++ranks) {
      INFO(model << " on " << ranks);
      CHECK(findings(compiled("ddp", ranks, batch, {}, model)) == "");
      CHECK(findings(compiled("ddp", ranks, batch, {{"overlap", false}, {"microbatches", std::int64_t{2}}}, model)) ==
            "");
      CHECK(findings(compiled("tensor", ranks, batch, {}, model)) == "");
      if (model == "mlp" && ranks > 3) continue;
      CHECK(findings(compiled("gpipe", ranks, batch, {}, model)) == "");
      CHECK(findings(compiled("gpipe", ranks, batch, {{"recompute", Strings{"full"}}}, model)) == "");
    }
  CHECK(findings(compiled("single", 1, batch)) == "");
  CHECK(findings(compiled("single", 1, batch, {{"microbatches", std::int64_t{3}}})) == "");
}

TEST_CASE("hybrids of any two axes and of all three compile to valid plans") {
  CHECK(findings(compiled("hybrid", 4, batch, mesh({{"data", 2}, {"tensor", 2}}))) == "");
  CHECK(findings(compiled("hybrid", 4, batch, mesh({{"data", 2}, {"pipeline", 2}}))) == "");
  CHECK(findings(compiled("hybrid", 4, batch, mesh({{"tensor", 2}, {"pipeline", 2}}))) == "");
  CHECK(findings(compiled("hybrid", 8, batch, mesh({{"data", 2}, {"tensor", 2}, {"pipeline", 2}}))) == "");
  CHECK(findings(compiled("hybrid", 6, batch, mesh({{"tensor", 3}, {"pipeline", 2}}))) == "");
  CHECK(findings(compiled("hybrid", 4, batch, mesh({{"data", 2}, {"tensor", 2}}), "mlp")) == "");
}

TEST_CASE("data-parallel replicas share one role") {
  CHECK(compiled("ddp", 4, batch).roles.size() == 1);
  CHECK(compiled("tensor", 4, batch).roles.size() == 4);
  CHECK(compiled("hybrid", 8, batch, mesh({{"data", 2}, {"tensor", 2}, {"pipeline", 2}})).roles.size() == 4);
}

// An all-reduce sends 2(n−1)/n·S per rank, 2(n−1)·S over all ranks (nccl-tests); S = 44,426 parameters × 4 bytes.
TEST_CASE("ddp sends what one all-reduce of all gradients sends") {
  CHECK(sent_by_all(compiled("ddp", 1, batch)).empty());
  CHECK(program::account(compiled("ddp", 2, batch), 0).sent_bytes ==
        std::map<std::string, std::int64_t>{{"all_reduce", 177704}});
  for (int n = 2; n <= 4; ++n)
    CHECK(sent_by_all(compiled("ddp", n, batch)) ==
          std::map<std::string, std::int64_t>{{"all_reduce", 2 * (n - 1) * lenet_parameters * 4}});
}

// Forward: conv1's 6 channels of 12x12 are gathered for conv2; fc1 (rows) sums 120 features; fc2 (columns) and fc3
// (rows) together sum 10 logits. Backward: conv2's input gradient is reduce-scattered to the owners of the channels,
// and fc2's input gradient (120 features) is summed. Over all ranks an all-reduce sends 2(n−1)·S, each other collective
// (n−1)·S.
TEST_CASE("tensor sends activations only where the splits of adjacent layers differ") {
  for (int n = 2; n <= 4; ++n) {
    const std::int64_t channels = batch * 6 * 12 * 12 * 4, summed = batch * (120 + 10 + 120) * 4;
    CHECK(sent_by_all(compiled("tensor", n, batch)) ==
          std::map<std::string, std::int64_t>{{"all_gather", (n - 1) * channels},
                                              {"all_reduce", 2 * (n - 1) * summed},
                                              {"reduce_scatter", (n - 1) * channels}});
  }
  CHECK(sent_by_all(compiled("tensor", 2, batch)).at("all_reduce") == 96000);
  CHECK(sent_by_all(compiled("tensor", 2, batch)).at("all_gather") == 165888 * 1);
}

// The boundary of two stages is after pool1: each sample sends 6 channels of 12x12 forward, and their gradient
// backward.
TEST_CASE("gpipe sends each sample's boundary once in each direction for any number of micro-batches") {
  for (const std::int64_t m : {1, 2, 4, 8})
    CHECK(sent_by_all(compiled("gpipe", 2, batch, {{"microbatches", m}})) ==
          std::map<std::string, std::int64_t>{{"send", 2 * batch * 864 * 4}});
  CHECK(sent_by_all(compiled("gpipe", 2, batch)).at("send") == 331776);
  // Further boundaries: 16 channels of 4x4 after pool2, 120 features after fc1, 84 after fc2.
  CHECK(sent_by_all(compiled("gpipe", 5, batch)).at("send") == 2 * batch * (864 + 256 + 120 + 84) * 4);
}

TEST_CASE("ddp divides forward FLOPs by the ranks, and gpipe's stages sum to the FLOPs of one rank") {
  const double whole = program::account(compiled("single", 1, batch), 0).total_flops();
  const auto forward = [](const program::Plan& plan) {
    return program::account(plan, 0).flops.at(program::Phase::forward);
  };
  const double whole_forward = forward(compiled("single", 1, batch));
  for (int n = 2; n <= 4; n += 2) CHECK(forward(compiled("ddp", n, batch)) == Approx(whole_forward / n));
  double all = 0;
  for (int rank = 0; rank < 4; ++rank) all += program::account(compiled("gpipe", 4, batch), rank).total_flops();
  CHECK(all == Approx(whole));
}

TEST_CASE("full recomputation adds forward FLOPs and reduces activation memory") {
  const program::Plan kept = compiled("gpipe", 2, batch, {{"microbatches", std::int64_t{8}}});
  const program::Plan again =
      compiled("gpipe", 2, batch, {{"microbatches", std::int64_t{8}}, {"recompute", Strings{"full"}}});
  const auto activations = static_cast<std::size_t>(program::MemoryClass::activations);
  CHECK(program::account(again, 0).flops.at(program::Phase::recompute) ==
        Approx(program::account(kept, 0).flops.at(program::Phase::forward) * 7 / 8));
  CHECK(program::account(again, 0).peak_bytes_by_class[activations] <
        program::account(kept, 0).peak_bytes_by_class[activations] / 2);
}

TEST_CASE("full recomputation never needs more memory than none") {
  for (const std::string model : {"lenet", "mlp", "alexnet", "resnet18"}) {
    CAPTURE(model);
    const auto peak = [&](const Strings& recompute) {
      return program::account(compiled("single", 1, 2, {{"recompute", recompute}}, model, {1, 64, 64}), 0).peak_bytes;
    };
    CHECK(peak({"full"}) <= peak({}));
  }
}

TEST_CASE("recomputing an op that the model does not have is rejected") {
  const auto rejection = [](const std::string& strategy, const Strings& kinds) -> std::string {
    try {
      compiled(strategy, 2, batch, {{"recompute", kinds}});
    } catch (const Unsupported& error) {
      return error.what();
    }
    return "compiled";
  };
  CHECK(rejection("ddp", {"max_pool2d", "gelu"}) ==
        "recompute has 'gelu', an op that the model lenet does not have; leave it out");
  CHECK(rejection("ddp", {"bias_activation"}) != "compiled");
  CHECK(rejection("tensor", {"bias_activation"}) == "compiled");  // the biases of row-split linear layers
  CHECK(rejection("ddp", {"max_pool2d", "conv2d"}) == "compiled");
}

// The backward ops of the sum and of the dropout read no forward result of theirs.
TEST_CASE("recomputing results that backward does not read is rejected") {
  graph::Graph model;
  model.name = "sums";
  const auto x = model.add_tensor({"x", {{4, 8}, graph::DType::f32}, graph::Role::input});
  const auto labels = model.add_tensor({"labels", {{4}, graph::DType::i32}, graph::Role::label});
  const auto w = model.add_tensor({"w", {{8, 8}, graph::DType::f32}, graph::Role::parameter});
  const auto y = model.add("fc", std::make_shared<graph::Linear>(false, graph::Activation::none), {x, w})[0];
  const auto kept = graph::add_dropout(model, "drop", y, 0.5F);
  const auto sum = model.add("sum", std::make_shared<graph::Add>(), {kept, y})[0];
  for (const auto metric : model.add("loss", std::make_shared<graph::CrossEntropy>(), {sum, labels}))
    model.tensors[static_cast<std::size_t>(metric)].role = graph::Role::metric;
  const StrategyKind& single = find_strategy("single");
  const auto compile_with = [&](const Strings& kinds) {
    return single.compile({model, 4, 1, graph::sgd({}), {}}, {{"recompute", kinds}});
  };
  CHECK_NOTHROW(compile_with({"add"}));
  CHECK_NOTHROW(compile_with({"add", "dropout", "linear"}));  // each is read where the next is recomputed
  CHECK_THROWS_WITH(compile_with({"dropout"}),
                    "recompute has 'dropout', but the backward pass of model sums reads none of its results, so it has "
                    "no effect; leave it out");
  CHECK_THROWS_AS(compile_with({"dropout", "linear"}), Unsupported);
  CHECK_THROWS_AS(compile_with({"cross_entropy"}), InputError);
  CHECK_THROWS_WITH(compile_with({"add", "full"}), "recompute: full excludes all other values; found add, full");
}

TEST_CASE("recomputing cast includes the normalise op of a model with byte inputs") {
  const graph::Graph model = fashion_model("lenet", batch);
  const graph::Graph bytes = graph::with_byte_inputs(model, {{0.5}, {0.25}}, graph::DType::f32);
  const auto compile_with = [](const graph::Graph& of, const std::string& kind) {
    return find_strategy("single").compile({of, batch, 1, graph::sgd({}), {}}, {{"recompute", Strings{kind}}});
  };
  CHECK_NOTHROW(compile_with(bytes, "cast"));
  CHECK_NOTHROW(compile_with(bytes, "normalise"));
  CHECK_THROWS_AS(compile_with(model, "cast"), Unsupported);
  CHECK_THROWS_AS(compile_with(model, "normalise"), Unsupported);
}

// With fp32, SGD and momentum: 4 bytes each of parameters, gradients and momentum, 12Ψ.
TEST_CASE("persistent memory is 12 bytes per parameter, and less where parameters are split") {
  const auto state = [](const program::Plan& plan, int rank) {
    const program::Account account = program::account(plan, rank);
    return account.peak_bytes_by_class[0] + account.peak_bytes_by_class[1] + account.peak_bytes_by_class[2];
  };
  CHECK(state(compiled("single", 1, batch), 0) == 12 * lenet_parameters);
  CHECK(state(compiled("ddp", 4, batch), 3) == 12 * lenet_parameters);
  std::int64_t all = 0;
  for (int rank = 0; rank < 4; ++rank) all += state(compiled("gpipe", 4, batch), rank);
  CHECK(all == 12 * lenet_parameters);
  // Every rank keeps the whole bias of a row-split layer: fc1's 120 elements and fc3's 10.
  CHECK(state(compiled("tensor", 2, batch), 0) + state(compiled("tensor", 2, batch), 1) ==
        12 * (lenet_parameters + 130));
}

TEST_CASE("an impossible split is rejected with the numbers and the remedy") {
  CHECK(rejection("ddp", 5, 48) ==
        "a global batch of 48 does not divide into 5 data-parallel parts x 1 micro-batches; use a multiple of 5");
  CHECK(rejection("tensor", 8, 48) ==
        "tensor parallelism cannot split the 6 outputs of layer 'conv1' over 8 ranks; use at most 6");
  CHECK(rejection("gpipe", 6, 48) ==
        "model 'lenet' has 5 layers with weights, fewer than the 6 pipeline stages asked for; use at most 5");
  CHECK(rejection("single", 2, 48) == "single runs on 1 rank, not on 2");
  CHECK(rejection("hybrid", 6, 48, mesh({{"data", 2}, {"pipeline", 2}})).find("4 ranks") != std::string::npos);
  CHECK(rejection("hybrid", 4, 48, mesh({{"date", 4}})).find("no axis 'date'") != std::string::npos);
}
