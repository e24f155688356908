#include "runtime/checkpoint/checkpoint.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>

#include "base/error.h"
#include "catch.h"
#include "failure.h"
#include "file_contents.h"
#include "file_digest.h"
#include "runtime/plans.h"
#include "runtime/ranks.h"
#include "runtime/state.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::program;
using namespace ddlbench::runtime;
using namespace ddlbench::test;

namespace {

const Origin origin{
    "0.1.0", "two layers", "{}", "sgd", "abc", 3, 2, 12, 0.1, 1.5, EpochSoFar{5, 0.3, {1.0 / 3, -0.0, 5e-324, 1e300}}};

/// Trains two steps from the initial weights, calls `then`, and returns the weights at the end.
Tensors after_training(const Plan& plan, const std::function<void(Engine&, comm::Communicator&)>& then) {
  Tensors whole;
  run_ranks(plan, [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(3);
    train(engine, world.rank(), 2);
    then(engine, world);
    Tensors found = gather(engine, MemoryClass::parameters, world);
    if (world.rank() == 0) whole = std::move(found);
  });
  return whole;
}

Tensors saved(const Plan& plan, const std::string& path, const graph::FileNames& names = {}) {
  return after_training(plan,
                        [&](Engine& engine, comm::Communicator& world) { save(engine, world, path, origin, names); });
}

Tensors loaded(const Plan& plan, const std::string& path, Part part, const graph::FileNames& names = {}) {
  Tensors whole;
  run_ranks(plan, [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(4);
    load(engine, world, path, part, names);
    Tensors found = gather(engine, MemoryClass::parameters, world);
    if (world.rank() == 0) whole = std::move(found);
  });
  return whole;
}

/// Returns the InputError that each rank throws in `attempt`.
std::vector<std::string> errors_of(const Plan& plan, const std::function<void(Engine&, comm::Communicator&)>& attempt) {
  std::vector<std::string> said(static_cast<std::size_t>(plan.ranks()));
  run_ranks(plan, [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(3);
    try {
      attempt(engine, world);
    } catch (const InputError& error) {
      said[static_cast<std::size_t>(world.rank())] = error.what();
    }
  });
  return said;
}

std::vector<float> stored(const std::string& path, const std::string& name) {
  const SafetensorsReader file(path);
  std::vector<float> values(static_cast<std::size_t>(elements(*file.find(name))));
  file.read(*file.find(name), 0, elements(*file.find(name)), values.data());
  return values;
}

void write_file(const std::string& path, std::vector<StoredTensor> tensors) {
  SafetensorsWriter writer(path, {{}, tensors});
  for (const StoredTensor& tensor : tensors) {
    const std::vector<float> values(static_cast<std::size_t>(elements(tensor)), 0.25F);
    const std::vector<std::int64_t> numbers(values.size(), 7);
    if (tensor.dtype == "I64") writer.write(numbers.data(), elements(tensor));
    if (tensor.dtype != "I64") writer.write(values.data(), elements(tensor));
  }
  writer.finish();
  writer.commit();
}

/// Turns gradients into optimizer state, so that the plan has some.
Plan with_state(Plan plan) {
  for (Role& role : plan.roles) {
    for (StateShard& shard : role.state) {
      if (shard.memory_class != MemoryClass::gradients) continue;
      shard.tensor += ".momentum";
      shard.memory_class = MemoryClass::optimizer_state;
    }
  }
  return plan;
}

std::size_t header_bytes(const std::string& file) {
  std::uint64_t length = 0;
  std::copy_n(file.data(), sizeof length, reinterpret_cast<char*>(&length));
  return sizeof length + static_cast<std::size_t>(length);
}

}  // namespace

TEST_CASE("slices of a tensor equal the same part of the whole, however it is sharded") {
  for (const Plan& plan : {completed(two_layer_plan()), completed(pipeline_plan()), completed(data_parallel_plan(2))}) {
    after_training(plan, [](Engine& engine, comm::Communicator& world) {
      const Gatherer gatherer(engine, {MemoryClass::parameters}, world);
      for (const auto& [tensor, type] : gatherer.tensors()) {
        const std::vector<float> whole = gatherer.collect(tensor);
        const std::int64_t rows = type.shape.front();
        for (const std::int64_t at_once : {std::int64_t{1}, std::int64_t{2}, rows}) {
          std::vector<float> slices;
          for (std::int64_t begin = 0; begin < rows; begin += at_once) {
            const std::vector<float> some = gatherer.collect(tensor, {begin, std::min(begin + at_once, rows)});
            slices.insert(slices.end(), some.begin(), some.end());
          }
          require(slices == whole, "slices of " + tensor + " differ from the whole");
        }
      }
    });
  }
}

