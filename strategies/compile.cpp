#include "strategies/compile.h"

#include <fmt/core.h>
#include <map>
#include <optional>

#include "base/error.h"
#include "program/passes.h"
#include "strategies/facets/facet.h"
#include "strategies/passes/cycles.h"
#include "strategies/passes/emit.h"
#include "strategies/passes/slice_order.h"
#include "strategies/prepared.h"
#include "strategies/shares.h"
#include "strategies/synchronization/chain.h"
#include "strategies/synchronization/promise.h"

namespace ddlbench::strategies {

namespace {

/// Returns the coordinates of `rank` with 0 on the axes that split the batch: data-parallel replicas run the same
/// program.
program::Coordinates without_data(const program::Mesh& mesh, int rank) {
  program::Coordinates coordinates = mesh.coordinates_of(rank);
  for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
    if (splits_batch(mesh.axes()[axis].name)) coordinates[axis] = 0;
  return coordinates;
}

int coordinate(const program::Mesh& mesh, const program::Coordinates& coordinates, std::string_view axis) {
  const auto found = mesh.find(axis);
  return found ? coordinates[static_cast<std::size_t>(*found)] : 0;
}

/// `with_replica`: replicas do not share roles, because they have different samples.
std::string role_name(const program::Mesh& mesh, const program::Coordinates& coordinates, graph::Extent shards,
                      bool with_replica) {
  std::string name;
  const auto add = [&name](const std::string& part) { name += (name.empty() ? "" : " ") + part; };
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (!splits_batch(mesh.axes()[i].name) || (with_replica && mesh.axes()[i].name == axis_name(Use::replicas)))
      add(fmt::format("{}={}", mesh.axes()[i].name, coordinates[i]));
  if (shards.size() < mesh.size_of("data"))
    add(fmt::format("data={}{}", shards.begin, shards.size() == 1 ? "" : fmt::format("..{}", shards.end - 1)));
  return name.empty() ? "every rank" : name;
}

/// Compiles the roles of all ranks with the same pipeline and tensor coordinate: one role, unless their shards or their
/// shares of the batch differ in size.
class RoleCompiler {
 public:
  RoleCompiler(const Task& task, const StrategySpec& spec, const program::Mesh& mesh,
               const std::vector<std::int64_t>& shares, const Prepared& prepared)
      : task_(task),
        spec_(spec),
        mesh_(mesh),
        shares_(shares),
        prepared_(prepared),
        synchronization_(synchronization_of(spec)),
        evaluate_times_(prepared.evaluate, prepared.evaluate_stages, spec.pipeline.schedule, false) {
    if (const Pipeline& pipeline = prepared.train_stages.pipeline; pipeline.flushes)
      train_times_.emplace_back(prepared.train, prepared.train_stages, spec.pipeline.schedule, true);
    else
      add_steps_without_flush(steps_without_flush(pipeline));
    if (spec.sync.cycle_milliseconds > 0) cycles_ = cycles();
    if (spec.sync.priority) slices_ = slice_order();
  }

  RolePosition position(const program::Coordinates& coordinates) const {
    return {mesh_, coordinates, coordinate(mesh_, coordinates, "pipeline"), spec_.batch.microbatches};
  }

  /// Returns the coordinates of `rank` without those on the axes that split the batch, except the first replica that
  /// has the same shares.
  program::Coordinates shared_coordinates(int rank) const {
    program::Coordinates coordinates = without_data(mesh_, rank);
    const auto replica_axis = mesh_.find(axis_name(Use::replicas));
    if (shares_.empty() || !replica_axis) return coordinates;
    int& first = coordinates[static_cast<std::size_t>(*replica_axis)];
    const int own = coordinate(mesh_, mesh_.coordinates_of(rank), axis_name(Use::replicas));
    while (shares_of_replica(first) != shares_of_replica(own)) ++first;
    return coordinates;
  }

  FlatLayout layout(const RolePosition& position) const {
    const Partition& partition = spec_.state;
    BucketSizes sizes = spec_.sync.buckets;
    // With update_in_backward, buckets that need no reduction are limited, too: otherwise they would be a single one.
    sizes.limit_all = !partition.keeps_gradients;
    return lay_out(prepared_.train, prepared_.train_stages, position, prepared_.ties, sizes,
                   {partition.gradients(), task_.optimizer.needs_norms(), spec_.sync.bucket_per_layer,
                    cycles_ ? cycles_->of_gradient : std::vector<int>{}});
  }

