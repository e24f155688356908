#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/case/setup.h"

namespace ddlbench::bench {

/// One step of training, as executed.
struct TracedStep {
  double loss = 0;  ///< before the update
  double learning_rate = 0;
};

/// Trains with `single` on one rank (with the case's options if `single` is the case's strategy) from the initial
/// weights on the first batches of the training order. Creates `folder` and leaves in it everything that another
/// program needs to repeat the training and to compare:
///   initial.safetensors, final.safetensors   parameters and running statistics, as in a checkpoint
///   final.state.safetensors                  the optimizer state after the last step
///   gradients.safetensors                    gradients of the first step, under the parameters' names and in their
///                                            layout, divided by the loss scale that fp16 multiplied the loss by
///   batches.safetensors                      step-K.values (f32, or tokens as i64) and step-K.labels (i64), K from 0,
///                                            as the network was given them; images that a device is given as bytes
///                                            are stored normalised
///   trace.json                               the steps, the resolved configuration, the versions
/// The folder appears as a whole or not at all: until it is complete its name is `folder`.tmp-PROCESS. Calls `told`
/// after each step. Throws InputError if the folder exists and is not empty or cannot be written, or if one rank has
/// too little memory; throws BadData.
std::vector<TracedStep> write_training_trace(const Setup& setup, std::int64_t steps, const std::string& folder,
                                             const std::function<void(const TracedStep&)>& on_step = {});

}  // namespace ddlbench::bench
