// Images per second of one thread, from file to planes of f32: synthetic photographs of several sizes, and those in
// photos/train/CLASS/ below the folder in the environment variable DDLBENCH_DATA.

#include <benchmark/benchmark.h>

#include <fmt/core.h>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "workloads/datasets/image_list.h"
#include "workloads/datasets/synthetic_photos.h"
#include "workloads/images/transform.h"

namespace {

using namespace ddlbench::workloads;
namespace fs = std::filesystem;

std::vector<std::string> images_below(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& image : list_images(folder, {}, Split::training, 0.2, {}).images) paths.push_back(image.path);
  return paths;
}

void rate(benchmark::State& state) {
  state.counters["images_per_second"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void decode(benchmark::State& state, const std::vector<std::string>& paths) {
  Decoder decoder;
  std::size_t i = 0;
  for (auto _ : state) {
    decoder.open(paths[i++ % paths.size()]);
    benchmark::DoNotOptimize(decoder.decode().pixels.data);
  }
  rate(state);
}

void read(benchmark::State& state, const std::vector<std::string>& paths, const TransformSettings& settings) {
  const NormalisationTables tables({{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}}, "benchmark");
  std::vector<float> values(3 * static_cast<std::size_t>(settings.size) * static_cast<std::size_t>(settings.size));
  TransformScratch scratch;
  std::int64_t i = 0;
  for (auto _ : state) {
    const std::string& path = paths[static_cast<std::size_t>(i) % paths.size()];
    transform(path, settings, tables, {i++, 1}, scratch, values.data());
    benchmark::DoNotOptimize(values.data());
  }
  rate(state);
}

void add(const std::string& name, const std::vector<std::string>& paths) {
  TransformSettings centre, reduced;
  centre.random_crop = centre.mirror = false;
  reduced.reduce = true;
  benchmark::RegisterBenchmark((name + "/decode").c_str(), [=](benchmark::State& s) { decode(s, paths); });
  benchmark::RegisterBenchmark((name + "/random_crop").c_str(), [=](benchmark::State& s) { read(s, paths, {}); });
  benchmark::RegisterBenchmark((name + "/centre").c_str(), [=](benchmark::State& s) { read(s, paths, centre); });
  benchmark::RegisterBenchmark((name + "/scaled").c_str(), [=](benchmark::State& s) { read(s, paths, reduced); });
}

/// A temporary folder, removed with its files.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "ddlbench-images-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

}  // namespace

int main(int argc, char* argv[]) {
  benchmark::Initialize(&argc, argv);
  const Folder folder;
  for (const ImageSize size : {ImageSize{224, 224}, ImageSize{500, 375}, ImageSize{1600, 1200}}) {
    const std::string name = fmt::format("{}x{}", size.width, size.height);
    write_photos(folder / name, {3, 8, 1, size, 90, 1});
    add(name, images_below(folder / name));
  }
  const char* data = std::getenv("DDLBENCH_DATA");
  const std::string photos = data != nullptr ? std::string(data) + "/photos" : "";
  if (!photos.empty() && fs::is_directory(photos)) add("photos", images_below(photos));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
