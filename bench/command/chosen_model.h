#pragma once

#include "bench/command/arguments.h"
#include "graph/graph.h"
#include "workloads/model.h"

namespace ddlbench::bench {

/// A model that a command line names, and what it is built for.
struct ChosenModel {
  const workloads::ModelKind& kind;
  workloads::ModelRequest request;

  graph::Graph build() const { return kind.build(request); }
};

/// MODEL, a name or the file of a model in JSON, in the shape of --input, --classes and --batch; else as the experiment
/// of --config has it (its smallest global batch); else in the shape that the model is made for, in a batch of one.
/// Throws InputError, BadData.
ChosenModel choose_model(const Arguments& arguments);

}  // namespace ddlbench::bench
