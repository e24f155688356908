#include "harness.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "catch.h"
#include "graph/random.h"
#include "kernels/choice/choices.h"
#include "kernels/own/storage.h"

namespace ddlbench::test {
namespace {

constexpr std::size_t guard_bytes = 256;
constexpr std::uint8_t guard = 0xFF;  // NaN as a floating-point number, so that reading it shows

/// Device memory between two guards, initially filled with the guard value.
class Guarded {
 public:
  Guarded(kernels::Device& device, std::size_t bytes, std::size_t shift = 0)
      : device_(device), bytes_(bytes), front_bytes_(guard_bytes + shift) {
    base_ = static_cast<std::uint8_t*>(device.allocate(front_bytes_ + bytes + guard_bytes));
    const std::vector<std::uint8_t> pattern(front_bytes_ + bytes + guard_bytes, guard);
    device.copy_in(base_, pattern.data(), pattern.size());
  }
  ~Guarded() { device_.release(base_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  void* data() const { return base_ + front_bytes_; }
  void store(const std::vector<std::uint8_t>& bytes) { device_.copy_in(data(), bytes.data(), bytes.size()); }
  std::vector<std::uint8_t> load() const {
    std::vector<std::uint8_t> bytes(bytes_);
    device_.copy_out(bytes.data(), data(), bytes_);
    return bytes;
  }
  bool intact() const {
    std::vector<std::uint8_t> all(front_bytes_ + bytes_ + guard_bytes);
    device_.copy_out(all.data(), base_, all.size());
    const auto is_guard = [](std::uint8_t byte) { return byte == guard; };
    return std::all_of(all.begin(), all.end() - static_cast<std::ptrdiff_t>(guard_bytes + bytes_), is_guard) &&
           std::all_of(all.end() - guard_bytes, all.end(), is_guard);
  }

 private:
  kernels::Device& device_;
  std::size_t bytes_, front_bytes_;
  std::uint8_t* base_;
};

std::size_t shift_of(const Run& what, const graph::TensorType& type) {
  return what.shift == 0 ? 0 : std::max(what.shift, graph::size_of(type.dtype));
}

std::size_t shift_of_input(const Run& what, std::size_t input) {
  const auto& aligned = what.aligned_inputs;
  const bool stays = std::find(aligned.begin(), aligned.end(), static_cast<int>(input)) != aligned.end();
  return stays ? 0 : shift_of(what, what.inputs[input].type);
}

std::vector<graph::TensorType> types_of(const std::vector<HostTensor>& tensors) {
  std::vector<graph::TensorType> types;
  for (const auto& tensor : tensors) types.push_back(tensor.type);
  return types;
}

template <class T>
std::vector<std::uint8_t> as_bytes(const std::vector<float>& values) {
  std::vector<T> typed(values.begin(), values.end());
  std::vector<std::uint8_t> bytes(typed.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), typed.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<float> as_values(const std::vector<std::uint8_t>& bytes) {
  std::vector<T> typed(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(typed.data(), bytes.data(), bytes.size());
  return std::vector<float>(typed.begin(), typed.end());
}

/// Returns 16-bit numbers as stored in memory.
template <class T>
std::vector<std::uint8_t> as_narrow_bytes(const std::vector<float>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T narrow = kernels::own::from_f32<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &narrow, sizeof(T));
  }
  return bytes;
}

template <class T>
std::vector<float> as_wide_values(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> values;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T narrow;
    std::memcpy(&narrow, bytes.data() + at, sizeof(T));
    values.push_back(kernels::own::to_f32(narrow));
  }
  return values;
}

}  // namespace

std::vector<std::uint8_t> HostTensor::bytes() const {
  if (type.dtype == graph::DType::bf16) return as_narrow_bytes<kernels::own::Bfloat16>(values);
  if (type.dtype == graph::DType::f16) return as_narrow_bytes<kernels::own::Float16>(values);
  if (type.dtype == graph::DType::i32) return as_bytes<std::int32_t>(values);
  if (type.dtype == graph::DType::u8) return as_bytes<std::uint8_t>(values);
  return as_bytes<float>(values);
}

HostTensor HostTensor::from_bytes(const graph::TensorType& type, const std::vector<std::uint8_t>& bytes) {
  if (type.dtype == graph::DType::bf16) return {type, as_wide_values<kernels::own::Bfloat16>(bytes)};
  if (type.dtype == graph::DType::f16) return {type, as_wide_values<kernels::own::Float16>(bytes)};
  if (type.dtype == graph::DType::i32) return {type, as_values<std::int32_t>(bytes)};
  if (type.dtype == graph::DType::u8) return {type, as_values<std::uint8_t>(bytes)};
  return {type, as_values<float>(bytes)};
}

HostTensor random_tensor(const graph::Shape& shape, const std::string& name, float low, float high) {
  HostTensor tensor{{shape, graph::DType::f32}, {}};
  const std::uint64_t key = graph::random_key(1, graph::Purpose::synthetic_data, name);
  for (std::int64_t i = 0; i < graph::elements(shape); ++i) {
    const auto bits = graph::philox(key, 0, static_cast<std::uint64_t>(i)).v[0];
    tensor.values.push_back(low + (high - low) * graph::unit_float(bits));
  }
  return tensor;
}

HostTensor labels(const std::vector<int>& values, graph::Shape shape) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  return {{std::move(shape), graph::DType::i32}, {values.begin(), values.end()}};
}

HostTensor zeros(const graph::TensorType& type) {
  return {type, std::vector<float>(static_cast<std::size_t>(graph::elements(type.shape)))};
}

HostTensor in_block(const HostTensor& tensor, std::int64_t block) {
  if (tensor.type.channel_block == block) return tensor;
  const graph::Shape& shape = tensor.type.shape;
  std::int64_t inner = 1;
  for (std::size_t d = 2; d < shape.size(); ++d) inner *= shape[d];
  const auto place = [&](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t of) {
    return static_cast<std::size_t>(((n * (shape[1] / of) + c / of) * inner + i) * of + c % of);
  };
  HostTensor to = tensor;
  to.type.channel_block = block;
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t c = 0; c < shape[1]; ++c)
      for (std::int64_t i = 0; i < inner; ++i)
        to.values[place(n, c, i, block)] = tensor.values[place(n, c, i, tensor.type.channel_block)];
  return to;
}

