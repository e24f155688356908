#include "kernels/cuda/trial.h"

#include "catch.h"
#include "graph/ops/shape.h"
#include "kernels/binding.h"
#include "kernels/cuda/check.h"

using namespace ddlbench;
using kernels::cuda::BoundCandidate;

namespace {

constexpr std::int64_t copied = 100;

/// Copies its input, shifted by a number of elements.
class ShiftedCopy final : public kernels::Kernel {
 public:
  ShiftedCopy(cudaStream_t stream, std::int64_t shift) : stream_(stream), shift_(shift) {}
  void launch(const kernels::Arguments& arguments) override {
    kernels::cuda::check(cudaMemcpyAsync(arguments.outputs[0], static_cast<const float*>(arguments.inputs[0]) + shift_,
                                         copied * sizeof(float), cudaMemcpyDeviceToDevice, stream_),
                         "copying");
  }
  double flops() const override { return 0; }

 private:
  cudaStream_t stream_;
  std::int64_t shift_;
};

}  // namespace

TEST_CASE("a candidate that reads outside of its operands is excluded from a trial") {
  const kernels::cuda::Context context;
  const kernels::Binding binding{{std::make_shared<graph::Slice>(0, 1, 0)}, {{{copied}}}, {{{copied}}}};
  std::vector<BoundCandidate> candidates;
  for (const std::int64_t shift : {-1, 0, 1})
    candidates.push_back({candidates.size(), "copy", std::make_unique<ShiftedCopy>(context.stream, shift)});
  const auto fastest = kernels::cuda::fastest_of(context, binding, candidates, 0);
  REQUIRE(fastest);
  CHECK(fastest->index == 1);
  CHECK(candidates.size() == 1);
}
