#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "program/program.h"
#include "runtime/host_memory.h"
#include "runtime/inputs.h"
#include "runtime/metric_values.h"
#include "runtime/recorder.h"
#include "runtime/sequence.h"
#include "runtime/step_scalars.h"
#include "runtime/storage.h"

namespace ddlbench::runtime {

/// A section, indexed by the ring position, which advances with training steps.
using SectionSequences = std::vector<std::unique_ptr<Sequence>>;

/// The resources of one turn. If the host is one step ahead of the device, there are two turns, used by alternate
/// steps; otherwise there is one turn for all steps.
struct Turn {
  Turn(kernels::Device& device, std::size_t bytes_of_scalars) : scalars(device, bytes_of_scalars) {
    Recorder::reserve(begun);
  }
  HostMemory scalars;
  std::vector<SectionSequences> sections;  ///< as program::sections
  BegunStep begun;
  Sequence* ran = nullptr;  ///< the body at the current ring position
};

/// One of the two programs of a role, ready to run.
struct PreparedProgram {
  PreparedProgram(const program::Program& p, std::vector<MetricShare> shares, int rank, kernels::Device& device,
                  std::size_t count, std::size_t bytes_of_scalars)
      : program(p),
        inputs(p, rank, device, count),
        metrics(std::move(shares), device, count),
        runs_of_body(p.bodies.size(), 0) {
    for (std::size_t turn = 0; turn < count; ++turn) turns.emplace_back(device, bytes_of_scalars);
  }
  /// Return the turns of the next and of the last step.
  std::size_t next() const { return static_cast<std::size_t>(steps) % turns.size(); }
  std::size_t last() const { return static_cast<std::size_t>(std::max<std::int64_t>(0, steps - 1)) % turns.size(); }

  const program::Program& program;
  Inputs inputs;
  MetricValues metrics;
  std::vector<Turn> turns;
  std::optional<std::int64_t> steps_since_prologue;  ///< empty before the prologue, and once drained
  std::int64_t steps = 0;
  std::vector<std::int64_t> runs_of_body;  ///< steps by body
};

/// Resolves the views of a program at a ring position.
struct Place {
  const Storage& storage;
  const program::Program& program;
  RingPosition position;
  std::byte* of(const program::View& view) const { return storage.at(program, view, position); }
};

/// Identifies a step by mode and turn. Valid until the turn is reused.
struct StepOf {
  Mode mode = Mode::train;
  std::size_t turn = 0;
};

}  // namespace ddlbench::runtime
