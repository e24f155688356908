#pragma once

/// Of functions that host and GPU call.
#if defined(__CUDACC__)
#define DDLBENCH_HOST_DEVICE __host__ __device__
#else
#define DDLBENCH_HOST_DEVICE
#endif
