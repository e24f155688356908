#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/tensor.h"

namespace ddlbench::graph {

/// The layout of a parameter in weight files, where it differs from ddlbench. Both differences may apply to one
/// parameter.
struct FileLayout {
  bool transposed = false;     ///< a matrix is [inputs, outputs] in the file, [outputs, inputs] here
  std::int64_t head_size = 0;  ///< if not 0: dimension 0 is [3, head, head_size] in the file, [head, 3, head_size] here
  bool is_plain() const { return !transposed && head_size == 0; }
};

/// Returns the shape in the file of a tensor that has shape `own` in ddlbench. Throws ContractError if the layout does
/// not fit the shape.
Shape file_shape(const FileLayout& layout, const Shape& own);

/// Convert the values of a whole tensor of shape `own` to the order of the file, and back.
std::vector<float> to_file(const FileLayout& layout, const Shape& own, const std::vector<float>& values);
std::vector<float> from_file(const FileLayout& layout, const Shape& own, const std::vector<float>& stored);

struct FileTensor {
  std::string name;
  FileLayout layout = {};
};

/// The names and layouts of a model's tensors in weight files.
struct FileNames {
  std::map<std::string, FileTensor> parameters;  ///< tensors not listed have the same name and layout
  std::string optional_prefix = {};              ///< of the files' names in `parameters`; a file may omit it in all
  std::vector<std::string> ignored = {};         ///< suffixes of names of other tensors in files; not read
  std::string strip_prefix = {};  ///< of all names in a file that is read, before the names above; not written

  /// Returns the name and layout in the file of a parameter, or of an optimizer state of it ("PARAMETER.momentum"),
  /// which has the layout of the parameter.
  FileTensor of(const std::string& tensor) const;
  bool ignores(const std::string& stored) const;
};

}  // namespace ddlbench::graph