  const program::Cadence& cadence() const { return synchronization_.cadence; }

  /// Appends what was negotiated, or the order of sums, for readers of the plan.
  void describe_order(std::vector<std::string>& choices) const {
    if (slices_) choices.push_back(describe(*slices_, spec_.sync.link_bytes_per_second));
    if (!cycles_) return;
    const FlatLayout buckets = layout(position(shared_coordinates(0)));
    choices.push_back(describe(*cycles_, spec_.sync.cycle_milliseconds, buckets.buckets.size()));
  }

  std::vector<std::pair<graph::Extent, program::Role>> roles(const program::Coordinates& coordinates) const {
    const FlatLayout buckets = layout(position(coordinates));
    const Partition& partition = spec_.state;
    std::vector<std::pair<graph::Extent, program::Role>> roles;
    for (const graph::Extent& run : runs(buckets, coordinates)) {
      const RolePosition at = position(with_data(coordinates, static_cast<int>(run.begin)));
      const Shards shards(buckets, mesh_, partition, run);
      program::Role role;
      role.name = role_name(mesh_, coordinates, run, !shares_.empty());
      const bool own = spec_.weights.own();
      EmittedState state;
      const auto step = [&](std::size_t body) -> Emission {
        return {.sharded = prepared_.train,
                .stages = prepared_.train_stages,
                .timetable = train_times_[std::min(body, train_times_.size() - 1)],
                .position = at,
                .layout = buckets,
                .shards = shards,
                .optimizer = &task_.optimizer,
                .chain = &synchronization_.bodies[body],
                .recomputation = spec_.memory,
                .overlap = spec_.sync.overlap,
                .cycles = cycles_ ? &*cycles_ : nullptr,
                .slices = slices_ ? &*slices_ : nullptr,
                .own_weights = own};
      };
      std::optional<Carried> carried;
      if (!prepared_.train_stages.pipeline.flushes) carried = find_carried(step(0));
      for (std::size_t body = 0; body < synchronization_.bodies.size(); ++body) {
        program::Program program;
        Emission emission = step(body);
        emission.carried = carried ? &*carried : nullptr;
        state = emit(emission, program);
        if (body == 0) {
          role.train = std::move(program);
          continue;
        }
        program.prologue.clear();  // that of the first body is that of all
        program::add_body(role.train, std::move(program));
      }
      emit({.sharded = prepared_.evaluate,
            .stages = prepared_.evaluate_stages,
            .timetable = evaluate_times_,
            .position = at,
            .layout = buckets,
            .shards = shards,
            .own_weights = own},
           role.evaluate);
      if (const Pipeline& pipeline = prepared_.train_stages.pipeline; !pipeline.flushes)
        role.train.rate = {weight_delay(pipeline, at.pipeline), pipeline.rate_steps};
      role.state = std::move(state.state);
      role.shards = std::move(state.shards);
      roles.emplace_back(run, std::move(role));
    }
    return roles;
  }

 private:
  /// All steps have the same chain, but batches of other ages.
  void add_steps_without_flush(StepsWithoutFlush steps) {
    for (const Ages& ages : steps.bodies) train_times_.emplace_back(prepared_.train, prepared_.train_stages, ages);
    require(synchronization_.bodies.size() == 1, "without flush, all steps need the same chain");
    synchronization_.cadence = std::move(steps.cadence);
    synchronization_.bodies.assign(steps.bodies.size(), synchronization_.bodies.front());
  }

  /// Calls use(program, layout) with a training step without communication of gradients.
  auto without_communication(auto&& use) const {
    const RolePosition at = position(shared_coordinates(0));
    const FlatLayout whole = layout(at);
    const Shards shards(whole, mesh_, {}, {0, 1});
    const BucketChain nothing;
    program::Program training;
    emit({prepared_.train, prepared_.train_stages, train_times_.front(), at, whole, shards, &task_.optimizer, &nothing,
          spec_.memory},
         training);
    return use(training, whole);
  }

  /// Returns the cycles in which gradients become ready.
  Cycles cycles() const {
    return without_communication([this](const program::Program& training, const FlatLayout& whole) {
      return find_cycles(training, whole, task_.costs, spec_.sync.cycle_milliseconds * 1e-3);
    });
  }