TEST_CASE("a checkpoint saved by one plan is loaded by another to the bit") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "two.safetensors";
  const Plan one = completed(two_layer_plan()), stages = completed(pipeline_plan());
  const Tensors weights = saved(stages, path);
  REQUIRE(weights.size() == 4);
  CHECK(loaded(one, path, Part::everything) == weights);
  CHECK(loaded(stages, path, Part::everything) == weights);
  CHECK(stored(path, "first.weight") == weights.at("first.weight"));
  CHECK(SafetensorsReader(path).find("first.weight")->shape == graph::Shape{hidden, features});

  const Origin found = origin_of(path);
  CHECK(to_metadata(found) == to_metadata(origin));
  CHECK(found.trained_seconds == 0.1);
  CHECK(found.elapsed_seconds == 1.5);
  REQUIRE(found.last_epoch.has_value());
  CHECK(found.last_epoch->steps_per_epoch == 5);
  CHECK(found.last_epoch->seconds == 0.3);
  CHECK(found.last_epoch->losses == std::vector<double>{1.0 / 3, -0.0, 5e-324, 1e300});
  CHECK(SafetensorsReader(path).metadata().at("format") == "pt");

  const std::string again = folder / "again.safetensors";
  saved(stages, again);
  CHECK(digest_of_file(again) == digest_of_file(path));
}

TEST_CASE("a state file that belongs to other weights is rejected on all ranks") {
  const test::TemporaryFolder folder;
  const Plan stages = completed(pipeline_plan());
  saved(stages, folder / "a.safetensors");
  run_ranks(stages, [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(3);
    save(engine, world, folder / "b.safetensors", origin, {});
  });
  std::filesystem::copy_file(folder / "b.state.safetensors", folder / "a.state.safetensors",
                             std::filesystem::copy_options::overwrite_existing);
  for (const std::string& said : errors_of(stages, [&](Engine&engine, comm::Communicator&world) {
         load(engine, world, folder / "a.safetensors", Part::everything, {});
       }))
    check_says(said, "do not belong to one checkpoint");
  std::filesystem::remove(folder / "a.state.safetensors");
  CHECK_THROWS_AS(origin_of(folder / "a.safetensors"), InputError);
  loaded(stages, folder / "a.safetensors", Part::weights);
}

TEST_CASE("tensors that differ from what was written are rejected on all ranks with both digests", "[F5]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "two.safetensors";
  const Plan stages = with_state(completed(pipeline_plan()));
  saved(stages, path);
  std::string damaged = path;
  SECTION("weights that are zero") {
    std::string bytes = contents_of(path);
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(header_bytes(bytes)), bytes.end(), '\0');
    put(path, bytes);
  }
  SECTION("a bit of the state") {
    damaged = state_path(path);
    std::string bytes = contents_of(damaged);
    bytes.back() ^= 1;
    put(damaged, bytes);
  }
  const std::string digest = SafetensorsReader(damaged).metadata().at(SafetensorsWriter::digest_key);
  for (const std::string& said : errors_of(
           stages, [&](Engine&engine, comm::Communicator&world) { load(engine, world, path, Part::everything, {}); })) {
    check_says(said, damaged + ": its tensors were changed since they were written: their digest is ");
    check_says(said, "the header says \"" + digest + "\"");
    check_says(said, "copy the file again, or load another checkpoint");
  }
  CHECK_THROWS_AS(checked_digest(path, Part::everything), InputError);
}

