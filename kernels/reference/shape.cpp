#include "graph/ops/shape.h"

#include <cstring>

#include "kernels/binding.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/rewrite/channel_blocks.h"
#include "kernels/sizes/flat.h"

namespace ddlbench::kernels::reference {
namespace {

void copy_element(const Arguments& a, std::int64_t to, std::int64_t from, std::int64_t bytes) {
  std::memcpy(output_of<char>(a, 0) + to * bytes, input_of<char>(a, 0) + from * bytes, static_cast<std::size_t>(bytes));
}

/// Calls body(index in the whole tensor, index in the concatenated parts) for every element.
void for_each_split(const PartsSizes& sizes, auto&& body) {
  const AroundDimension& z = sizes.around;
  std::int64_t block = 0;
  for (int part = 0; part < sizes.parts; ++part) {
    const auto extent = sizes.part(part);
    for (std::int64_t o = 0; o < z.outer; ++o)
      for (std::int64_t d = extent.begin; d < extent.end; ++d)
        for (std::int64_t i = 0; i < z.inner; ++i) body((o * z.size + d) * z.inner + i, block++);
  }
}

}  // namespace

DDLBENCH_REFERENCE_KERNEL(split_parts, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_split_parts(binding);
  return make_kernel(binding, [z](const Arguments& a) {
    for_each_split(z, [&](auto whole, auto block) { copy_element(a, block, whole, z.element_bytes); });
  });
}

DDLBENCH_REFERENCE_KERNEL(join_parts, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_join_parts(binding);
  return make_kernel(binding, [z](const Arguments& a) {
    for_each_split(z, [&](auto whole, auto block) { copy_element(a, whole, block, z.element_bytes); });
  });
}

DDLBENCH_REFERENCE_KERNEL(slice, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_slice(binding);
  const auto extent = z.part(attributes_of<graph::Slice>(binding).index);
  return make_kernel(binding, [z, extent](const Arguments& a) {
    std::int64_t to = 0;
    for (std::int64_t o = 0; o < z.around.outer; ++o)
      for (std::int64_t d = extent.begin; d < extent.end; ++d)
        for (std::int64_t i = 0; i < z.around.inner; ++i)
          copy_element(a, to++, (o * z.around.size + d) * z.around.inner + i, z.element_bytes);
  });
}

void add_reorder(KernelTable& table) {
  const auto make = [](const Binding& binding) {
    const auto z = sizes_of_reorder(binding);
    const auto place = [z](std::int64_t n, std::int64_t c, std::int64_t i, std::int64_t block) {
      return ((n * (z.channels / block) + c / block) * z.inner + i) * block + c % block;
    };
    return make_kernel(binding, [=](const Arguments& a) {
      for (std::int64_t n = 0; n < z.n; ++n)
        for (std::int64_t c = 0; c < z.channels; ++c)
          for (std::int64_t i = 0; i < z.inner; ++i)
            copy_element(a, place(n, c, i, z.to), place(n, c, i, z.from), z.element_bytes);
    });
  };
  table.add("reorder", Storage::any_float, Channels::in_blocks, make);
}

}  // namespace ddlbench::kernels::reference