  SliceOrder slice_order() const {
    const SyncSpec& sync = spec_.sync;
    return without_communication([&](const program::Program& training, const FlatLayout& whole) {
      return find_slice_order(training, whole, task_.costs,
                              {sync.slice_bytes, sync.link_bytes_per_second, spec_.mesh.data_ranks()});
    });
  }

  std::vector<std::int64_t> shares_of_replica(int replica) const {
    const auto first = shares_.begin() + replica * spec_.mesh.batch;
    return {first, first + spec_.mesh.batch};
  }

  /// Divides the ranks of the data axis into runs of ranks with equal shards and shares. Each run is a role.
  std::vector<graph::Extent> runs(const FlatLayout& buckets, const program::Coordinates& coordinates) const {
    const auto all = equal_shards(buckets, mesh_, spec_.state, task_.optimizer.needs_segments());
    if (shares_.empty()) return all;
    const auto shares = shares_of_replica(coordinate(mesh_, coordinates, axis_name(Use::replicas)));
    std::vector<graph::Extent> cut;
    for (const graph::Extent& run : all)
      for (std::int64_t data = run.begin; data < run.end; ++data) {
        const auto at = static_cast<std::size_t>(data);
        if (data == run.begin || shares[at] != shares[at - 1])
          cut.push_back({data, data + 1});
        else
          cut.back().end = data + 1;
      }
    return cut;
  }

  program::Coordinates with_data(program::Coordinates coordinates, int data) const {
    if (const auto axis = mesh_.find(axis_name(Use::batch))) coordinates[static_cast<std::size_t>(*axis)] = data;
    return coordinates;
  }

  const Task& task_;
  const StrategySpec& spec_;
  const program::Mesh& mesh_;
  const std::vector<std::int64_t>& shares_;
  const Prepared& prepared_;
  Synchronization synchronization_;
  std::vector<Timetable> train_times_;  ///< of each body, or of all
  Timetable evaluate_times_;
  std::optional<Cycles> cycles_;
  std::optional<SliceOrder> slices_;
};

/// Leaves out what has no effect on a single rank of an axis, which has nothing to shard or to send.
void leave_out_idle(StrategySpec& spec) {
  if (spec.mesh.batch == 1) spec.state.stage = 0;
  if (spec.mesh.data_ranks() > 1) return;
  spec.sync.codec.reset();
  spec.sync.wire.reset();
  spec.sync.approximation_rank = 0;
  spec.sync.cycle_milliseconds = 0;
  spec.sync.priority = false;
  spec.weights = {};
}

}  // namespace

program::Plan compile(const Task& task, StrategySpec spec) {
  require_possible(task, spec);
  leave_out_idle(spec);
  const bool over_nodes = spec.sync.hierarchical && spec.mesh.replicas > 1;
  spec.state.in_parts = (over_nodes || spec.sync.wire) && !spec.state.states() && spec.mesh.batch > 1;
  program::Plan plan;
  plan.meshes = {spec.mesh.mesh()};
  const program::Mesh& mesh = plan.meshes.front();
  program::require_ranks(mesh, task.ranks);
  plan.global_batch = task.global_batch;
  plan.microbatches = spec.batch.microbatches;
  plan.shares = shares_of(task, spec);

  const Prepared prepared = prepare(task, spec, mesh, plan.shares, plan.choices);
  const RoleCompiler compiler(task, spec, mesh, plan.shares, prepared);
  plan.cadence = compiler.cadence();
  compiler.describe_order(plan.choices);
  plan.promise = promise_of(spec, prepared.train.graph, compiler.layout(compiler.position(without_data(mesh, 0))),
                            weight_delays(prepared));
  std::map<program::Coordinates, std::vector<std::pair<graph::Extent, int>>> roles_at;
  for (int rank = 0; rank < mesh.size(); ++rank) {
    const program::Coordinates coordinates = compiler.shared_coordinates(rank);
    const auto [known, is_new] = roles_at.try_emplace(coordinates);
    if (is_new)
      for (auto& [run, role] : compiler.roles(coordinates)) {
        known->second.emplace_back(run, static_cast<int>(plan.roles.size()));
        plan.roles.push_back(std::move(role));
      }
    const int data = coordinate(mesh, mesh.coordinates_of(rank), "data");
    for (const auto& [run, role] : known->second)
      if (data >= run.begin && data < run.end) plan.role_of_rank.push_back(role);
  }
  return plan;
}

}  // namespace ddlbench::strategies
