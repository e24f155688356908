#pragma once

/// No iteration of the loop that follows depends on another, though pointers may be equal (in place).
#if defined(__clang__)
#define DDLBENCH_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DDLBENCH_INDEPENDENT _Pragma("GCC ivdep")
#else
#define DDLBENCH_INDEPENDENT
#endif
