#include "strategies/passes/without_flush.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "catch.h"
#include "compiled.h"

namespace ddlbench::strategies {
namespace {

constexpr auto stashed = WeightVersions::stashed, vertical_sync = WeightVersions::vertical_sync,
               newest = WeightVersions::newest;

Pipeline without_flush(int ranks, int microbatches, WeightVersions weights = stashed) {
  Pipeline pipeline{ranks, 1, microbatches};
  pipeline.flushes = false;
  pipeline.weights = weights;
  return pipeline;
}

const std::map<WeightVersions, std::string> names{{stashed, "stashed"},
                                                  {vertical_sync, "vertical_sync"},
                                                  {newest, "newest"},
                                                  {WeightVersions::corrected, "corrected"},
                                                  {WeightVersions::predicted, "predicted"}};

/// Calls run(body, step) for a training of `steps` steps and its drain; steps of the drain follow those of the
/// training.
void each_body(const program::Cadence& cadence, int steps, const std::function<void(int, int)>& run) {
  for (int step = 0; step < steps; ++step) run(cadence.body(step, step), step);
  int step = steps;
  for (const int body : cadence.drain_after(steps)) run(body, step++);
}

/// Follows the versions of the weights of one rank through a training. Returns for each batch by how many updates the
/// weights that its passes read are behind.
std::map<int, std::set<int>> delays(const program::Plan& plan, int rank, int steps) {
  const program::Program& training = plan.role(rank).train;
  const program::BufferId weights = 0;
  REQUIRE(training.buffers[0].memory_class == program::MemoryClass::parameters);
  const int versions = training.buffers[0].versions;
  std::vector<int> updates(static_cast<std::size_t>(versions), 0);  // that each version has seen, newest first
  std::map<int, std::set<int>> found;
  each_body(plan.cadence, steps, [&](int body, int step) {
    int written = versions == 1 ? updates.front() : -1;
    for (const program::Instruction& instruction : training.bodies[static_cast<std::size_t>(body)]) {
      const auto* compute = std::get_if<program::Compute>(&instruction.action);
      if (compute == nullptr || instruction.name.find("mean change of") != std::string::npos ||
          instruction.name.starts_with("correct parameters of"))
        continue;
      const bool writes = !compute->outputs.empty() && compute->outputs[0].view.buffer == weights;
      if (writes && versions > 1) CHECK(compute->outputs[0].view.age == -1);
      for (const program::Operand& input : compute->inputs) {
        if (input.view.buffer != weights) continue;
        const int seen = updates.at(static_cast<std::size_t>(input.view.age));
        if (writes)
          written = seen + (instruction.name.starts_with("update") ? 1 : 0);
        else
          found[step - instruction.steps_back].insert(step - instruction.steps_back - seen);
      }
    }
    CHECK(written >= 0);
    updates.insert(updates.begin(), written);
    updates.pop_back();
  });
  CHECK(updates.front() == steps);
  return found;
}

}  // namespace

TEST_CASE("without flush, every micro-batch of every batch passes each rank forward and backward once") {
  for (int p = 2; p <= 8; ++p)
    for (const int m : {1, 2, 3, 4, 7, 8, 13, 32})
      for (const int steps : {1, 2, 3, 9, 20}) {
        INFO(p << " ranks, " << m << " micro-batches, " << steps << " steps");
        const Pipeline pipeline = without_flush(p, m);
        const StepsWithoutFlush all = steps_without_flush(pipeline);
        for (int rank = 0; rank < p; ++rank) {
          std::vector<int> forward, backward;
          std::size_t most_held = 0;
          each_body(all.cadence, steps, [&](int body, int step) {
            for (const TimedWork& timed :
                 works_without_flush(pipeline, rank, all.bodies[static_cast<std::size_t>(body)])) {
              const Work& work = timed.work;
              (work.kind == Work::Kind::forward ? forward : backward)
                  .push_back((step - work.age) * m + work.microbatch);
              most_held = std::max(most_held, forward.size() - backward.size());
            }
          });
          std::vector<int> expected(static_cast<std::size_t>(steps * m));
          for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<int>(i);
          CHECK(forward == expected);
          CHECK(backward == expected);
          CHECK(most_held == static_cast<std::size_t>(std::min(p - rank, steps * m)));
        }
      }
}

// PipeDream (Harlap et al. 2018, section 3.3): w(t+1) = w(t) − ν ∇f(w₁(t−n+1), …, w_n(t)), and with vertical sync
// ∇f(w(t−n+1)). PipeDream-2BW (Narayanan et al. 2021): w(t+1) = w(t) − ν ∇f(w(t−1)).
TEST_CASE("weights are as old as the papers say") {
  for (int p = 2; p <= 8; ++p) {
    for (int rank = 0; rank < p; ++rank) {
      CHECK(weight_delay(without_flush(p, 1), rank) == p - 1 - rank);
      CHECK(weight_delay(without_flush(p, 1, vertical_sync), rank) == p - 1);
      CHECK(weight_delay(without_flush(p, p, vertical_sync), rank) == 1);
    }
    CHECK(steps_without_flush(without_flush(p, p)).cadence.fill.size() == 1);
    CHECK(steps_without_flush(without_flush(p, 1)).cadence.fill.size() == static_cast<std::size_t>(p - 1));
  }
}

TEST_CASE("every pass of a compiled step reads the weights of its batch's version") {
  constexpr int steps = 12;
  for (const int p : {2, 3, 4})
    for (const std::int64_t m : {1, 2, 4})
      for (const auto& [weights, name] : names) {
        if (keeps_newest_only(without_flush(p, 1, weights)) && m > 1) continue;
        INFO(p << " ranks, " << m << " micro-batches, " << name);
        const program::Plan plan =
            compiled_layers("pipedream", 2 * p, p, 4 * m, {{"microbatches", m}, {"weight_versions", name}});
        CHECK(findings(plan) == "");
        for (int rank = 0; rank < p; ++rank) {
          const int delay = weight_delay(without_flush(p, static_cast<int>(m), weights), rank);
          CHECK(plan.role(rank).train.buffers[0].versions ==
                weight_versions(without_flush(p, static_cast<int>(m), weights), rank));
          const auto found = delays(plan, rank, steps);
          REQUIRE(found.size() == steps);
          for (const auto& [batch, behind] : found) {
            std::set<int> expected{std::min(delay, batch)};
            if (keeps_newest_only(without_flush(p, 1, weights)) && weights != WeightVersions::corrected)
              expected.insert(0);
            CHECK(behind == expected);
          }
        }
      }
}

TEST_CASE("without flush, no number of ranks and micro-batches deadlocks") {
  for (const int p : {2, 3, 5, 8})
    for (const std::int64_t m : {1, 2, 3, 5, 8, 11, 16, 32})
      for (const auto& [weights, name] : names) {
        if (keeps_newest_only(without_flush(p, 1, weights)) && m > 1) continue;
        INFO("p=" << p << " m=" << m << " " << name);
        CHECK(findings(compiled_layers("pipedream", 2 * p, p, m, {{"microbatches", m}, {"weight_versions", name}})) ==
              "");
      }
}

TEST_CASE("a pipeline without flush promises stale weights, and says how old they are") {
  const program::Plan plan = compiled_layers("pipedream", 6, 3, 4);
  CHECK(plan.promise.kind == program::Promise::Kind::stale);
  CHECK(plan.promise.staleness == 2);
  CHECK(plan.promise.how == "gradients are of weights 0 to 2 updates before");
  REQUIRE(plan.promise.rule != nullptr);
  std::set<std::int64_t> delays;
  for (const auto& [parameter, delay] : plan.promise.rule->delays) delays.insert(delay);
  CHECK(delays == std::set<std::int64_t>{0, 1, 2});
  CHECK(compiled_layers("pipedream", 6, 1, 4).promise.kind == program::Promise::Kind::exact);
  CHECK(compiled_layers("pipedream_2bw", 6, 3, 4).promise.how == "gradients are of weights 1 update before");
}

TEST_CASE("without flush, what needs a whole batch at one time is rejected") {
  const auto why = [](OptionValues options) -> std::string {
    options.insert(
        {{"mesh", AxisSizes{{"data", 2}, {"pipeline", 2}}}, {"flush", false}, {"microbatches", std::int64_t{2}}});
    options.try_emplace("schedule", std::string("1f1b"));
    try {
      compiled("hybrid", 4, 16, options);
    } catch (const Unsupported& error) {
      return error.what();
    }
    return "";
  };
  CHECK(why({}) == "");
  CHECK(why({{"zero", std::int64_t{1}}}).find("leave out zero") != std::string::npos);
  CHECK(why({{"recompute", Strings{"full"}}}).find("leave out recompute") != std::string::npos);
  CHECK(why({{"schedule", std::string("gpipe")}}).find("flush: false needs schedule '1f1b'") != std::string::npos);
  CHECK(why({{"weight_versions", std::string("newest")}}).find("set microbatches to 1") != std::string::npos);
  CHECK(why({{"wire", std::string("bf16")}}).find("leave out averaging") != std::string::npos);
  CHECK(why({{"rate_steps", std::int64_t{10}}}) == "");
  CHECK(why({{"correction_decay", 0.5}}).find("set weight_versions to corrected") != std::string::npos);
}

// A ring whose versions are one too few, and views of other versions than the batch's.
TEST_CASE("the checker finds versions of weights and activations that are not those of their batch") {
  const program::Plan sound = compiled_layers("pipedream", 6, 3, 4);
  const auto changed = [&](auto&& change) {
    program::Plan plan = sound;
    change(plan.role(0), const_cast<program::Program&>(plan.role(0).train));
    return findings(plan);
  };
  const auto views_of = [](program::Program& training, const std::string& buffer, auto&& change) {
    int found = 0;
    for (program::Instructions& body : training.bodies)
      for (program::Instruction& instruction : body)
        if (auto* compute = std::get_if<program::Compute>(&instruction.action))
          for (auto* operands : {&compute->inputs, &compute->outputs})
            for (program::Operand& operand : *operands)
              if (training.buffers[static_cast<std::size_t>(operand.view.buffer)].name.starts_with(buffer) &&
                  operand.view.age != -1) {
                change(operand.view);
                ++found;
              }
    REQUIRE(found > 0);
  };
  CHECK(changed([](const auto&, auto&) {}) == "");
  // Activations are kept in rings of three versions: what was written two steps before has age 1.
  CHECK(changed([&](const auto&, program::Program& training) {
          views_of(training, "fc1 of", [](program::View& view) { view.age = 0; });
        }).find("finds the version of") != std::string::npos);
  // Without the copies, a step without update leaves no version.
  CHECK(changed([&](const auto&, program::Program& training) {
          for (program::Instructions& body : training.bodies)
            std::erase_if(body, [](const program::Instruction& i) { return i.name == "copy parameters"; });
          program::order(training);
        }).find("of 'parameters' as the version of") != std::string::npos);
}

}  // namespace ddlbench::strategies