TEST_CASE("every single-bit change of a checkpoint is rejected, or does not change what is loaded", "[F5]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "two.safetensors";
  const Plan one = with_state(completed(two_layer_plan()));
  const Tensors weights = saved(one, path);
  const auto told = [&path] {
    const Origin found = origin_of(path);
    Metadata metadata = to_metadata(found);
    metadata.merge(progress_to_metadata(found));
    return metadata;
  };
  const Metadata written = told();
  std::size_t refused = 0, data = 0;
  run_ranks(one, [&](Engine& engine, comm::Communicator& world) {
    for (const std::string& file : {path, state_path(path)}) {
      const std::string whole = contents_of(file);
      data += whole.size() - header_bytes(whole);
      for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
        put(file, bytes);
        try {
          engine.initialize(4);
          load(engine, world, path, Part::everything, {});
          const bool same = gather(engine, MemoryClass::parameters, world) == weights;
          require(same && at < header_bytes(whole) && told() == written,
                  file + " with another byte " + std::to_string(at) + " was loaded");
        } catch (const InputError&) {
          ++refused;
        }
      }
      put(file, whole);
    }
  });
  CHECK(refused > data);
}

TEST_CASE("weights of another program without a digest are loaded unchecked", "[F5]") {
  const test::TemporaryFolder folder;
  const Plan one = completed(two_layer_plan());
  const Tensors weights = saved(one, folder / "ours");
  std::vector<StoredTensor> tensors = SafetensorsReader(folder / "ours").tensors();
  write_file(folder / "theirs", tensors);
  for (const auto& [name, values] : loaded(one, folder / "theirs", Part::weights))
    CHECK(values == std::vector<float>(weights.at(name).size(), 0.25F));
  CHECK(checked_digest(folder / "theirs", Part::weights) == digest_of_file(folder / "theirs"));
  CHECK(checked_digest(folder / "ours", Part::weights) == digest_of_file(folder / "ours"));
}

TEST_CASE("a tensor with another layout in the file is written and read, on one rank and by stages") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "two.safetensors";
  const Plan one = completed(two_layer_plan()), stages = completed(pipeline_plan());
  graph::FileNames names;
  names.parameters = {{"first.weight", {"net.c.weight", {true, 0}}},
                      {"first.bias", {"net.c.bias", {}}},
                      {"second.weight", {"net.d.weight", {false, 1}}},
                      {"second.bias", {"net.d.bias", {}}}};
  names.optional_prefix = "net.";
  const Tensors weights = saved(stages, path, names);
  CHECK(loaded(one, path, Part::everything, names) == weights);
  CHECK(loaded(stages, path, Part::everything, names) == weights);
  CHECK(SafetensorsReader(path).find("net.c.weight")->shape == graph::Shape{features, hidden});
  const std::vector<float> transposed = stored(path, "net.c.weight");
  for (std::int64_t row = 0; row < hidden; ++row)
    for (std::int64_t column = 0; column < features; ++column)
      CHECK(transposed[static_cast<std::size_t>(column * hidden + row)] ==
            weights.at("first.weight")[static_cast<std::size_t>(row * features + column)]);

  write_file(folder / "bare", {{"c.bias", "F32", {hidden}},
                               {"c.weight", "BF16", {features, hidden}},
                               {"d.bias", "F16", {classes}},
                               {"d.weight", "F32", {classes, hidden}}});
  for (const auto& [name, values] : loaded(stages, folder / "bare", Part::weights, names)) {
    INFO(name);
    CHECK(values == std::vector<float>(values.size(), 0.25F));
  }
}

TEST_CASE("torchvision's batch count is written beside running means, and ignored on reading") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "two.safetensors";
  const Plan one = completed(two_layer_plan());
  graph::FileNames names;
  names.parameters["first.bias"] = {"bn.running_mean"};
  const Tensors weights = saved(one, path, names);
  const SafetensorsReader file(path);
  const StoredTensor* count = file.find("bn.num_batches_tracked");
  REQUIRE(count != nullptr);
  CHECK((count->dtype == "I64" && count->shape.empty()));
  CHECK(loaded(one, path, Part::weights, names) == weights);
}

