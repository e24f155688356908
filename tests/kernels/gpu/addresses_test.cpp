#include <memory>
#include <vector>

#include "../harness.h"
#include "catch.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/linear.h"

using namespace ddlbench;

namespace {

/// An operand in device memory, `shift` bytes after an address with the allocator's alignment.
class Shifted {
 public:
  Shifted(kernels::Device& device, const std::vector<std::uint8_t>& bytes, std::size_t shift)
      : device_(device), memory_(device.allocate(bytes.size() + shift)), shift_(shift) {
    device_.copy_in(data(), bytes.data(), bytes.size());
  }
  ~Shifted() { device_.release(memory_); }
  Shifted(const Shifted&) = delete;
  Shifted& operator=(const Shifted&) = delete;
  void* data() const { return static_cast<char*>(memory_) + shift_; }

 private:
  kernels::Device& device_;
  void* memory_;
  std::size_t shift_;
};

/// Launches the op once. The inputs except the first start 4 bytes after an aligned address, as parameters in flat
/// buffers may. If `gradient_of_parameters`, the output does instead.
test::HostTensor launch(kernels::Device& device, const test::Run& what, bool gradient_of_parameters) {
  kernels::Binding binding{{what.op}};
  for (const auto& tensor : what.inputs) binding.inputs.push_back(tensor.type);
  binding.outputs = what.op->infer(binding.inputs);
  const auto shift_of_input = [&](std::size_t i) { return i > 0 && !gradient_of_parameters ? 4 : 0; };
  const auto shift_of_output = gradient_of_parameters ? 4 : 0;
  for (std::size_t i = 0; i < what.inputs.size(); ++i)
    binding.input_alignments.push_back(kernels::alignment_of(shift_of_input(i)));
  binding.output_alignments.push_back(kernels::alignment_of(shift_of_output));
  const auto kernel = device.bind(binding);
  std::vector<std::unique_ptr<Shifted>> memory;
  std::vector<const void*> inputs;
  for (std::size_t i = 0; i < what.inputs.size(); ++i) {
    memory.push_back(std::make_unique<Shifted>(device, what.inputs[i].bytes(), shift_of_input(i)));
    inputs.push_back(memory.back()->data());
  }
  std::vector<std::uint8_t> bytes(graph::bytes(binding.outputs[0]), 0xFF);
  const Shifted output(device, bytes, shift_of_output);
  const Shifted workspace(device, std::vector<std::uint8_t>(kernel->workspace_bytes(), 0xFF), 64);
  void* outputs[] = {output.data()};
  kernel->launch({inputs.data(), outputs, workspace.data(), nullptr});
  device.finish();
  device.copy_out(bytes.data(), output.data(), bytes.size());
  return test::HostTensor::from_bytes(binding.outputs[0], bytes);
}

void compare(const test::Run& what, bool gradient_of_parameters) {
  const auto oracle = test::device("reference");
  const auto expected = test::run(*oracle, what);
  for (const auto& kind : test::other_kinds()) {
    CAPTURE(kind, what.op->kind());
    const auto device = test::device(kind);
    CHECK(test::largest_error(launch(*device, what, gradient_of_parameters), expected[0], 1) < 1e-4);
  }
}

}  // namespace

TEST_CASE("kernels accept parameters and gradients with the alignment of flat buffers") {
  using graph::Activation;
  const auto x = test::random_tensor({4, 3, 8, 8}, "x"), w = test::random_tensor({5, 3, 3, 3}, "w");
  const auto b = test::random_tensor({5}, "b"), dz = test::random_tensor({4, 5, 6, 6}, "dz");
  const auto rows = test::random_tensor({6, 24}, "rows"), matrix = test::random_tensor({5, 24}, "matrix");
  const auto d_rows = test::random_tensor({6, 5}, "d_rows");
  compare({std::make_shared<graph::Conv2d>(graph::ConvolutionAttributes{1, 0}, true, Activation::relu), {x, w, b}, {}},
          false);
  compare({std::make_shared<graph::Linear>(true, Activation::relu), {rows, matrix, b}, {}}, false);
  compare({std::make_shared<graph::Conv2dBackwardWeight>(graph::ConvolutionAttributes{1, 0}, 3, false), {x, dz}, {}},
          true);
  compare({std::make_shared<graph::LinearBackwardWeight>(false), {rows, d_rows}, {}}, true);
}
