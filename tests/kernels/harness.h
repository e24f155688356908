#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/tensor.h"
#include "kernels/device.h"

/// Runs one op on one device with guarded memory.
namespace ddlbench::test {

/// A dense tensor on the host.
struct HostTensor {
  graph::TensorType type;
  std::vector<float> values;  ///< the elements; those of other types as f32
  std::vector<std::uint8_t> bytes() const;
  static HostTensor from_bytes(const graph::TensorType& type, const std::vector<std::uint8_t>& bytes);
};

/// Returns deterministic numbers in [low, high), a pure function of `name` and the element's index.
HostTensor random_tensor(const graph::Shape& shape, const std::string& name, float low = -1, float high = 1);
/// Returns labels of the given shape, by default a list.
HostTensor labels(const std::vector<int>& values, graph::Shape shape = {});
HostTensor zeros(const graph::TensorType& type);
/// Returns the same tensor with channel blocks of this size (graph::TensorType).
HostTensor in_block(const HostTensor& tensor, std::int64_t block);

struct Run {
  graph::OpPtr op;
  std::vector<HostTensor> inputs;
  std::vector<graph::TensorType> output_types;  ///< empty: as the op infers
  bool accumulate = false;
  std::vector<HostTensor> initial_outputs = {};    ///< empty: NaN, which a write must replace
  std::vector<std::pair<int, int>> in_place = {};  ///< pairs (output, input) that share memory
  graph::Scalars scalars = {};
  std::vector<int> written = {};  ///< outputs that are overwritten although the op accumulates
  /// Offset of operands from an aligned address, in bytes; at least the size of an element.
  std::size_t shift = 0;
  std::vector<int> aligned_inputs = {};  ///< these are not shifted
  bool aligned_outputs = false;          ///< outputs are not shifted
};

/// Returns the output types as given, or as the op infers them.
std::vector<graph::TensorType> output_types(const Run& what);

/// Binds and launches twice. Checks that the second result equals the first bit for bit (unless in place or
/// accumulating), and that neither inputs nor bytes around the workspace and the outputs have changed.
std::vector<HostTensor> run(kernels::Device& device, const Run& what);

/// Runs this candidate of the op (kernels/choice/choices.h), whichever is the fastest here.
std::vector<HostTensor> run_candidate(kernels::Device& device, const std::string& candidate, const Run& what);

/// Returns the device kinds that this binary tests: those of the host or, under the label `gpu`, those of GPUs.
std::vector<kernels::DeviceKind> kinds();
/// Returns their names except `reference`.
std::vector<std::string> other_kinds();
/// Returns a device of each of those kinds, on two threads; in tests of the host also an OwnDevice (own/own_device.h).
std::vector<std::unique_ptr<kernels::Device>> every_device();
/// Returns how often these kinds round a 16-bit output of this op, or intermediate values of it.
double roundings(std::string_view op_kind);

std::unique_ptr<kernels::Device> device(const std::string& kind, int threads = 1);

/// Returns the largest |a − b| / max(|b|, floor).
double largest_error(const HostTensor& a, const HostTensor& b, double floor);

/// CHECKs that the largest_error of each output, with a floor of 1, is at most `tolerance`. 16-bit outputs are compared
/// as numbers.
void check_close(const std::vector<HostTensor>& actual, const std::vector<HostTensor>& expected, double tolerance);

}  // namespace ddlbench::test
