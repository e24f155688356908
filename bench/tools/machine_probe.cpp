// Measures this machine's current speed: the fastest matrix product in a precision, and the faster of a copy and a sum
// of large tensors. Prints a line of JSON. Run beside a measurement, it distinguishes a slow program from a temporarily
// slow machine.

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/case/peaks.h"
#include "bench/case/precision.h"
#include "kernels/device.h"
#include "platform/bound_cores.h"

using namespace ddlbench;

int main(int argc, char* argv[]) {
  const auto cores = platform::allowed_cores();
  int threads = static_cast<int>(cores.size());
  std::string precision = "fp32";
  CLI::App app{"Prints the rates of matrix products and of memory, FLOPs and bytes per second.", "machine_probe"};
  app.add_option("--threads", threads, "threads that compute")
      ->check(CLI::Range(1, static_cast<int>(cores.size())))
      ->capture_default_str();
  app.add_option("--precision", precision, "precision of the products: fp32 or bf16")
      ->check(CLI::IsMember({"fp32", "bf16"}))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const platform::BoundCores bound(cores, 0, threads);
  kernels::DeviceOptions options;
  options.threads = threads;
  const auto device = kernels::make_device("cpu", options);
  bench::PeakProbe probe(*device, bench::type_of_precision(precision));
  probe.measure_products();
  probe.measure_memory();
  const bench::Peaks& peaks = probe.best();
  std::cout << nlohmann::json{{"matmul_flops_per_second", peaks.flops_per_second},
                              {"matmul_rows", peaks.size},
                              {"memory_bytes_per_second", peaks.bytes_per_second},
                              {"threads", threads},
                              {"precision", precision}}
            << '\n';
  return 0;
}
