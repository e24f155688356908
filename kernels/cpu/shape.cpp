#include "graph/ops/shape.h"

#include <cstring>

#include "kernels/binding.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/operands.h"
#include "kernels/rewrite/channel_blocks.h"
#include "kernels/sizes/flat.h"

namespace ddlbench::kernels::cpu {
namespace {

/// A strided copy of `rows` runs of `bytes` bytes. Starts of runs are `to_step` bytes apart in the destination and
/// `from_step` bytes in the source.
struct Runs {
  std::int64_t rows = 0, bytes = 0, to_step = 0, from_step = 0;
};

void copy_runs(int threads, const Runs& runs, char* to, const char* from) {
  constexpr std::int64_t bytes_per_element = 4;
  if (runs.bytes == 0) return;
  parallel_for(threads, runs.rows, runs.rows * runs.bytes / bytes_per_element, [=](auto begin, auto end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::memcpy(to + row * runs.to_step, from + row * runs.from_step, static_cast<std::size_t>(runs.bytes));
    }
  });
}

/// Calls body(runs, byte offset in the whole, byte offset of the block) for each part. `runs` copies from the whole to
/// the block.
void for_each_part(const PartsSizes& z, const auto& body) {
  const std::int64_t line = z.around.inner * z.element_bytes;
  for (int part = 0; part < z.parts; ++part) {
    const auto extent = z.part(part);
    const std::int64_t bytes = extent.size() * line;
    body(Runs{z.around.outer, bytes, bytes, z.around.size * line}, extent.begin * line,
         extent.begin * line * z.around.outer);
  }
}

}  // namespace

DDLBENCH_CPU_KERNEL(split_parts, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_split_parts(binding);
  return make_kernel(binding, [=, threads = context.threads](const Arguments& a) {
    for_each_part(z, [&](const Runs& runs, auto whole, auto block) {
      copy_runs(threads, runs, output_of<char>(a, 0) + block, input_of<char>(a, 0) + whole);
    });
  });
}

DDLBENCH_CPU_KERNEL(join_parts, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_join_parts(binding);
  return make_kernel(binding, [=, threads = context.threads](const Arguments& a) {
    for_each_part(z, [&](Runs runs, auto whole, auto block) {
      std::swap(runs.to_step, runs.from_step);
      copy_runs(threads, runs, output_of<char>(a, 0) + whole, input_of<char>(a, 0) + block);
    });
  });
}

DDLBENCH_CPU_KERNEL(slice, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_slice(binding);
  const auto extent = z.part(attributes_of<graph::Slice>(binding).index);
  const std::int64_t line = z.around.inner * z.element_bytes, bytes = extent.size() * line;
  const Runs runs{z.around.outer, bytes, bytes, z.around.size * line};
  return make_kernel(binding, [=, threads = context.threads](const Arguments& a) {
    copy_runs(threads, runs, output_of<char>(a, 0), input_of<char>(a, 0) + extent.begin * line);
  });
}

void add_reorder(KernelTable& table, const Context& context) {
  const auto make = [&context](const Binding& binding) {
    const auto z = sizes_of_reorder(binding);
    return make_kernel(binding, [=, threads = context.threads](const Arguments& a) {
      reorder(threads, z, a.inputs[0], a.outputs[0]);
    });
  };
  table.add("reorder", Storage::any_float, Channels::in_blocks, make);
}

}  // namespace ddlbench::kernels::cpu