TEST_CASE("weights of another network are rejected with a list of all mismatches") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "odd.safetensors";
  std::vector<StoredTensor> tensors{{"first.weight", "F32", {hidden, features + 1}},
                                    {"first.bias", "I64", {hidden}},
                                    {"first.num_batches_tracked", "I64", {}}};
  for (int i = 10; i < 40; ++i) tensors.push_back({"more." + std::to_string(i), "F32", {1}});
  write_file(path, tensors);
  const Plan stages = completed(pipeline_plan());
  for (const std::string& said : errors_of(
           stages, [&](Engine&engine, comm::Communicator&world) { load(engine, world, path, Part::weights, {}); })) {
    check_says(said,
               path + ": its tensors do not match the 4 of the model: 2 missing: \"second.bias\", \"second.weight\"");
    check_says(said, "30 unknown to the model: \"more.10\", ");
    check_says(said, "\"more.29\", …; 2 of a different shape or type: ");
    check_says(said, "\"first.weight\" is F32[5x7], not [5x6]");
    check_says(said, "\"first.bias\" is I64[5]; only F32, BF16 and F16 can be read");
    CHECK(said.find("tracked") == std::string::npos);
  }
}

TEST_CASE("a failure to write or open is reported on every rank and leaves no files") {
  const test::TemporaryFolder folder;
  const Plan stages = completed(pipeline_plan());
  const std::string nowhere = folder / "none/two.safetensors";
  for (const std::string& said :
       errors_of(stages, [&](Engine&engine, comm::Communicator&world) { save(engine, world, nowhere, origin, {}); }))
    check_says(said, nowhere + ": cannot be written: No such file");
  for (const std::string& said : errors_of(
           stages, [&](Engine&engine, comm::Communicator&world) { load(engine, world, nowhere, Part::weights, {}); }))
    check_says(said, nowhere + ": cannot be opened: No such file");

  const std::string path = folder / "two.safetensors";
  std::filesystem::create_directory(folder / "two.state.safetensors");  // blocks the rename of the second file
  for (const std::string& said :
       errors_of(stages, [&](Engine&engine, comm::Communicator&world) { save(engine, world, path, origin, {}); }))
    check_says(said, "two.state.safetensors: cannot be replaced: Is a directory");
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("invalid metadata are rejected") {
  Metadata metadata = to_metadata(origin);
  CHECK(origin_from(metadata, "f").step == 12);
  for (const char* odd : {"", "-1", "1x", "1.5", "99999999999999999999"}) {
    metadata["step"] = odd;
    CHECK_THROWS_AS(origin_from(metadata, "f"), InputError);
  }
  metadata.erase("step");
  CHECK_THROWS_AS(origin_from(metadata, "f"), InputError);
}

TEST_CASE("the file stores the master of a 16-bit weight, and loading sets both") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "two.safetensors";
  Plan one = completed(two_layer_plan());
  for (StateShard& shard : one.roles[0].state) {  // any memory serves as the master here
    if (shard.memory_class == MemoryClass::gradients && shard.tensor == "first.weight") {
      shard.tensor += ".master";
      shard.memory_class = MemoryClass::optimizer_state;
    }
  }
  const auto both = [](Engine& engine, comm::Communicator& world) {
    return std::pair(gather(engine, MemoryClass::parameters, world).at("first.weight"),
                     gather(engine, MemoryClass::optimizer_state, world).at("first.weight.master"));
  };
  run_ranks(one, [&](Engine& engine, comm::Communicator& world) {
    engine.initialize(3);
    train(engine, 0, 1);
    save(engine, world, path, origin, {});
    const auto [weight, master] = both(engine, world);
    CHECK(weight != master);
    CHECK(stored(path, "first.weight") == master);
    CHECK(SafetensorsReader(state_path(path)).tensors().empty());
    engine.initialize(4);
    load(engine, world, path, Part::weights, {});
    CHECK(both(engine, world) == std::pair(master, master));
  });
}

TEST_CASE("16-bit state is read and written as f32") {
  const Plan one = completed(two_layer_plan());
  run_ranks(one, [&](Engine& engine, comm::Communicator&) {
    for (const graph::DType dtype : {graph::DType::bf16, graph::DType::f16}) {
      StateShard shard = one.roles[0].state[0];
      shard.whole = {{4}, dtype};
      HeldState held{&shard, {0, 4}, shard.view};
      held.view.bytes = 8;
      const std::vector<float> values{1, -2.5F, 0, 1 + 0x1p-12F};
      std::vector<float> back(4);
      engine.write(held, values.data());
      engine.read(held, back.data());
      CHECK(back == std::vector<float>{1, -2.5F, 0, 1});
    }
  });
}
