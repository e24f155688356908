#pragma once

/// Declares that the iterations of the following loop do not depend on each other, although pointers may be equal
/// (in-place operation).
#if defined(__clang__)
#define DDLBENCH_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DDLBENCH_INDEPENDENT _Pragma("GCC ivdep")
#else
#define DDLBENCH_INDEPENDENT
#endif
