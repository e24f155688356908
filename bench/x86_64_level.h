#pragma once

namespace ddlbench {

/// Returns the x86-64 level of this machine's processor (1 … 4: SSE2, SSE4, AVX2, AVX-512); 1 on other architectures.
inline int x86_64_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt")) return 1;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2")) return 2;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")) return 3;
  return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? 4 : 3;
#else
  return 1;
#endif
}

}  // namespace ddlbench
