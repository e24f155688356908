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

/// A dense tensor on the host. Exactly one of the two holds the elements, as the type says.
struct HostTensor {
  graph::TensorType type;
  std::vector<float> values;  ///< f32, and other types as numbers
  std::vector<std::uint8_t> bytes() const;
  static HostTensor from_bytes(const graph::TensorType& type, const std::vector<std::uint8_t>& bytes);
};

/// Deterministic numbers in [low, high), a pure function of `name` and the element.
HostTensor random_tensor(const graph::Shape& shape, const std::string& name, float low = -1, float high = 1);
/// Of any shape; without one a list.
HostTensor labels(const std::vector<int>& values, graph::Shape shape = {});
HostTensor zeros(const graph::TensorType& type);
/// The same numbers with channels in blocks of that many (graph::TensorType).
HostTensor in_block(const HostTensor& tensor, std::int64_t block);

struct Run {
  graph::OpPtr op;
  std::vector<HostTensor> inputs;
  std::vector<graph::TensorType> output_types;  ///< empty: as the op infers
  bool accumulate = false;
  std::vector<HostTensor> initial_outputs = {};    ///< empty: a pattern of NaN that a write must replace
  std::vector<std::pair<int, int>> in_place = {};  ///< (output, input) that share memory
  graph::Scalars scalars = {};
  std::vector<int> written = {};  ///< outputs that are written all the same
  std::size_t shift = 0;          ///< bytes that operands lie behind an aligned address
};

/// As given, or as the op infers them.
std::vector<graph::TensorType> output_types(const Run& what);

/// Binds, launches twice (the second result must equal the first bit for bit unless in place or
/// accumulating) and checks that no byte around workspace and outputs changed, nor any input.
std::vector<HostTensor> run(kernels::Device& device, const Run& what);

/// By this of the op's candidates (kernels/choice/choices.h), whichever is fastest here.
std::vector<HostTensor> run_candidate(kernels::Device& device, const std::string& candidate, const Run& what);

/// The kinds of device that this binary tests: those of the host, or, under the label `gpu`, those of GPUs.
std::vector<kernels::DeviceKind> kinds();
/// Their names, but `reference`.
std::vector<std::string> other_kinds();
/// A device of each of those kinds, on two threads, and beside those of the host an OwnDevice (own/own_device.h).
std::vector<std::unique_ptr<kernels::Device>> every_device();
/// How often these kinds round an output of 16 bits of this op, or what it is made of.
double roundings(std::string_view op_kind);

std::unique_ptr<kernels::Device> device(const std::string& kind, int threads = 1);

/// The largest |a − b| / max(|b|, floor).
double largest_error(const HostTensor& a, const HostTensor& b, double floor);

/// CHECKs that no error of any output, 1 being the floor, is larger; outputs of 16 bits count as numbers.
void check_close(const std::vector<HostTensor>& actual, const std::vector<HostTensor>& expected, double tolerance);

}  // namespace ddlbench::test
