#pragma once

/// Declares a function for host and GPU code.
#if defined(__CUDACC__)
#define DDLBENCH_HOST_DEVICE __host__ __device__
#else
#define DDLBENCH_HOST_DEVICE
#endif
