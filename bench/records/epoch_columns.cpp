#include "bench/records/columns.h"

namespace ddlbench::bench {

namespace {

template <auto member>
std::string of_epoch(const EpochRecord& record) {
  return cell(record.*member);
}

}  // namespace

const std::vector<Column<EpochRecord>>& epoch_columns() {
  using R = EpochRecord;
  static const std::vector<Column<EpochRecord>> columns{
      {"case_id", of_epoch<&R::case_id>},
      {"epoch", of_epoch<&R::epoch>},
      {"epoch_seconds", of_epoch<&R::epoch_seconds>},
      {"validation_seconds", of_epoch<&R::validation_seconds>},
      {"train_loss", of_epoch<&R::train_loss>},
      {"validation_loss", of_epoch<&R::validation_loss>},
      {"accuracy_ratio", of_epoch<&R::accuracy_ratio>},
      {"top5_accuracy_ratio", of_epoch<&R::top5_accuracy_ratio>},
      {"perplexity", of_epoch<&R::perplexity>},
      {"elapsed_seconds", of_epoch<&R::elapsed_seconds>},
      {"loss_scale", of_epoch<&R::loss_scale>},
      {"skipped_steps", of_epoch<&R::skipped_steps>},
  };
  return columns;
}

}  // namespace ddlbench::bench