std::vector<graph::TensorType> output_types(const Run& what) {
  return what.output_types.empty() ? what.op->infer(types_of(what.inputs)) : what.output_types;
}

std::vector<HostTensor> run(kernels::Device& device, const Run& what) {
  kernels::Binding binding{{what.op, what.accumulate, what.written}, types_of(what.inputs), output_types(what)};
  std::vector<std::size_t> input_shifts, output_shifts;
  for (std::size_t i = 0; i < binding.inputs.size(); ++i) {
    input_shifts.push_back(shift_of_input(what, i));
    binding.input_alignments.push_back(kernels::alignment_of(static_cast<std::int64_t>(input_shifts.back())));
  }
  for (const graph::TensorType& type : binding.outputs) {
    output_shifts.push_back(what.aligned_outputs ? 0 : shift_of(what, type));
    binding.output_alignments.push_back(kernels::alignment_of(static_cast<std::int64_t>(output_shifts.back())));
  }
  const auto kernel = device.bind(binding);
  CHECK(kernel->flops() == what.op->flops(binding.inputs, binding.outputs));

  std::vector<std::unique_ptr<Guarded>> inputs, owned;
  std::vector<const void*> input_pointers;
  std::vector<void*> output_pointers;
  std::vector<Guarded*> outputs;
  for (std::size_t i = 0; i < what.inputs.size(); ++i) {
    inputs.push_back(std::make_unique<Guarded>(device, graph::bytes(binding.inputs[i]), input_shifts[i]));
    inputs.back()->store(what.inputs[i].bytes());
    input_pointers.push_back(inputs.back()->data());
  }
  for (std::size_t o = 0; o < binding.outputs.size(); ++o) {
    const auto shares = [o](const auto& pair) { return pair.first == static_cast<int>(o); };
    const auto shared = std::find_if(what.in_place.begin(), what.in_place.end(), shares);
    if (shared == what.in_place.end()) {
      owned.push_back(std::make_unique<Guarded>(device, graph::bytes(binding.outputs[o]), output_shifts[o]));
      outputs.push_back(owned.back().get());
    } else {
      outputs.push_back(inputs[static_cast<std::size_t>(shared->second)].get());
    }
    if (!what.initial_outputs.empty()) outputs.back()->store(what.initial_outputs[o].bytes());
    output_pointers.push_back(outputs.back()->data());
  }
  Guarded workspace(device, kernel->workspace_bytes());
  Guarded scalars(device, sizeof(graph::Scalars));
  device.copy_in(scalars.data(), &what.scalars, sizeof(graph::Scalars));
  const kernels::Arguments arguments{input_pointers.data(), output_pointers.data(), workspace.data(),
                                     static_cast<const graph::Scalars*>(scalars.data())};

  const auto launch = [&] {
    kernel->launch(arguments);
    device.finish();
    std::vector<std::vector<std::uint8_t>> results;
    for (const auto* output : outputs) results.push_back(output->load());
    return results;
  };
  const auto results = launch();
  if (what.in_place.empty() && !what.accumulate) {
    workspace.store(std::vector<std::uint8_t>(kernel->workspace_bytes(), 0xFF));  // NaN, as another op may leave
    CHECK(launch() == results);
  }

  CHECK(workspace.intact());
  for (const auto* output : outputs) CHECK(output->intact());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool written = std::find(outputs.begin(), outputs.end(), inputs[i].get()) != outputs.end();
    if (!written) CHECK(inputs[i]->load() == what.inputs[i].bytes());
  }
  std::vector<HostTensor> tensors;
  for (std::size_t o = 0; o < results.size(); ++o) {
    tensors.push_back(HostTensor::from_bytes(binding.outputs[o], results[o]));
  }
  return tensors;
}

void check_close(const std::vector<HostTensor>& actual, const std::vector<HostTensor>& expected, double tolerance) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t o = 0; o < actual.size(); ++o) {
    auto widened = actual[o];
    widened.type.dtype = expected[o].type.dtype;
    CHECK(largest_error(widened, expected[o], 1.0) <= tolerance);
  }
}

std::vector<HostTensor> run_candidate(kernels::Device& device, const std::string& candidate, const Run& what) {
  device.choices()->take_used();
  device.choices()->prefer(candidate);
  auto outputs = run(device, what);
  const auto used = device.choices()->take_used();
  REQUIRE(used.size() == 1);
  REQUIRE(used.begin()->second == candidate);
  return outputs;
}

std::vector<std::string> other_kinds() {
  std::vector<std::string> names;
  for (const auto& kind : kinds()) {
    if (kind.name != "reference") names.push_back(kind.name);
  }
  return names;
}

std::unique_ptr<kernels::Device> device(const std::string& kind, int threads) {
  kernels::DeviceOptions options;
  options.threads = threads;
  return kernels::make_device(kind, options);
}

double largest_error(const HostTensor& a, const HostTensor& b, double floor) {
  REQUIRE(a.type == b.type);
  double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double error = std::abs(double{a.values[i]} - b.values[i]) / std::max(std::abs(double{b.values[i]}), floor);
    largest = std::isnan(error) ? INFINITY : std::max(largest, error);
  }
  return largest;
}

}  // namespace ddlbench::test
