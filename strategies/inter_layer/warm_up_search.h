#pragma once

#include <vector>

#include "strategies/inter_layer/fill_weights.h"
#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Returns the orders of all ranks of a pipeline with one chunk per rank, in which no rank holds the activations of
/// more than `most_held` forwards. A rank begins with some forwards; then input halves and forwards alternate, and
/// fill_weights() adds the weight halves. The numbers of first forwards are those with the shortest span, and among
/// these the fewest, that a local search finds: from straight lines over the ranks, by one forward more or fewer on
/// some of the ranks. The number of trials falls with the size of the pipeline.
FilledOrders search_warm_up(const Pipeline& pipeline, int most_held);

}  // namespace ddlbench::strategies
