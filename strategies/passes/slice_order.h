#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/cost_table.h"
#include "strategies/passes/layout.h"

namespace ddlbench::strategies {

/// A slice of a bucket's gradient, which one all-reduce sums.
struct Slice {
  std::size_t bucket = 0;
  int index = 0;           ///< within the bucket
  graph::Extent elements;  ///< within the bucket
  std::size_t ops = 0;     ///< of the training step's layers, in order, that end before it starts
};

struct SliceSpec {
  std::int64_t slice_bytes = 0;
  double bytes_per_second = 0;  ///< of each rank's link
  int ranks = 1;                ///< that sum a gradient
};

/// An order of the sums of gradients in which those go first that the next forward pass needs first: of what is ready
/// when the link is free, the slice of the parameters that are read first (TicTac: Hashemi et al. 2019; P3: Jayarajan
/// et al. 2019). What has not started when the backward pass ends starts in the next step, which updates a bucket's
/// parameters just before it reads them.
struct SliceOrder {
  std::vector<Slice> in_backward;
  std::vector<Slice> in_next_step;
  std::vector<std::size_t> update_order;  ///< buckets, by the first op that reads their parameters
  bool measured = false;                  ///< see OpTimes
};

/// `training` is the program without any communication of gradients. Its ops take the times of op_times(training,
/// costs), and a slice the time that a ring all-reduce needs at the rate of a link, without latency.
SliceOrder find_slice_order(const program::Program& training, const FlatLayout& layout, const program::CostTable& costs,
                            const SliceSpec& spec);

/// Returns a text for readers of a plan.
std::string describe(const SliceOrder& order, double bytes_per_second);

}  // namespace ddlbench::strategies
