#pragma once

/// Includes Catch2 of either major version: Debian 12 has 2.13, newer systems have 3.
#if defined(DDLBENCH_CATCH2_V3)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
