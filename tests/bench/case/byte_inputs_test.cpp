#include <fstream>
#include <iterator>

#include "all_strategies.h"
#include "base/error.h"
#include "bench/case/feed.h"
#include "bench/case/training_trace.h"
#include "catch.h"
#include "exact_runs.h"
#include "graph/byte_inputs.h"
#include "on_streams.h"
#include "program/account.h"
#include "workloads/byte_images.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns a case on images of 49 bytes, so that those of a later micro-batch start at odd addresses.
SmallCase odd_images(const test::TemporaryFolder& folder, const StrategyRun& way) {
  workloads::write_idx_images(folder.path(), 96, 50, 7);
  SmallCase small = four_layers(way.strategy, way.ranks, way.options);
  small.experiment.workload.dataset = {"idx", {{"path", folder.path()}, {"classes", std::int64_t{4}}}};
  return small;
}

/// Returns a case on images of three channels that are cropped and mirrored anew in each epoch.
SmallCase moved_images(const test::TemporaryFolder& folder, const StrategyRun& way) {
  workloads::write_cifar_images(folder.path(), 32, 10);
  SmallCase small = four_layers(way.strategy, way.ranks, way.options);
  small.experiment.workload.dataset = {
      "cifar", {{"path", folder.path()}, {"classes", std::int64_t{100}}, {"padding", std::int64_t{4}}, {"flip", true}}};
  small.which.global_batch = 16;
  return small;
}

/// Returns the same case with two convolutions, the first one of the three channels.
SmallCase convolved_images(const test::TemporaryFolder& folder, const StrategyRun& way) {
  SmallCase small = moved_images(folder, way);
  small.experiment.workload.model = {"cnn-fc",
                                     {{"channels", Integers{8, 12}},
                                      {"kernel", Integers{3, 3}},
                                      {"stride", Integers{2, 1}},
                                      {"padding", Integers{1, 1}},
                                      {"hidden", Integers{16}}}};
  return small;
}

/// Returns the same case on GPUs, which normalise bytes.
SmallCase on_gpus(SmallCase small) {
  small.experiment.devices.kind = "cuda";
  return small;
}

Setup prepared(const SmallCase& small) {
  return prepare(small.experiment, small.which, open_data(small.experiment));
}

/// Checks that the case's plan for GPUs, on a device of queues, trains exactly like its plan for the host.
void check_same_training(const SmallCase& host, unsigned seed) {
  const SmallCase gpu = on_gpus(host);
  const Setup of_host = prepared(host), of_gpu = prepared(gpu);
  CHECK(of_gpu.model.nodes.front().op->kind() == "normalise");
  CHECK(of_host.model.nodes.front().op->kind() != "normalise");
  const runtime::Trace expected = trace_on(host, of_host, reference(), 4);
  for (const bool on_stream : {false, true}) {
    INFO(host.which.id << " on " << host.which.ranks << ", " << host.experiment.training.precision
                       << (on_stream ? ", on stream" : ", staged"));
    const runtime::Trace found = trace_on(gpu, of_gpu, queues(seed, on_stream), 4);
    CHECK(found.losses == expected.losses);
    CHECK(found.first_gradients == expected.first_gradients);
    CHECK(found.final == expected.final);
  }
}

const program::InputSlot& images_of(const program::Program& program) {
  for (const program::InputSlot& slot : program.inputs)
    if (slot.role == graph::Role::input) return slot;
  throw ContractError("no images");
}

const program::Compute& first_convolution_of(const program::Program& program) {
  for (const program::Instruction& instruction : program.bodies.front()) {
    const auto* compute = std::get_if<program::Compute>(&instruction.action);
    if (compute != nullptr && compute->op->kind() == "conv2d") return *compute;
  }
  throw ContractError("no convolution");
}

std::int64_t input_bytes(const program::Plan& plan) {
  return program::account(plan, 0).persistent_bytes_by_class[static_cast<std::size_t>(program::MemoryClass::inputs)];
}

std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("training on images loaded as bytes equals training on f32 images, to the bit", "[bytes][streams]") {
  unsigned seed = 0;
  for (const StrategyRun& way : {StrategyRun{"single", 1, parts(3)},
                                 {"ddp", 2, parts(2)},
                                 {"gpipe", 2, parts(3)},
                                 {"tensor", 2, parts(1)},
                                 {"zero", 2, zero(3, 2)},
                                 {"hybrid", 4, mesh({{"data", 2}, {"tensor", 2}}, 2)}}) {
    const test::TemporaryFolder folder;
    check_same_training(odd_images(folder, way), seed++);
  }
}

TEST_CASE("training on byte images with augmentation is exact, also in 16 bits", "[bytes][streams]") {
  for (const char* precision : {"fp32", "bf16", "fp16"}) {
    const test::TemporaryFolder folder;
    SmallCase small = moved_images(folder, {"ddp", 2, parts(2)});
    small.experiment.training.precision = precision;
    check_same_training(small, 3);
  }
}

