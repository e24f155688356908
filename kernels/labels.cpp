#include "kernels/labels.h"

#include <string>

#include "graph/error.h"

namespace ddlbench::kernels {

bool is_sample(const std::int32_t* labels, std::int64_t index, std::int64_t classes) {
  const std::int32_t label = labels[index];
  if (label >= 0 && label < classes) return true;
  if (label == -1) return false;
  throw InputError("label " + std::to_string(label) + " of sample " + std::to_string(index) +
                   " of the batch is no class: there are " + std::to_string(classes) + ", counted from 0");
}

}  // namespace ddlbench::kernels
