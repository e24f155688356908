#pragma once

#include "bench/command/arguments.h"
#include "graph/graph.h"
#include "workloads/model.h"

namespace ddlbench::bench {

/// A model that the command line names, and the request from which it is built.
struct ChosenModel {
  const workloads::ModelKind& kind;
  workloads::ModelRequest request;

  graph::Graph build() const { return kind.build(request); }
};

/// Returns the model MODEL, a registered name or a JSON file. Its shape and batch come from --input, --classes and
/// --batch; where these are missing, from the experiment of --config (its smallest global batch); else from the model's
/// natural shape, with a batch of one. Throws InputError or BadData.
ChosenModel choose_model(const Arguments& arguments);

}  // namespace ddlbench::bench