TEST_CASE("GPU kernels train a channels-last convolution of three channels from bytes", "[bytes][streams]") {
  unsigned seed = 0;
  for (const auto& [precision, tolerance] : {std::pair{"tf32", 1e-4}, {"bf16", 0.02}, {"fp16", 0.003}}) {
    CAPTURE(precision);
    const test::TemporaryFolder folder;
    SmallCase host = convolved_images(folder, {"single", 1, parts(2)});
    host.experiment.training.precision = precision;
    const SmallCase gpu = on_gpus(host);
    const Setup of_bytes = prepared(gpu), of_host = prepared(host);
    Setup of_f32 = of_bytes;
    of_f32.model = of_host.model;

    const program::Plan plan = compile(of_bytes, gpu.which.strategy.choice, 1);
    CHECK(images_of(plan.role(0).train).operand.type == graph::TensorType{{16, 3, 32, 32}, graph::DType::u8});
    CHECK(images_of(compile(of_f32, gpu.which.strategy.choice, 1).role(0).train).operand.type.dtype ==
          graph::DType::f32);
    CHECK(first_convolution_of(plan.role(0).train).outputs[0].type.channel_block == 8);

    const runtime::Trace rows = trace_on(host, of_host, reference(), 4);
    const runtime::Trace f32 = trace_on(gpu, of_f32, queues(seed, false, test::device_of_own_kernels), 4);
    const runtime::Trace bytes = trace_on(gpu, of_bytes, queues(seed, true, test::device_of_own_kernels), 4);
    CHECK(bytes.losses == f32.losses);
    CHECK(bytes.first_gradients == f32.first_gradients);
    CHECK(bytes.final == f32.final);
    const runtime::Deviation from_rows = runtime::deviation(bytes, rows);
    CHECK(from_rows.loss < 1e-5);
    CHECK(from_rows.gradient < tolerance);
    CHECK(from_rows.update < tolerance);
    ++seed;
  }
}

TEST_CASE("epochs and validations on byte images equal those on f32 images", "[bytes][streams]") {
  const test::TemporaryFolder folder;
  const SmallCase host = odd_images(folder, {"ddp", 2, parts(1)}), gpu = on_gpus(host);
  const Setup of_host = prepared(host), of_gpu = prepared(gpu);
  CHECK(epochs_on(gpu, of_gpu, queues(5, false)) == epochs_on(host, of_host, reference()));
}

TEST_CASE("byte images take a quarter of the memory of f32, on the device and in the loader", "[bytes]") {
  const test::TemporaryFolder folder;
  const SmallCase host = odd_images(folder, {"ddp", 2, parts(2)}), gpu = on_gpus(host);
  const Setup of_host = prepared(host), of_gpu = prepared(gpu);
  const program::Plan plan = compile(of_gpu, gpu.which.strategy.choice, 2);
  for (const auto program_of : {&program::Role::train, &program::Role::evaluate}) {
    const program::InputSlot& bytes = images_of(plan.role(0).*program_of);
    CHECK(bytes.operand.type == graph::TensorType{{24, 1, 7, 7}, graph::DType::u8});
    CHECK(bytes.operand.view.bytes == 24 * 49);
  }
  program::Plan completed = plan, of_f32 = compile(of_host, host.which.strategy.choice, 2);
  program::double_buffer_inputs(of_f32);
  for (program::Plan* each : {&completed, &of_f32}) program::complete(*each, program::CostTable{});
  const std::int64_t labels = 2 * 24 * 4;
  CHECK(input_bytes(completed) == 2 * 24 * 49 + labels);
  CHECK(input_bytes(of_f32) == 4 * 2 * 24 * 49 + labels);

  const Feed bytes(of_gpu.training, completed, 0, runtime::Mode::train),
      f32(of_host.training, of_f32, 0, runtime::Mode::train);
  const std::int64_t batches = workloads::LoaderOptions{}.prefetch + 1;
  CHECK(f32.loader_bytes() - bytes.loader_bytes() == batches * 24 * 49 * 3);
}

TEST_CASE("samples of data sets without bytes are sent to GPUs unchanged", "[bytes]") {
  const SmallCase small = on_gpus(four_layers("single", 1, {}));
  const Setup setup = prepared(small);
  CHECK(images_of(compile(setup, small.which.strategy.choice, 1).role(0).train).operand.type.dtype ==
        graph::DType::f32);
}

TEST_CASE("a training trace shows normalised images, whether they are loaded as bytes or not", "[bytes]") {
  const test::TemporaryFolder folder;
  SmallCase small = moved_images(folder, {"single", 1, {}});
  small.experiment.resolved = R"({"training": {}})";
  Setup setup = prepared(small);
  write_training_trace(setup, 2, folder / "numbers");
  setup.model = graph::with_byte_inputs(setup.model, *setup.training->normalisation(), graph::DType::f32);
  write_training_trace(setup, 2, folder / "bytes");
  for (const char* name : {"batches.safetensors", "gradients.safetensors", "final.safetensors"}) {
    CAPTURE(name);
    const std::string expected = file(folder / "numbers/" + name);
    CHECK(expected.size() > 1000);
    CHECK(file(folder / "bytes/" + name) == expected);
  }
}
