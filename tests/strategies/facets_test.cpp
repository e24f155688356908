#include "strategies/facets/facet.h"

#include <set>
#include <sstream>

#include "base/error.h"
#include "catch.h"
#include "compiled.h"
#include "failure.h"
#include "program/print.h"
#include "strategies/inter_layer/schedules.h"
#include "strategies/preset.h"

namespace ddlbench::strategies {
namespace {

std::string text_of(const program::Plan& plan) {
  std::ostringstream text;
  program::print(text, plan);
  return text.str();
}

/// Checks that a hybrid with the same specification compiles to the same plan.
void check_same_as_hybrid(const std::string& strategy, const std::string& axis, OptionValues options,
                          OptionValues more = {}, int ranks = 2) {
  INFO(strategy << " on " << ranks);
  const std::string named = text_of(compiled(strategy, ranks, 48, options));
  if (const auto stage = options.find("stage"); stage != options.end()) {
    options["zero"] = stage->second;
    options.erase(stage);
  }
  options["mesh"] = AxisSizes{{axis, ranks}};
  options.merge(more);
  CHECK(text_of(compiled("hybrid", ranks, 48, options)) == named);
}

}  // namespace

TEST_CASE("a hybrid leaves every setting of every facet open") {
  std::set<std::string> open, all;
  for (const Option& option : find_strategy("hybrid").options) open.insert(option.name);
  for (const Facet& facet : facets())
    for (const Option& setting : facet.settings) CHECK(all.insert(setting.name).second);
  CHECK(open == all);
  CHECK(facets().front().name == "mesh");
}

TEST_CASE("omitted settings have their defaults, and unknown settings are rejected") {
  const StrategySpec spec = spec_of({{"mesh", AxisSizes{{"data", 3}, {"pipeline", 2}}}});
  CHECK(spec.mesh.batch == 3);
  CHECK(spec.mesh.mesh().to_string() == "pipeline=2 data=3");
  CHECK(spec.batch.microbatches == 1);
  CHECK(spec.sync.buckets.bytes == 25 << 20);
  CHECK(spec.state.stage == 0);
  CHECK(spec.memory.kind == Recomputation::Kind::none);
  CHECK_THROWS_AS(spec_of({{"stage", std::int64_t{1}}}), ContractError);
}

// gpipe runs all forwards before all backwards, so four micro-batches are in memory at the same time.
TEST_CASE("a pipeline on one rank keeps its schedule") {
  const auto arena = [](const std::string& strategy) {
    return program::account(compiled(strategy, 1, 48, {{"microbatches", std::int64_t{4}}}), 0).peak_bytes;
  };
  CHECK(arena("gpipe") > arena("single"));
  CHECK(arena("1f1b") == arena("single"));
}

TEST_CASE("a hybrid can express every other strategy") {
  const OptionValues small{{"bucket_mebibytes", 0.004}, {"microbatches", std::int64_t{2}}};
  const auto with = [&small](OptionValues more) {
    more.insert(small.begin(), small.end());
    return more;
  };
  check_same_as_hybrid("ddp", "data", with({{"overlap", false}}));
  check_same_as_hybrid("ddp", "data", {{"update_in_backward", true}, {"microbatches", std::int64_t{1}}});
  for (const std::int64_t stage : {1, 2, 3}) check_same_as_hybrid("zero", "data", with({{"stage", stage}}));
  check_same_as_hybrid("zero", "data",
                       with({{"stage", std::int64_t{3}}, {"prefetch", std::int64_t{3}}, {"reshard", false}}));
  check_same_as_hybrid("hierarchical", "data", small, {{"hierarchical", true}, {"node_ranks", std::int64_t{2}}}, 4);
  check_same_as_hybrid("zero", "data", with({{"stage", std::int64_t{2}}, {"node_ranks", std::int64_t{2}}}), {}, 4);
  check_same_as_hybrid(
      "lbann", "data", {{"microbatches", std::int64_t{2}}},
      {{"bucket_per_layer", true}, {"bucket_mebibytes", 1048576.0}, {"first_bucket_mebibytes", 1048576.0}});
  check_same_as_hybrid("balanced", "data", with({{"speeds", Integers{3, 1}}}));
  check_same_as_hybrid("tensor", "tensor", {{"microbatches", std::int64_t{2}}, {"recompute", Strings{"full"}}});
  for (const ScheduleKind& kind : schedules())
    for (const int ranks : {1, 2})
      check_same_as_hybrid(kind.name, "pipeline", {{"microbatches", std::int64_t{4}}}, {{"schedule", kind.name}},
                           ranks);
}

TEST_CASE("a preset that the facets reject is an error") {
  const Preset good{"good", Family::data, "", "data", {"overlap"}, {{"zero", std::int64_t{3}}}};
  CHECK_NOTHROW(kind_of(good));
  const auto changed = [&good](auto change) {
    Preset preset = good;
    change(preset);
    return preset;
  };
  CHECK_THROWS_AS(kind_of(changed([](Preset& p) { p.open = {"overlaps"}; })), ContractError);
  CHECK_THROWS_AS(kind_of(changed([](Preset& p) { p.open = {{"overlap", std::int64_t{1}}}; })), ContractError);
  CHECK_THROWS_AS(kind_of(changed([](Preset& p) { p.fixed = {{"stage", std::int64_t{3}}}; })), ContractError);
  CHECK_THROWS_AS(kind_of(changed([](Preset& p) {
                    p.fixed = {{"bucket_mebibytes", std::int64_t{25}}};
                  })),
                  ContractError);
  CHECK_THROWS_AS(kind_of(changed([](Preset& p) { p.open = {"zero"}; })), ContractError);
  CHECK_THROWS_AS(kind_of(changed([](Preset& p) { p.open = {"mesh"}; })), ContractError);
  CHECK_THROWS(kind_of(changed([](Preset& p) { p.axis = "dat"; })));
}

TEST_CASE("a facet rejects combinations with other facets that it does not support") {
  OptionValues options = mesh({{"data", 2}, {"pipeline", 2}}, 1);
  options["update_in_backward"] = true;
  CHECK_THROWS_WITH(compiled("hybrid", 4, 48, options),
                    "update_in_backward uses each gradient as soon as it is complete, which neither sharded "
                    "state nor stages support; leave out zero and the pipeline axis");
  CHECK_THROWS_WITH(compiled("hybrid", 4, 50, mesh({{"data", 2}, {"tensor", 2}}, 3)),
                    "a global batch of 50 does not divide into 2 data-parallel parts x 3 micro-batches; use a multiple "
                    "of 6");
}

TEST_CASE("a setting that another setting leaves without effect is rejected") {
  const std::string nothing = "nothing was thrown";
  const auto said = [](const std::string& strategy, int ranks, const OptionValues& options) {
    return test::failure_of([&] { compiled(strategy, ranks, 48, options); });
  };
  const auto with = [](const AxisSizes& axes, const OptionValues& more) {
    OptionValues options = mesh(axes, 2);
    for (const auto& [name, value] : more) options[name] = value;
    return options;
  };
  const AxisSizes data{{"data", 2}}, stages{{"pipeline", 2}};
  const OptionValue three{std::int64_t{3}};
  CHECK(said("zero", 2, {{"prefetch", three}}) ==
        "prefetch has no effect with ZeRO stage 1, which does not shard parameters; leave it out, or use stage 3");
  CHECK(said("zero", 2, {{"stage", std::int64_t{2}}, {"reshard", false}}) ==
        "reshard has no effect with ZeRO stage 2, which does not shard parameters; leave it out, or use stage 3");
  CHECK(said("hybrid", 2, with(data, {{"prefetch", three}})) ==
        "prefetch has no effect with ZeRO stage 0, which does not shard parameters; leave it out, or use stage 3");
  CHECK(said("zero", 2, {{"stage", three}, {"prefetch", three}, {"reshard", false}}) == nothing);
  CHECK(said("zero", 1, {{"stage", three}, {"prefetch", three}}) ==
        nothing);  // a sweep over ranks has the same settings
  CHECK(said("zero", 2, {{"stage", std::int64_t{2}}, {"overlap", false}}) ==
        "overlap has no effect with ZeRO stage 2, which scatters gradients as soon as a bucket is complete; leave it "
        "out, or use stage 0 or 1");
  CHECK(said("zero", 2, {{"overlap", false}}) == nothing);
  CHECK(said("hybrid", 2, with(stages, {{"overlap", false}})) ==
        "overlap has no effect where the mesh has no data axis; leave it out, or add the axis");
  CHECK(said("hybrid", 2, with(stages, {{"zero", std::int64_t{1}}})) ==
        "zero has no effect where the mesh has no data axis; leave it out, or add the axis");
  for (const auto& [setting, value] : OptionValues{{"chunks", three}, {"schedule", std::string("1f1b")}})
    CHECK(said("hybrid", 2, with(data, {{setting, value}})) ==
          setting + " has no effect where the mesh has no pipeline axis; leave it out, or add the axis");
  CHECK(said("hybrid", 2, with(stages, {{"chunks", three}})) ==
        "chunks has no effect with schedule 'gpipe', which fixes their number; leave it out, or use interleaved or "
        "hanayo (a multiple of 2)");
  CHECK(said("hybrid", 2, with(stages, {{"activation_limit", 2.0}})) ==
        "activation_limit has no effect with schedule 'gpipe'; leave it out, or use zb_auto");
  CHECK(said("zb_auto", 2, {{"activation_limit", 2.0}}) == nothing);
  const OptionValues first_stage{{"recompute", Strings{"full"}}, {"recompute_stages", Integers{0}}};
  CHECK(said("hybrid", 2, with(data, first_stage)) ==
        "recompute_stages has no effect where the mesh has no pipeline axis; leave it out, or add the axis");
  CHECK(said("1f1b", 2, {{"recompute_stages", Integers{0}}}) ==
        "recompute_stages has no effect without recompute; leave it out, or add recompute");
  CHECK(said("1f1b", 2, {{"recompute", Strings{"full"}}, {"recompute_stages", Integers{2}}}) ==
        "recompute_stages has stage 2, but the pipeline has 2 stages, counted from 0; name other stages, or use more");
  CHECK(said("1f1b", 2, {{"recompute", Strings{"full"}}, {"recompute_stages", Integers{0, 1}}}) ==
        "recompute has no effect in stage 1, whose backward passes all follow their own forward pass; leave it out of "
        "recompute_stages");
  CHECK(said("gpipe", 5, {{"recompute", Strings{"max_pool2d"}}, {"recompute_stages", Integers{2}}}) ==
        "recompute has no effect in stage 2, which has none of its ops; leave it out of recompute_stages");
  CHECK(said("1f1b", 2, first_stage) == nothing);
  CHECK(said("hybrid", 1, with({{"pipeline", 1}}, {{"schedule", std::string("1f1b")}})) == nothing);
  CHECK(said("hybrid", 1, with({{"pipeline", 1}}, {{"chunks", three}, {"schedule", std::string("interleaved")}})) ==
        nothing);
}

}  // namespace ddlbench::strategies
