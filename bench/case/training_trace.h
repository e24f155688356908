#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/case/setup.h"

namespace ddlbench::bench {

/// One step of training as it was done.
struct TracedStep {
  double loss = 0;  ///< before the update
  double learning_rate = 0;
};

/// Trains by `single` on one rank (with the case's options of it, where that is its strategy) from the initial weights
/// on the first batches of the training order, and leaves in `folder`, which is made, all that another program needs to
/// do the same and to compare:
///   initial.safetensors, final.safetensors   parameters and running statistics, as a checkpoint has them
///   final.state.safetensors                  what the optimizer keeps after the last step
///   gradients.safetensors                    of the first step, under the parameters' names and in their layout,
///                                            divided by the loss scale that fp16 multiplied the loss by
///   batches.safetensors                      step-K.values (f32, or tokens as i64) and step-K.labels (i64), K from 0,
///                                            as the network was given them; images that a device is given as bytes
///                                            stand there normalised
///   trace.json                               the steps, the resolved configuration, the versions
/// All of it or nothing: until the end it is `folder`.tmp-PROCESS. `told` is called after each step. Throws InputError
/// where the folder is there and not empty or cannot be written, and where one rank has not the memory; BadData.
std::vector<TracedStep> write_training_trace(const Setup& setup, std::int64_t steps, const std::string& folder,
                                             const std::function<void(const TracedStep&)>& told = {});

}  // namespace ddlbench::bench
