#pragma once

#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/records/record.h"
#include "kernels/gpu_info.h"
#include "platform/nvml.h"

namespace ddlbench::bench {

/// PCI bus ids of the GPUs of this machine on which a case of so many ranks computes, as ranks are dealt over them;
/// none where it computes on the host's cores.
std::vector<std::string> gpus_of_case(const Devices& devices, int ranks, const std::vector<kernels::GpuInfo>& gpus);
/// The same of the GPUs that this process sees.
std::vector<std::string> gpus_of_case(const Devices& devices, int ranks);

/// Of a case's GPUs the mean of their utilisation, and the sums of memory and power; each empty where one does not
/// tell.
void note_gpus(const std::vector<platform::Nvml::Sample>& gpus, UtilisationRecord& record);

}  // namespace ddlbench::bench
