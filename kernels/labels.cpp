#include "kernels/labels.h"

#include <fmt/core.h>
#include <string>

#include "base/error.h"

namespace ddlbench::kernels {

bool is_sample(const std::int32_t* labels, std::int64_t index, std::int64_t classes) {
  const std::int32_t label = labels[index];
  if (label >= 0 && label < classes) return true;
  if (label == -1) return false;
  throw InputError(fmt::format("label {} at index {} of the batch is not a class: there are {}, counted from 0", label,
                               index, classes));
}

void require_tokens(const std::int32_t* tokens, std::int64_t count, std::int64_t vocabulary) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (tokens[i] >= 0 && tokens[i] < vocabulary) continue;
    throw InputError(
        fmt::format("token {} at index {} of the batch is not in the vocabulary: it has {} tokens, counted from 0",
                    tokens[i], i, vocabulary));
  }
}

}  // namespace ddlbench::kernels
