#include "graph/file_layout.h"

#include <algorithm>

#include "base/error.h"

namespace ddlbench::graph {
namespace {

constexpr std::int64_t projections = 3;  // query, key, value

/// Maps the index of an element in ddlbench to its index in the file.
class FilePosition {
 public:
  FilePosition(const FileLayout& layout, const Shape& own)
      : layout_(layout), rows_(own.at(0)), columns_(elements(own) / std::max<std::int64_t>(1, own[0])) {}

  std::int64_t operator()(std::int64_t element) const {
    const std::int64_t row = row_in_file(element / columns_);
    const std::int64_t column = element % columns_;
    return layout_.transposed ? column * rows_ + row : row * columns_ + column;
  }

 private:
  std::int64_t row_in_file(std::int64_t row) const {
    const std::int64_t size = layout_.head_size;
    if (size == 0) return row;
    const std::int64_t heads = rows_ / (projections * size);
    const std::int64_t head = row / (projections * size), projection = row / size % projections;
    return (projection * heads + head) * size + row % size;
  }

  FileLayout layout_;
  std::int64_t rows_, columns_;
};

}  // namespace

Shape file_shape(const FileLayout& layout, const Shape& own) {
  require(!layout.transposed || own.size() == 2, "only a matrix can be transposed, but this is " + to_string(own));
  require(layout.head_size == 0 || (!own.empty() && own[0] % (projections * layout.head_size) == 0),
          "{} does not hold query, key and value of heads of {}", to_string(own), layout.head_size);
  return layout.transposed ? Shape{own[1], own[0]} : own;
}

std::vector<float> to_file(const FileLayout& layout, const Shape& own, const std::vector<float>& values) {
  if (layout.is_plain()) return values;
  const FilePosition place(layout, own);
  std::vector<float> stored(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    stored[static_cast<std::size_t>(place(static_cast<std::int64_t>(i)))] = values[i];
  }
  return stored;
}

std::vector<float> from_file(const FileLayout& layout, const Shape& own, const std::vector<float>& stored) {
  if (layout.is_plain()) return stored;
  const FilePosition place(layout, own);
  std::vector<float> values(stored.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = stored[static_cast<std::size_t>(place(static_cast<std::int64_t>(i)))];
  }
  return values;
}

FileTensor FileNames::of(const std::string& tensor) const {
  if (const auto found = parameters.find(tensor); found != parameters.end()) return found->second;
  const std::size_t dot = tensor.rfind('.');
  if (dot != std::string::npos) {
    const auto found = parameters.find(tensor.substr(0, dot));
    if (found != parameters.end()) return {found->second.name + tensor.substr(dot), found->second.layout};
  }
  return {tensor};
}

bool FileNames::ignores(const std::string& stored) const {
  return std::any_of(ignored.begin(), ignored.end(), [&](const std::string& end) { return stored.ends_with(end); });
}

}  // namespace ddlbench::graph
