#include "base/printable.h"
#include "base/units.h"
#include "bench/command/chosen_model.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/records/file.h"
#include "bench/report/layers.h"

namespace ddlbench::bench {
namespace {

std::string work(double flops) {
  return flops < 1e9 ? format_ratio(flops * 1e-6) + " MFLOP" : format_ratio(flops * 1e-9) + " GFLOP";
}

}  // namespace

int describe_command(const Arguments& arguments, std::ostream& out) {
  const ChosenModel chosen = choose_model(arguments);
  const workloads::ModelRequest& request = chosen.request;
  const graph::Graph model = chosen.build();
  const std::vector<Layer> layers = layers_of(model);
  const Layer total = total_of(layers);
  if (!arguments.csv.empty()) write_file_atomically(arguments.csv, layers_csv(layers));

  const std::int64_t parameters = model.parameter_elements();
  out << printable(model.name) << ": " << chosen.kind.help << '\n'
      << "samples " << to_string(request.shape.sample) << ", " << request.shape.classes
      << (request.shape.is_text() ? " tokens" : " classes") << ", batch " << request.batch << "\n\n"
      << layers_text(layers) << '\n'
      << "parameters: " << parameters << '\n'
      << "  in f32: " << format_bytes(parameters * 4) << '\n'
      << "forward: " << work(total.forward_flops)
      << ", backward: " << work(total.backward_input_flops + total.backward_weight_flops) << '\n'
      << "activations: " << format_bytes(total.output_bytes)
      << ", kept for backward: " << format_bytes(total.kept_bytes) << '\n';
  return exit_code::ok;
}

}  // namespace ddlbench::bench
