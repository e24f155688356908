#pragma once

#include <vector>

#include "cases.h"
#include "graph/op.h"

namespace ddlbench::test {

/// Collects cases, with scalars that affect the results.
class Cases {
 public:
  void add(graph::OpPtr op, std::vector<HostTensor> inputs, double terms, std::vector<graph::TensorType> types = {});
  /// Adds the case twice: overwriting and accumulating.
  void add_both(const graph::OpPtr& op, const std::vector<HostTensor>& inputs, double terms,
                const std::vector<graph::TensorType>& types = {});

  std::vector<OpCase> take() { return std::move(all_); }

 private:
  std::vector<OpCase> all_;
};

void add_convolutions(Cases& cases);
void add_pools(Cases& cases);

}  // namespace ddlbench::test
