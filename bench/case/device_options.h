#pragma once

#include "bench/case/setup.h"
#include "bench/config/experiment.h"
#include "kernels/device.h"
#include "platform/bound_cores.h"
#include "workloads/loader_options.h"

namespace ddlbench::bench {

/// Returns the options with which a rank's device is made: `threads` host threads and, for devices with memory of their
/// own, the ordinal. Ranks are assigned to the devices that this process sees round-robin. Where ranks are processes,
/// their local rank on the machine counts, or their rank if the launcher does not provide a local rank. Throws
/// InputError if this process sees no device.
kernels::DeviceOptions device_options(const Experiment& experiment, int rank, int threads);

/// Returns the number of cores for each of `ranks` ranks of `threads` threads.
int cores_per_rank(const Setup& setup, int ranks, int threads);

/// Binds the calling thread, as rank `rank` of `ranks`, to its cores: `threads` of them, one per thread. A rank whose
/// device has memory of its own gets an equal share of all cores instead; the operating system schedules the rank, its
/// loader and its library's threads freely within that share. If platform::binding_is_disabled(), every rank may
/// run on all cores.
platform::BoundCores bind_rank(const Setup& setup, int rank, int ranks, int threads);

/// Returns the options of a rank's loaders. Unless the experiment says otherwise, a loader has one worker for each core
/// of the rank: then all cases that use the same cores have equally many workers.
workloads::LoaderOptions loader_options(const Setup& setup);

/// Makes the device from device_options().
std::unique_ptr<kernels::Device> make_device(const Setup& setup, int rank, int threads);

}  // namespace ddlbench::bench
