#include "bench/command/commands.h"

#include <fmt/core.h>
#include "bench/command/main_command.h"
#include "bench/config/facet_table.h"
#include "bench/config/fields.h"
#include "bench/report/grid.h"
#include "collectives/algorithm.h"

namespace ddlbench::bench {
namespace {

using enum Grid::Align;

void print_kinds(std::ostream& out, const std::string& title, const Field& choice) {
  out << title << '\n';
  for (const auto& kind : choice.kinds) {
    out << "  " << kind.name << ": " << kind.help << '\n';
    Grid grid({left, left, left});
    for (const auto& field : kind.fields) {
      const std::string value = field.required        ? "(required)"
                                : field.default_value ? "= " + to_string(*field.default_value)
                                                      : "";
      grid.add({field.name, value, fmt::format("{} ({})", field.help, field.wanted())});
    }
    out << grid.text(6);
  }
  out << '\n';
}

template <class Entry>
void print_names(std::ostream& out, const std::string& title, const std::vector<Entry>& entries) {
  out << title << '\n';
  for (const auto& entry : entries) out << "  " << entry.name << ": " << entry.help << '\n';
}

}  // namespace

int list_command(const Arguments& arguments, std::ostream& out) {
  if (arguments.facets) {
    out << facet_table();
    return exit_code::ok;
  }
  const Registries registries = real_registries();
  const Field table = experiment_fields(registries);
  const Field& workload = *find(table.fields, "workload");
  print_kinds(out, "strategies", *find(table.fields, "strategies"));
  print_kinds(out, "models", *find(workload.fields, "model"));
  print_kinds(out, "data sets", *find(workload.fields, "dataset"));
  print_kinds(out, "optimizers", *find(find(table.fields, "training")->fields, "optimizer"));
  print_names(out, "transports", registries.transport_choices);
  out << "\ncollectives\n";
  for (const collectives::Algorithm algorithm : collectives::all_algorithms()) {
    out << "  " << algorithm.name() << ": " << algorithm.help() << '\n';
  }
  out << '\n';
  print_names(out, "devices", registries.devices);
  return exit_code::ok;
}

}  // namespace ddlbench::bench
