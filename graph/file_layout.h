#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/tensor.h"

namespace ddlbench::graph {

/// How a parameter lies in files of weights, where that is otherwise than in ddlbench. Both may be.
struct FileLayout {
  bool transposed = false;     ///< a matrix: [inputs, outputs] in the file, [outputs, inputs] here
  std::int64_t head_size = 0;  ///< not 0: dimension 0 is [3, head, head_size] in the file, [head, 3, head_size] here
  bool is_plain() const { return !transposed && head_size == 0; }
};

/// The shape in the file of what has shape `own` here. Throws ContractError where the layout does not fit it.
Shape file_shape(const FileLayout& layout, const Shape& own);

/// The values of a whole tensor in the order of the file, and back.
std::vector<float> to_file(const FileLayout& layout, const Shape& own, const std::vector<float>& values);
std::vector<float> from_file(const FileLayout& layout, const Shape& own, const std::vector<float>& stored);

struct FileTensor {
  std::string name;
  FileLayout layout = {};
};

/// What a model's tensors are called in files of weights, and how they lie there.
struct FileNames {
  std::map<std::string, FileTensor> parameters;  ///< who is absent has its own name there and lies plain
  std::string optional_prefix = {};              ///< of names in `parameters`, which a file may leave out of them all
  std::vector<std::string> ignored = {};         ///< ends of names that a file may have besides

  /// Of a parameter, or of a state that an optimizer keeps for it ("PARAMETER.momentum"): that lies as it does.
  FileTensor of(const std::string& tensor) const;
  bool ignores(const std::string& stored) const;
};

}  // namespace ddlbench::graph
