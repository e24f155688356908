// Reports which algorithms of cuDNN and cuBLASLt a training step would run on a GPU, without using one.

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/printable.h"
#include "base/units.h"
#include "bench/case/compile_for.h"
#include "bench/case/precision.h"
#include "bench/report/grid.h"
#include "kernels/binding.h"
#include "kernels/cuda/planning_device.h"
#include "runtime/kernel_cache.h"
#include "workloads/model.h"

using namespace ddlbench;
using kernels::cuda::PlannedCandidate;
using kernels::cuda::TensorCores;

namespace {

/// A convolution or matrix product of one launch: the algorithm that is expected to win autotuning, and properties of
/// all candidates.
struct Product {
  std::string op;
  std::string algorithm;
  TensorCores expected = TensorCores::no;
  bool any_on_tensor_cores = false;
  std::int64_t workspace_bytes = 0;
  bool converts = false;
  bool aligned = false;  ///< all operands are aligned to 16 bytes
};

struct Launch {
  std::string name;
  program::Phase phase = program::Phase::forward;
  Product product;
};

/// Returns the workspace that an engine needs to rewrite the smaller of a convolution's image and result. cuDNN does
/// not report which engines first rewrite their tensors in another layout or with more channels, but those have a
/// workspace for it.
std::size_t bytes_to_rewrite(const kernels::Binding& binding) {
  if (!binding.op->kind().starts_with("conv2d")) return std::numeric_limits<std::size_t>::max();
  const bool of_weights = binding.op->kind() == "conv2d_backward_weight";
  const graph::TensorType& other = of_weights ? binding.inputs[1] : binding.outputs[0];
  return std::min(graph::bytes(binding.inputs[0]), graph::bytes(other));
}

/// Returns the candidate that the heuristics name first. If it rewrites a tensor, returns the first one that does not
/// but uses tensor cores equally, if there is any: rewriting reads and writes a tensor once more.
const PlannedCandidate& expected_of(const std::vector<PlannedCandidate>& kept, std::size_t bytes_to_rewrite) {
  const PlannedCandidate& first = kept.front();
  if (first.workspace_bytes < bytes_to_rewrite) return first;
  const auto better = std::find_if(kept.begin(), kept.end(), [&](const PlannedCandidate& one) {
    return one.workspace_bytes < bytes_to_rewrite && one.candidate->tensor_cores == first.candidate->tensor_cores;
  });
  return better == kept.end() ? first : *better;
}

Product product_of(const kernels::Binding& binding, const std::vector<PlannedCandidate>& kept) {
  const std::size_t least = bytes_to_rewrite(binding);
  const PlannedCandidate& expected = expected_of(kept, least);
  Product product{std::string(binding.op->kind()), expected.candidate->name, expected.candidate->tensor_cores};
  product.any_on_tensor_cores = std::any_of(kept.begin(), kept.end(), [](const PlannedCandidate& one) {
    return one.candidate->tensor_cores == TensorCores::yes;
  });
  product.aligned = fully_aligned(binding);
  product.workspace_bytes = static_cast<std::int64_t>(expected.workspace_bytes);
  product.converts = expected.workspace_bytes >= least;
  return product;
}

/// Returns whether a library computes the op's product.
bool has_product(const graph::Op& op) {
  const std::string_view kind = op.kind();
  return kind.starts_with("conv2d") || kind.starts_with("linear") || kind.starts_with("linear_cross_entropy");
}

std::vector<Launch> launches_of(const program::Plan& plan, const kernels::cuda::KnownGpu& gpu,
                                const kernels::DeviceOptions& options) {
  std::vector<Product> planned;  // since it was last cleared
  const auto device = make_planning_device(
      gpu, options, [&](const auto& binding, const auto& kept) { planned.push_back(product_of(binding, kept)); });
  runtime::KernelCache kernels(*device);
  std::map<std::string, std::vector<Product>> products;  // by kernel
  std::vector<Launch> launches;
  for (const program::Instruction& instruction : plan.role(0).train.bodies.front()) {
    const auto* compute = std::get_if<program::Compute>(&instruction.action);
    if (compute == nullptr || !has_product(*compute->op)) continue;
    const auto [found, is_new] = products.try_emplace(runtime::kernel_key(*compute, *device));
    if (is_new) {
      planned.clear();
      kernels.of(*compute);
      found->second = planned;
    }
    for (const Product& product : found->second) launches.push_back({instruction.name, instruction.phase, product});
  }
  return launches;
}

const char* text_of(TensorCores tensor_cores) {
  return tensor_cores == TensorCores::yes ? "yes" : tensor_cores == TensorCores::no ? "no" : "?";
}

struct Summary {
  std::string what;
  int launches = 0, expected = 0, any = 0, converting = 0, aligned = 0;
  std::int64_t max_workspace_bytes = 0;

