#pragma once

#include "bench/case/setup.h"
#include "bench/config/experiment.h"
#include "kernels/device.h"
#include "platform/bound_cores.h"

namespace ddlbench::bench {

/// How the device of a rank is made: with `threads` of the host; of several devices apart from it, rank by rank round
/// and round those that this process sees. Ranks that are processes count by their place on their machine, or by their
/// rank where the launcher does not tell that. Throws InputError where this process sees none.
kernels::DeviceOptions device_options(const Experiment& experiment, int rank, int threads);

/// Binds the calling thread, as rank `rank` of `ranks`, to its cores: `threads` of them, one for each thread. A rank
/// whose device is apart gets an equal share of all, on which it, its loader and its library's threads run as they
/// come.
platform::BoundCores bind_rank(const Setup& setup, int rank, int ranks, int threads);

/// The device that those make.
std::unique_ptr<kernels::Device> make_device(const Setup& setup, int rank, int threads);

}  // namespace ddlbench::bench
