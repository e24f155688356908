#include "bench/config/target.h"

#include "bench/config/field.h"

namespace ddlbench::bench {

bool is_reached(const Target& target, double validation_loss, double accuracy) {
  if (!target.is_set()) return false;
  return (!target.loss || validation_loss <= *target.loss) && (!target.accuracy || accuracy >= *target.accuracy);
}

std::string describe(const Target& target) {
  std::string text;
  if (target.loss) text = "loss " + format_number(*target.loss);
  if (target.accuracy) text += (text.empty() ? "" : " and ") + ("accuracy " + format_number(*target.accuracy));
  return text;
}

}  // namespace ddlbench::bench
