#include "bench/config/fields.h"

#include "bench/config/experiment.h"
#include "bench/config/settings.h"

namespace ddlbench::bench {

Field experiment_fields(const Registries& registries) {
  Field table;
  table.help = "An experiment.";
  FieldMaker maker(registries);
  Experiment defaults;
  describe(maker, defaults);
  table.fields = maker.take();
  return table;
}

}  // namespace ddlbench::bench
