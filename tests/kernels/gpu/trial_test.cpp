#include "kernels/cuda/trial.h"

#include "catch.h"
#include "graph/ops/shape.h"
#include "kernels/binding.h"
#include "kernels/cuda/check.h"

using namespace ddlbench;
using kernels::cuda::BoundCandidate;

namespace {

constexpr std::int64_t copied = 100;

/// Copies `count` elements of its input, beginning at element `shift`.
class PartialCopy final : public kernels::Kernel {
 public:
  PartialCopy(cudaStream_t stream, std::int64_t shift, std::int64_t count)
      : stream_(stream), shift_(shift), count_(count) {}
  void launch(const kernels::Arguments& arguments) override {
    kernels::cuda::check(
        cudaMemcpyAsync(arguments.outputs[0], static_cast<const float*>(arguments.inputs[0]) + shift_,
                        static_cast<std::size_t>(count_) * sizeof(float), cudaMemcpyDeviceToDevice, stream_),
        "copying");
  }
  double flops() const override { return 0; }

 private:
  cudaStream_t stream_;
  std::int64_t shift_;
  std::int64_t count_;
};

const kernels::Binding copy{{std::make_shared<graph::Slice>(0, 1, 0)}, {{{copied}}}, {{{copied}}}};

}  // namespace

TEST_CASE("a candidate that reads outside of its operands is excluded from a trial") {
  const kernels::cuda::Context context;
  std::vector<BoundCandidate> candidates;
  for (const std::int64_t shift : {-1, 0, 1})
    candidates.push_back({candidates.size(), "copy", std::make_unique<PartialCopy>(context.stream, shift, copied)});
  const auto fastest = kernels::cuda::fastest_of(context, copy, candidates, 0);
  REQUIRE(fastest);
  CHECK(fastest->index == 1);
  CHECK(candidates.size() == 1);
}

TEST_CASE("a candidate may leave the padding of its output unwritten, but nothing else") {
  const kernels::cuda::Context context;
  for (const std::int64_t written : {copied - 2, copied - 1, copied}) {
    std::vector<BoundCandidate> candidates;
    candidates.push_back({0, "copy", std::make_unique<PartialCopy>(context.stream, 0, written), false, copied - 1});
    CHECK(kernels::cuda::fastest_of(context, copy, candidates, 0).has_value() == (written >= copied - 1));
  }
}
