#include "bench/config/schema.h"

#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/config/fields.h"
#include "bench/records/table_schema.h"
#include "bench/records/tables.h"

namespace ddlbench::bench {

int schema_command(const Arguments& arguments, std::ostream& out) {
  if (arguments.columns) {
    out << describe_tables();
    return exit_code::ok;
  }
  if (arguments.results) {
    out << results_schema().dump(2, ' ', true) << '\n';
    return exit_code::ok;
  }
  const Field table = experiment_fields(real_registries());
  if (arguments.markdown) {
    out << markdown(table);
  } else {
    out << schema_text(table);
  }
  return exit_code::ok;
}

}  // namespace ddlbench::bench
