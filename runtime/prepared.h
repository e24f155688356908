#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "graph/scalars.h"
#include "program/program.h"
#include "runtime/host_memory.h"
#include "runtime/inputs.h"
#include "runtime/metric_values.h"
#include "runtime/recorder.h"
#include "runtime/sequence.h"
#include "runtime/storage.h"

namespace ddlbench::runtime {

/// The three parts of a program, by the position of the rings that training steps move on.
struct Sections {
  std::vector<std::unique_ptr<Sequence>> prologue, body, epilogue;
};

/// What belongs to every other step where the host is one ahead of the device, else to all.
struct Turn {
  explicit Turn(kernels::Device& device) : scalars(device, device.asynchronous() ? sizeof(graph::Scalars) : 0) {
    Recorder::reserve(begun);
  }
  HostMemory scalars;
  Sections sections;
  BegunStep begun;
  Sequence* ran = nullptr;  ///< the body, at its position
};

/// One of a role's two programs.
struct Prepared {
  Prepared(const program::Program& p, std::vector<MetricShare> shares, int rank, kernels::Device& device,
           std::size_t count)
      : program(p), inputs(p, rank, device, count), metrics(std::move(shares), device, count) {
    for (std::size_t turn = 0; turn < count; ++turn) turns.emplace_back(device);
  }
  /// Whose turn it is in the next step, and was in the last.
  std::size_t next() const { return static_cast<std::size_t>(steps) % turns.size(); }
  std::size_t last() const { return static_cast<std::size_t>(std::max<std::int64_t>(0, steps - 1)) % turns.size(); }

  const program::Program& program;
  Inputs inputs;
  MetricValues metrics;
  std::vector<Turn> turns;
  bool running = false;  ///< the prologue has run
  std::int64_t steps = 0;
};

/// Where a slot of a program lies.
struct Place {
  const Storage& storage;
  const program::Program& program;
  RingPosition position;
  std::byte* of(const program::View& view) const { return storage.at(program, view, position); }
};

/// A step, as long as its turn is its own.
struct StepOf {
  Mode mode = Mode::train;
  std::size_t turn = 0;
};

}  // namespace ddlbench::runtime
