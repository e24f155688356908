#include "runtime/box.h"

#include <algorithm>

#include "base/error.h"

namespace ddlbench::runtime {

std::int64_t elements(const Box& box) {
  std::int64_t product = 1;
  for (const graph::Extent& extent : box) product *= extent.size();
  return product;
}

bool overlap(const Box& a, const Box& b) {
  if (elements(a) == 0 || elements(b) == 0) return false;
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (a[d].end <= b[d].begin || b[d].end <= a[d].begin) return false;
  }
  return true;
}

bool inside(const Box& box, const graph::Shape& whole) {
  if (box.size() != whole.size()) return false;
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (box[d].begin < 0 || box[d].end < box[d].begin || box[d].end > whole[d]) return false;
  }
  return true;
}

namespace {

/// The layout of a box: its dimensions, outermost first, and for each dimension the distance between neighbours in the
/// row-major whole. A channel block is the last dimension.
struct StridedBox {
  Box box;
  std::vector<std::int64_t> stride;
};

StridedBox strided_box(const graph::TensorType& whole, const Box& box) {
  StridedBox lies{box, std::vector<std::int64_t>(box.size(), 1)};
  for (std::size_t d = box.size() - 1; d > 0; --d) lies.stride[d - 1] = lies.stride[d] * whole.shape[d];
  const std::int64_t block = whole.channel_block;
  if (block == 1) return lies;
  const std::int64_t channel = lies.stride[1];
  graph::Extent& channels = lies.box[1];
  require(channels.begin % block == 0 && channels.end % block == 0, "a part of a tensor cuts a channel block");
  channels = {channels.begin / block, channels.end / block};
  lies.stride[1] *= block;
  lies.box.push_back({0, block});
  lies.stride.push_back(channel);
  return lies;
}

}  // namespace

void for_each_run(const graph::TensorType& whole, const Box& box, const Visit& visit) {
  if (elements(box) == 0) return;
  const StridedBox lies = strided_box(whole, box);
  // One run spans the last dimension, and the dimensions before it that have size 1 or continue with the same step.
  std::size_t outer = lies.box.size() - 1;
  std::int64_t count = lies.box[outer].size();
  const std::int64_t step = lies.stride[outer];
  while (outer > 0 && (lies.box[outer - 1].size() == 1 || lies.stride[outer - 1] == count * step))
    count *= lies.box[--outer].size();

  std::vector<std::int64_t> index(lies.box.size());
  std::int64_t origin = 0;
  for (std::size_t d = 0; d < lies.box.size(); ++d) {
    index[d] = lies.box[d].begin;
    if (d >= outer) origin += index[d] * lies.stride[d];
  }
  for (std::int64_t part = 0;; part += count) {
    std::int64_t first = origin;
    for (std::size_t d = 0; d < outer; ++d) first += index[d] * lies.stride[d];
    visit({first, step, part, count});
    std::size_t d = outer;
    while (d > 0 && ++index[d - 1] == lies.box[d - 1].end) {
      index[d - 1] = lies.box[d - 1].begin;
      --d;
    }
    if (d == 0) return;
  }
}

void for_each_run(const graph::TensorType& whole, const Box& box, graph::Extent elements, const Visit& visit) {
  for_each_run(whole, box, [&](const BoxRun& run) {
    const std::int64_t begin = std::max(run.part, elements.begin), end = std::min(run.part + run.count, elements.end);
    if (begin < end) visit({run.whole + (begin - run.part) * run.step, run.step, begin - elements.begin, end - begin});
  });
}

program::HeldState piece(const program::HeldState& held, graph::Extent elements) {
  const auto bytes = static_cast<std::int64_t>(graph::size_of(held.shard->whole.dtype));
  program::HeldState result = held;
  result.elements = elements;
  result.view.offset += (elements.begin - held.elements.begin) * bytes;
  result.view.bytes = elements.size() * bytes;
  return result;
}

}  // namespace ddlbench::runtime
