#include <fmt/core.h>

#include "base/error.h"
#include "base/join.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/report/grid.h"
#include "strategies/inter_layer/bubble.h"
#include "strategies/inter_layer/schedules.h"
#include "strategies/spec.h"

namespace ddlbench::bench {
namespace {

using enum Grid::Align;

/// A row of Qi et al. 2024 (arXiv 2401.10241): times of Table 9 and the bubble rates of Table 5 that follow from them.
struct PublishedRow {
  BubbleRequest pipeline;
  double one_forward_one_backward, zb_h1, zb_h2;
};

const std::vector<PublishedRow> published_rows{
    {{8, 24, 18.522, 18.086, 9.337, 0.601}, 0.2431, 0.1585, 0.1083},
    {{8, 24, 29.718, 29.444, 19.927, 0.527}, 0.2347, 0.1323, 0.0698},
    {{16, 48, 11.347, 11.248, 8.132, 0.377}, 0.2552, 0.1397, 0.0672},
    {{32, 96, 10.419, 10.207, 7.715, 0.408}, 0.2646, 0.1421, 0.0641},
};

int chunks_of_copy(const strategies::ScheduleKind& kind) {
  return strategies::pipeline_of(kind, 2).chunks / kind.model_copies;
}

/// The times are those of a rank's part of the model: chunks divide them equally.
strategies::Bubble bubble_under(const strategies::ScheduleKind& kind, const BubbleRequest& request,
                                double activation_limit = 1) {
  const int chunks = chunks_of_copy(kind);
  strategies::Pipeline pipeline = kind.pipeline(*request.stages, chunks * kind.model_copies, *request.microbatches);
  pipeline.costs.phases.assign(static_cast<std::size_t>(pipeline.stages()),
                               {*request.forward / chunks, *request.input / chunks, *request.weight / chunks});
  pipeline.costs.transfer = request.transfer.value_or(0);
  pipeline.activation_limit = activation_limit;
  return strategies::bubble_of(pipeline, kind.schedule);
}

/// Returns the names of the schedules that bubble_under() gives two chunks of the model on each rank.
std::string with_two_chunks() {
  std::vector<std::string> names;
  for (const strategies::ScheduleKind& kind : strategies::schedules())
    if (chunks_of_copy(kind) == 2) names.push_back(kind.name);
  return joined(names);
}

std::string rate(double value) {
  return fmt::format("{:.4f}", value);
}

void print_published(std::ostream& out) {
  out << "Bubble rates, ours beside those of Qi et al. 2024 (arXiv 2401.10241, Table 5), from the milliseconds of "
         "their Table 9:\n";
  Grid grid({right, right, right, right, right, right, right, right, right, right, right, right});
  grid.add({"stages", "micro-batches", "forward", "input", "weight", "transfer", "1f1b", "published", "zb_h1",
            "published", "zb_h2", "published"});
  for (const PublishedRow& row : published_rows) {
    const BubbleRequest& asked = row.pipeline;
    const auto ours = [&asked](const char* schedule) {
      return rate(bubble_under(strategies::find_schedule(schedule), asked).of_span());
    };
    grid.add({std::to_string(*asked.stages), std::to_string(*asked.microbatches), fmt::format("{:.3f}", *asked.forward),
              fmt::format("{:.3f}", *asked.input), fmt::format("{:.3f}", *asked.weight),
              fmt::format("{:.3f}", *asked.transfer), ours("1f1b"), rate(row.one_forward_one_backward), ours("zb_h1"),
              rate(row.zb_h1), ours("zb_h2"), rate(row.zb_h2)});
  }
  out << grid.text(2)
      << "A rate is 1 − (work of a rank) / (longest time from a rank's first work to its last), as they define it.\n";
}

void print_schedules(const BubbleRequest& request, std::ostream& out) {
  Grid grid({left, right, right, right});
  grid.add({"schedule", "bubble of a rank's span", "bubble of the step", "micro-batches held"});
  const auto add = [&](const strategies::ScheduleKind& kind, const std::string& name, double activation_limit) {
    const strategies::Bubble bubble = bubble_under(kind, request, activation_limit);
    const double held = static_cast<double>(bubble.most_held) / chunks_of_copy(kind);
    grid.add({name, rate(bubble.of_span()), rate(bubble.of_step()), fmt::format("{:g}", held)});
  };
  for (const strategies::ScheduleKind& kind : strategies::schedules()) {
    if (!kind.has_activation_limit)
      add(kind, kind.name, 1);
    else
      for (const double limit : {1.0, 1.5, 2.0})
        add(kind, fmt::format("{}, activation_limit {:g}", kind.name, limit), limit);
  }
  out << grid.text(0)
      << "span: the longest time from a rank's first work to its last; step: from the first work of all to the last; "
         "held: the most\nmicro-batches whose activations a rank holds at once. With "
      << with_two_chunks() << ", each rank has two chunks of the model.\n";
}

}  // namespace

int reproduce_command(const Arguments& arguments, std::ostream& out) {
  const BubbleRequest& request = arguments.bubble;
  const int given = request.stages.has_value() + request.microbatches.has_value() + request.forward.has_value() +
                    request.input.has_value() + request.weight.has_value();
  if (given == 0 && !request.transfer) {
    print_published(out);
    return exit_code::ok;
  }
  if (given < 5)
    throw InputError(
        "reproduce zero-bubble: a row of your own needs --stages, --microbatches, --forward, --input and --weight; "
        "give all of them, or none for the published rows");
  print_schedules(request, out);
  return exit_code::ok;
}

}  // namespace ddlbench::bench
