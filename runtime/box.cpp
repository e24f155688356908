#include "runtime/box.h"

#include <algorithm>

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

void for_each_run(const graph::Shape& whole, const Box& box, const Visit& visit) {
  if (elements(box) == 0) return;
  // Dimensions behind `outer` lie whole in the box, so that one run spans them and dimension `outer`.
  std::size_t outer = whole.size() - 1;
  std::int64_t inner = 1;
  while (outer > 0 && box[outer].size() == whole[outer]) inner *= whole[outer--];
  const std::int64_t run = box[outer].size() * inner;

  std::vector<std::int64_t> stride(whole.size(), 1);
  for (std::size_t d = whole.size() - 1; d > 0; --d) stride[d - 1] = stride[d] * whole[d];
  std::vector<std::int64_t> index(outer);
  for (std::size_t d = 0; d < outer; ++d) index[d] = box[d].begin;

  for (std::int64_t part = 0;; part += run) {
    std::int64_t first = box[outer].begin * stride[outer];
    for (std::size_t d = 0; d < outer; ++d) first += index[d] * stride[d];
    visit(first, part, run);
    std::size_t d = outer;
    while (d > 0 && ++index[d - 1] == box[d - 1].end) {
      index[d - 1] = box[d - 1].begin;
      --d;
    }
    if (d == 0) return;
  }
}

void for_each_run(const graph::Shape& whole, const Box& box, graph::Extent elements, const Visit& visit) {
  for_each_run(whole, box, [&](std::int64_t in_whole, std::int64_t in_box, std::int64_t count) {
    const std::int64_t begin = std::max(in_box, elements.begin), end = std::min(in_box + count, elements.end);
    if (begin < end) visit(in_whole + begin - in_box, begin - elements.begin, end - begin);
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
