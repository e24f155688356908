#pragma once

#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/records/record.h"
#include "kernels/gpu_info.h"
#include "platform/nvml.h"

namespace ddlbench::bench {

/// Returns the PCI bus ids of the GPUs of this machine that a case with `ranks` ranks uses, as ranks are assigned to
/// them; empty if it computes on the host's cores.
std::vector<std::string> gpus_of_case(const Devices& devices, int ranks, const std::vector<kernels::GpuInfo>& gpus);
/// Does the same for the GPUs that this process sees.
std::vector<std::string> gpus_of_case(const Devices& devices, int ranks);

/// Records the mean utilisation of a case's GPUs and the sums of their memory and power. Each is empty if one of the
/// GPUs does not report it.
void note_gpus(const std::vector<platform::Nvml::Sample>& gpus, UtilisationRecord& record);

}  // namespace ddlbench::bench
