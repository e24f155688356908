#include "catch.h"
#include "compiled.h"
#include "failure.h"

namespace ddlbench::strategies {
namespace {

constexpr std::int64_t power_sgd_samples = 48;

OptionValues of_rank(std::int64_t rank, OptionValues more = {}) {
  more["matrix_approximation_rank"] = rank;
  return more;
}

std::int64_t optimizer_bytes(const program::Plan& plan) {
  const auto state = static_cast<std::size_t>(program::MemoryClass::optimizer_state);
  return program::account(plan, 0).persistent_bytes_by_class[state];
}

/// The matrices of lenet: rows and columns.
constexpr std::int64_t lenet_matrices[][2] = {{6, 25}, {16, 150}, {120, 256}, {84, 120}, {10, 84}};

/// Elements that a rank sums with the others: P, Q and vectors; and those of Q alone.
struct Summed {
  std::int64_t all = lenet_parameters, q = 0;
};

Summed summed_by_lenet(std::int64_t rank) {
  Summed summed;
  for (const auto& [rows, columns] : lenet_matrices) {
    if (rank * (rows + columns) >= rows * columns) continue;
    summed.all += rank * (rows + columns) - rows * columns;
    summed.q += rank * columns;
  }
  return summed;
}

/// Returns what each of two ranks sums with the other in a step, in bytes: gradients and running statistics.
std::int64_t summed_by_resnet18(const std::string& strategy, const OptionValues& options) {
  const workloads::ModelKind& kind = workloads::find_model("resnet18");
  const OptionValues values =
      with_defaults(kind.options, {{"small_images", true}, {"samples_per_statistic", std::int64_t{1}}});
  const graph::Graph graph = kind.build({{{{3, 32, 32}, graph::DType::f32}, {}, 10}, 4, values});
  const program::CostTable costs;
  program::Plan plan = find_strategy(strategy).compile({graph, 4, 2, graph::sgd({.momentum = 0.9F}), costs}, options);
  program::complete(plan, costs);
  return sent_by_all(plan).at("all_reduce") / 2;
}

}  // namespace

// An all-reduce by ring sends every element 2(n − 1) times.
TEST_CASE("power_sgd sums P, Q and vectors, and nothing else") {
  for (const std::int64_t rank : {1, 2, 4, 5, 200})
    for (const int n : {1, 2, 3, 4, 8})
      for (const double mebibytes : {1.0 / 1024, 25.0}) {
        INFO("rank " << rank << " on " << n << ", buckets of " << mebibytes);
        const program::Plan plan =
            compiled("power_sgd", n, power_sgd_samples,
                     of_rank(rank, {{"first_bucket_mebibytes", mebibytes}, {"bucket_mebibytes", mebibytes}}));
        CHECK(findings(plan) == "");
        if (n == 1) {
          CHECK(plan.promise.kind == program::Promise::Kind::exact);
          CHECK(sent_by_all(plan).empty());
          continue;
        }
        REQUIRE(plan.promise.rule != nullptr);
        CHECK(plan.promise.rule->steps.front().buckets.size() > (mebibytes < 1 ? 1 : 0));
        CHECK(sent_by_all(plan) ==
              std::map<std::string, std::int64_t>{{"all_reduce", 2 * (n - 1) * 4 * summed_by_lenet(rank).all}});
      }
}

TEST_CASE("the residual and Q of power_sgd are counted") {
  const std::int64_t plain = optimizer_bytes(compiled("ddp", 2, power_sgd_samples));
  for (const std::int64_t rank : {1, 2, 4, 200})
    CHECK(optimizer_bytes(compiled("power_sgd", 2, power_sgd_samples, of_rank(rank))) ==
          plain + 4 * lenet_parameters + 4 * summed_by_lenet(rank).q);
  CHECK(optimizer_bytes(compiled("power_sgd", 1, power_sgd_samples)) == plain);
}

// Vogels et al. 2019: 243, 136 and 72 times less than the gradients.
TEST_CASE("power_sgd sends what its paper says for ResNet-18 on CIFAR") {
  constexpr std::int64_t parameters = 11173962, vectors = 9610, rows_and_columns = 36325;
  const std::pair<std::int64_t, double> published[] = {{1, 243.3}, {2, 135.8}, {4, 72.1}};
  const std::int64_t statistics = summed_by_resnet18("ddp", {}) - 4 * parameters;
  for (const auto& [rank, ratio] : published) {
    const std::int64_t payload = summed_by_resnet18("power_sgd", of_rank(rank)) - statistics;
    CHECK(payload == 4 * (rank * rows_and_columns + vectors));
    CHECK(std::round(10.0 * 4 * parameters / static_cast<double>(payload)) == Approx(10 * ratio));
  }
}

TEST_CASE("Q has the shape of its weight, and is equal on all ranks") {
  const program::Plan plan = compiled("power_sgd", 2, power_sgd_samples, of_rank(2));
  std::map<std::string, graph::Shape> shapes;
  for (const program::HeldState& held : program::held_state(plan, 1))
    if (held.tensor().ends_with(".power_sgd_q@all")) {
      shapes[held.tensor()] = held.shard->whole.shape;
      CHECK(held.shard->initializer.kind == graph::Initializer::Kind::normal);
      CHECK(held.tensor() == held.shard->drawn_as + "@all");
      CHECK(held.elements.size() == graph::elements(held.shard->whole.shape));
    }
  CHECK(shapes.size() == 5);
  CHECK(shapes["conv2.weight.power_sgd_q@all"] == graph::Shape{2, 6, 5, 5});
  CHECK(shapes["fc3.weight.power_sgd_q@all"] == graph::Shape{2, 84});
}

TEST_CASE("PowerSGD is rejected where its rule says nothing") {
  const auto said = [](int ranks, OptionValues options) {
    return test::failure_of([&] { compiled("hybrid", ranks, power_sgd_samples, of_rank(2, std::move(options))); });
  };
  CHECK(said(4, mesh({{"data", 2}, {"pipeline", 2}})) ==
        "matrix_approximation_rank needs a mesh whose axes all split the batch; leave it out, or the other axes");
  OptionValues sharded = mesh({{"data", 2}}, 1), coded = sharded, rounded = sharded;
  sharded["zero"] = std::int64_t{1};
  CHECK(said(2, sharded) == "PowerSGD approximates whole gradients; leave out zero and hierarchical");
  const std::string both =
      "matrix_approximation_rank decides what is on the wire; leave out wire and codec, or matrix_approximation_rank";
  coded["codec"] = Nested{{"one_bit", {}}};
  CHECK(said(2, coded) == both);
  rounded["wire"] = std::string("bf16");
  CHECK(said(2, rounded) == both);
  CHECK(said(2, mesh({{"tensor", 2}}, 1)) ==
        "matrix_approximation_rank has no effect where the mesh has no data axis; leave it out, or add the axis");
  const auto in_fp16 = [] {
    const graph::Graph model = fashion_model("lenet", power_sgd_samples);
    graph::Optimizer optimizer = graph::sgd({});
    optimizer.guard.skip_overflow = true;
    const program::CostTable costs;
    find_strategy("power_sgd").compile({model, power_sgd_samples, 2, optimizer, costs}, {});
  };
  CHECK(test::failure_of(in_fp16) == "PowerSGD needs gradients without a loss scale; use another precision than fp16");
}

}  // namespace ddlbench::strategies
