#include "bench/launcher/target.h"

#include "bench/config/field.h"

namespace ddlbench::bench {
namespace {

bool meets(const Target& target, const EpochRecord& epoch) {
  if (!target.loss && !target.accuracy) return false;
  return !(target.loss && !(epoch.validation_loss <= *target.loss)) &&
         !(target.accuracy && !(epoch.accuracy_ratio >= *target.accuracy));
}

}  // namespace

std::string describe(const Target& target) {
  std::string text;
  if (target.loss) text = "loss " + format_number(*target.loss);
  if (target.accuracy) text += (text.empty() ? "" : " and ") + ("accuracy " + format_number(*target.accuracy));
  return text;
}

void TargetWatch::note(const EpochRecord& epoch) {
  if (epochs_) return;
  trained_seconds_ += epoch.epoch_seconds;
  if (meets(target_, epoch)) epochs_ = epoch.epoch;
}

}  // namespace ddlbench::bench
