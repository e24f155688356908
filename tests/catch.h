#pragma once

/// Catch2 of either generation: Debian 12 has 2.13, newer systems 3.
#if defined(DDLBENCH_CATCH2_V3)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
