# The x86-64 level (v1 … v4: SSE2, SSE4, AVX2, AVX-512) for which ddlbench's own CPU loops are compiled. A program that
# is compiled for a higher level than the machine's reports this when it starts.
set(DDLBENCH_X86_64_LEVEL AUTO CACHE STRING "Level of x86-64 for CPU loops: AUTO (this machine's), 1, 2, 3 or 4")
set_property(CACHE DDLBENCH_X86_64_LEVEL PROPERTY STRINGS AUTO 1 2 3 4)

if(DDLBENCH_X86_64_LEVEL STREQUAL AUTO AND NOT DEFINED DDLBENCH_X86_64_LEVEL_FOUND)
  set(program "${CMAKE_BINARY_DIR}/CMakeFiles/x86_64_level.cpp")
  file(WRITE ${program} "
    #include <cstdio>
    #include \"${CMAKE_SOURCE_DIR}/bench/x86_64_level.h\"
    int main() { std::printf(\"%d\", ddlbench::x86_64_level()); }")
  try_run(ran compiled ${CMAKE_BINARY_DIR}/CMakeFiles ${program} RUN_OUTPUT_VARIABLE level)
  if(NOT compiled OR NOT level MATCHES "^[1-4]$")
    set(level 1)
    message(WARNING "CPU loops: this machine's level of x86-64 could not be found; they are compiled for all levels")
  endif()
  set(DDLBENCH_X86_64_LEVEL_FOUND ${level} CACHE INTERNAL "")
  message(NOTICE "CPU loops: for level ${level} of x86-64, this machine's")
endif()

if(DDLBENCH_X86_64_LEVEL STREQUAL AUTO)
  set(DDLBENCH_CPU_LEVEL ${DDLBENCH_X86_64_LEVEL_FOUND})
else()
  set(DDLBENCH_CPU_LEVEL ${DDLBENCH_X86_64_LEVEL})
endif()
if(NOT DDLBENCH_CPU_LEVEL MATCHES "^[1-4]$")
  message(FATAL_ERROR "DDLBENCH_X86_64_LEVEL is '${DDLBENCH_X86_64_LEVEL}'; it can be AUTO, 1, 2, 3 or 4")
endif()

# Compiles a target for that level. Without max-completely-peel-times, GCC completely unrolls a loop over a block of
# channels, with conditionals as branches, before it could be vectorised: max pooling's backward pass took 31 ms instead
# of 4 (the first one of VGG-16).
function(ddlbench_cpu_level target)
  if(DDLBENCH_CPU_LEVEL GREATER 1)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=x86-64-v${DDLBENCH_CPU_LEVEL}>
                                             $<$<COMPILE_LANGUAGE:CXX>:-mprefer-vector-width=512>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # For some processors, GCC uses separate multiplications and additions for a single sum, but fused ones for several
    # sums: a result would then depend on which others are computed with it.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:--param=max-completely-peel-times=3>
                                             $<$<COMPILE_LANGUAGE:CXX>:--param=avoid-fma-max-bits=0>)
  endif()
endfunction()
