#pragma once

#include <string>
#include <vector>

#include "program/cost_table.h"
#include "program/passes.h"
#include "program/plan.h"

namespace ddlbench::test {

/// A builder of programs with given costs. Each computation has a key of its own. Buffers hold f32.
class Hand {
 public:
  program::BufferId buffer(std::int64_t count);

  /// Adds a computation that reads and writes a whole buffer and takes `seconds`.
  void compute(const std::string& name, program::BufferId buffer, double seconds);
  void send(const std::string& name, program::BufferId buffer, int to);
  void receive(const std::string& name, program::BufferId buffer, int from);
  void all_reduce(const std::string& name, program::BufferId buffer, collectives::Algorithm algorithm = {});
  void collective(const std::string& name, graph::Collective kind, program::BufferId whole,
                  std::vector<std::int64_t> counts);

  program::Program program;
  program::CostTable costs;

 private:
  program::Operand operand(program::BufferId buffer) const;
  program::Message message(program::BufferId buffer, int peer) const;
  void communicate(const std::string& name, program::Action action);
};

/// A plan with one role per program on one axis "data", completed, and the costs of all programs.
struct HandPlan {
  program::Plan plan;
  program::CostTable costs;
};
HandPlan plan_of(const std::vector<Hand>& ranks);

/// Returns a plan with one role for `ranks` ranks.
HandPlan replicated(const Hand& hand, int ranks);

}  // namespace ddlbench::test
