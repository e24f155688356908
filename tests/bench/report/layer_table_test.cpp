#include "bench/report/layer_table.h"

#include "catch.h"

using namespace ddlbench::bench;

namespace {

Layer layer(const std::string& name, double forward, double input, double weight, std::int64_t bytes) {
  Layer made;
  made.name = name;
  made.op = "linear";
  made.attributes = "bias=yes";
  made.output = "f32[2x3]";
  made.forward_flops = forward;
  made.backward_input_flops = input;
  made.backward_weight_flops = weight;
  made.output_bytes = bytes;
  return made;
}

/// Two layers at 1 GFLOP/s with a peak of 4 GFLOP/s, the first without an input gradient, and a view between them.
std::vector<TimedLayer> three(bool backward, const std::string& device = "cpu") {
  const double half = backward ? 1 : 0;
  return timed_layers(device,
                      {layer("fc1", 1e6, 0, 1e6, 2048), layer("flat", 0, 0, 0, 0), layer("fc2", 2e6, 2e6, 2e6, 24)},
                      {{1e-3, 0, 1e-3 * half, 64}, {}, {1e-3, 2e-3 * half, 3e-3 * half, 4096}}, backward, {4e9, 512});
}

}  // namespace

TEST_CASE("the layer table has milliseconds, rates, shares of the peak and a total") {
  CHECK(layer_table_text(three(true)) ==
        "layer  op      output    forward ms  backward-input ms  backward-weight ms  sum ms  GFLOP/s  of peak  output "
        "bytes  workspace\n"
        "fc1    linear  f32[2x3]      1.0000                                 1.0000  2.0000     1.00   25.0 %      "
        "2.00 KiB       64 B\n"
        "flat   linear  f32[2x3]\n"
        "fc2    linear  f32[2x3]      1.0000             2.0000              3.0000  6.0000     1.00   25.0 %          "
        "24 B   4.00 KiB\n"
        "total                        2.0000             2.0000              4.0000  8.0000     1.00   25.0 %      "
        "2.02 KiB   4.00 KiB\n");
}

TEST_CASE("without the backward pass the table has no columns for it, and rates are of the forward pass") {
  CHECK(layer_table_text(three(false)) ==
        "layer  op      output    forward ms  GFLOP/s  of peak  output bytes  workspace\n"
        "fc1    linear  f32[2x3]      1.0000     1.00   25.0 %      2.00 KiB       64 B\n"
        "flat   linear  f32[2x3]\n"
        "fc2    linear  f32[2x3]      1.0000     2.00   50.0 %          24 B   4.00 KiB\n"
        "total                        2.0000     1.50   37.5 %      2.02 KiB   4.00 KiB\n");
}

TEST_CASE("in CSV what was not timed is empty, and the total is the last row") {
  CHECK(
      layer_table_csv({three(true)}) ==
      "device,layer,op,attributes,output,forward_seconds,backward_input_seconds,backward_weight_seconds,forward_flops,"
      "backward_input_flops,backward_weight_flops,flops_per_second,peak_ratio,output_bytes,kept_bytes,"
      "workspace_bytes\r\n"
      "cpu,fc1,linear,bias=yes,f32[2x3],0.001,,0.001,1e+06,0,1e+06,1e+09,0.25,2048,0,64\r\n"
      "cpu,flat,linear,bias=yes,f32[2x3],,,,0,0,0,,,0,0,0\r\n"
      "cpu,fc2,linear,bias=yes,f32[2x3],0.001,0.002,0.003,2e+06,2e+06,2e+06,1e+09,0.25,24,0,4096\r\n"
      "cpu,total,,,,0.002,0.002,0.004,3e+06,2e+06,3e+06,1e+09,0.25,2072,0,4096\r\n");
}

TEST_CASE("devices are listed side by side, by the names of the first device's layers") {
  auto other = three(true, "cuda");
  other.erase(other.begin());
  other[1].times.forward_seconds = 5e-4;
  CHECK(layers_side_by_side({three(true), other}) ==
        "layer  op      cpu forward ms  backward ms  cuda forward ms  backward ms  ratio\n"
        "fc1    linear          1.0000       1.0000\n"
        "flat   linear\n"
        "fc2    linear          1.0000       5.0000           0.5000       5.0000   1.09\n"
        "total                  2.0000       6.0000           0.5000       5.0000   1.45\n");
}
