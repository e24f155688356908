#pragma once

#include <cstddef>
#include <cstdint>

/// DDLBENCH_FUZZ_TARGET(name)(const std::uint8_t* data, std::size_t size) { … } defines the function that reads one
/// input. It returns 0, and lets no exception escape but for a defect. libFuzzer calls it in a program for each target;
/// replay.cpp calls the functions of all targets by their names.
#if defined(DDLBENCH_REPLAY)
#define DDLBENCH_FUZZ_TARGET(name) int fuzz_##name
#else
#define DDLBENCH_FUZZ_TARGET(name) extern "C" int LLVMFuzzerTestOneInput
#endif
