// Measures the samples per second of the loader alone on a folder of photographs; prints a line of JSON.

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/option.h"
#include "workloads/dataset.h"
#include "workloads/loader.h"

namespace {

using namespace ddlbench;
using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string folder;
  int size = 224;
  int batch = 32;
  double seconds = 3;
};

std::shared_ptr<const workloads::Dataset> open(const Arguments& arguments) {
  const auto& kind = workloads::find_dataset("image-folder");
  const OptionValues values{{"path", arguments.folder}, {"size", std::int64_t{arguments.size}}};
  return kind.open(with_defaults(kind.options, values), workloads::Split::training);
}

/// Reads epoch after epoch without loader threads until the time is over. The first epoch, which brings the files into
/// the page cache, is not counted.
nlohmann::json measure(const Arguments& arguments) {
  const auto dataset = open(arguments);
  workloads::LoaderOptions options;
  options.workers = 0;
  workloads::Loader loader(dataset, arguments.batch, {{0, arguments.batch}}, options);
  std::int64_t samples = 0;
  Clock::time_point begin;
  std::chrono::duration<double> took{0};
  for (std::int64_t epoch = 0; took.count() < arguments.seconds; ++epoch) {
    loader.begin(workloads::epoch_draws(1, epoch, workloads::epoch_order(1, epoch, dataset->size())));
    while (const auto* batch = loader.next()) samples += epoch > 0 ? batch->count : 0;
    if (epoch == 0) begin = Clock::now();
    took = Clock::now() - begin;
  }
  return {{"samples", samples},
          {"seconds", took.count()},
          {"samples_per_second", static_cast<double>(samples) / took.count()}};
}

}  // namespace

int main(int argc, char* argv[]) {
  Arguments arguments;
  CLI::App app{"Prints how many images per second one thread decodes, crops, resizes and normalises.", "loader_rate"};
  app.add_option("FOLDER", arguments.folder, "images in the format of the data set image-folder")->required();
  app.add_option("--size", arguments.size, "side of the square samples")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  app.add_option("--batch", arguments.batch, "samples at a time")->check(CLI::Range(1, 65536))->capture_default_str();
  app.add_option("--seconds", arguments.seconds, "minimum duration")->check(CLI::PositiveNumber)->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    std::cout << measure(arguments) << '\n';
  } catch (const std::runtime_error& error) {
    std::cerr << "loader_rate: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