  void add(const Product& product) {
    ++launches;
    expected += product.expected == TensorCores::yes ? 1 : 0;
    any += product.any_on_tensor_cores ? 1 : 0;
    converting += product.converts ? 1 : 0;
    aligned += product.aligned ? 1 : 0;
    max_workspace_bytes = std::max(max_workspace_bytes, product.workspace_bytes);
  }
};

/// Summarises convolutions, and the products of linear layers.
std::vector<Summary> summarise(const std::vector<Launch>& launches) {
  Summary convolutions{"convolutions"}, products{"matrix products"};
  for (const Launch& launch : launches)
    (launch.product.op.starts_with("conv2d") ? convolutions : products).add(launch.product);
  std::vector<Summary> all;
  for (const Summary& one : {convolutions, products})
    if (one.launches > 0) all.push_back(one);
  return all;
}

std::string text_of(const Summary& s) {
  const std::string of_all = fmt::format(" of {}", s.launches);
  return fmt::format(
      "{}: {} launches; tensor cores in {}{} by the expected algorithm, in {}{} by a candidate; operands aligned to 16 "
      "bytes in {}{}; {}{} rewrite a tensor in another layout; largest workspace {}",
      s.what, s.launches, s.expected, of_all, s.any, of_all, s.aligned, of_all, s.converting, of_all,
      format_bytes(s.max_workspace_bytes));
}

std::string text_of(const std::vector<Launch>& launches) {
  using enum bench::Grid::Align;
  bench::Grid grid({left, left, left, left, left, right, left});
  grid.add({"launch", "phase", "tensor cores", "of any", "rewrites", "workspace", "algorithm"});
  for (const auto& [name, phase, product] : launches)
    grid.add({name, std::string(program::name(phase)), text_of(product.expected),
              product.any_on_tensor_cores ? "yes" : "no", product.converts ? "yes" : "",
              format_bytes(product.workspace_bytes), product.algorithm});
  return grid.text(0);
}

nlohmann::ordered_json json_of(const std::vector<Launch>& launches) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [name, phase, product] : launches)
    rows.push_back({{"launch", name},
                    {"phase", program::name(phase)},
                    {"op", product.op},
                    {"algorithm", product.algorithm},
                    {"tensor_cores", text_of(product.expected)},
                    {"any_tensor_cores", product.any_on_tensor_cores},
                    {"rewrites", product.converts},
                    {"aligned", product.aligned},
                    {"workspace_bytes", product.workspace_bytes}});
  auto summaries = nlohmann::ordered_json::array();
  for (const Summary& s : summarise(launches))
    summaries.push_back({{"what", s.what},
                         {"launches", s.launches},
                         {"tensor_cores", s.expected},
                         {"any_tensor_cores", s.any},
                         {"rewriting", s.converting},
                         {"aligned", s.aligned},
                         {"most_workspace_bytes", s.max_workspace_bytes}});
  return {{"launches", rows}, {"summary", summaries}};
}

struct Asked {
  std::string model;
  std::int64_t batch = 32;
  std::string precision = "bf16";
  int architecture = 90;
  kernels::DeviceOptions options;
};

/// Builds the model in its natural shape.
graph::Graph build(const Asked& asked) {
  const workloads::ModelKind& kind = workloads::find_model(asked.model);
  workloads::ModelRequest request;
  request.options = with_defaults(kind.options, {});
  request.shape = kind.default_sample(request.options);
  request.batch = asked.batch;
  return graph::in_precision(kind.build(request), bench::stored_type(asked.precision));
}

void run(const Asked& asked, bool as_json) {
  const kernels::cuda::KnownGpu& gpu = kernels::cuda::known_gpu(asked.architecture);
  const graph::Graph model = build(asked);
  const program::Plan plan = bench::compile_for("cuda", asked.precision, model, asked.batch,
                                                graph::sgd({.momentum = 0.9F}), {"single", {}}, 1);
  const std::vector<Launch> launches = launches_of(plan, gpu, asked.options);
  if (as_json) {
    std::cout << json_of(launches).dump(1) << '\n';
    return;
  }
  std::cout << printable(model.name) << ", batch " << asked.batch << ", " << asked.precision << ", planned for "
            << gpu.name << " (sm_" << gpu.compute_capability << ")\n\n"
            << text_of(launches) << '\n';
  for (const Summary& summary : summarise(launches)) std::cout << text_of(summary) << '\n';
}

}  // namespace

int main(int argc, char* argv[]) {
  Asked asked;
  bool as_json = false, no_winograd = false, nondeterministic = false;
  CLI::App app{
      "Prints, without a GPU, which algorithms of cuDNN and cuBLASLt a training step of one rank would autotune. For "
      "each launch:\nthe algorithm that is expected to win autotuning, whether it uses tensor cores, whether any "
      "candidate does,\nwhether it converts a tensor to another layout, and its workspace. docs/gpu.md states the "
      "limits of "
      "this.",
      "cuda_plans"};
  app.add_option("--model", asked.model, "name of a model from `ddlbench list`")->required();
  app.add_option("--batch", asked.batch, "samples of a step")->check(CLI::Range(1, 1 << 20))->capture_default_str();
  app.add_option("--precision", asked.precision, "fp32, tf32, bf16 or fp16")
      ->check(CLI::IsMember({"fp32", "tf32", "bf16", "fp16"}))
      ->capture_default_str();
  app.add_option("--architecture", asked.architecture, "compute capability of the GPU: 75, 80, 90 or 100")
      ->capture_default_str();
  app.add_flag("--no-winograd", no_winograd, "plan as with devices/winograd false");
  app.add_flag("--nondeterministic", nondeterministic, "plan as with devices/deterministic false");
  app.add_flag("--json", as_json, "launches and summary as JSON");
  try {
    app.parse(argc, argv);
    asked.options.tf32 = asked.precision == "tf32";
    asked.options.winograd = !no_winograd;
    asked.options.deterministic = !nondeterministic;
    run(asked, as_json);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const InputError& error) {
    std::cerr << "cuda_plans: " << error.what() << '\n';
    return 2;
  }
}
