// Input: a safetensors file.
#include <algorithm>
#include <vector>

#include "base/error.h"
#include "fuzz/input.h"
#include "fuzz/target.h"
#include "runtime/checkpoint/origin.h"
#include "runtime/checkpoint/safetensors.h"
#include "temporary_folder.h"

using namespace ddlbench;

DDLBENCH_FUZZ_TARGET(safetensors)(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryFolder folder;
  const std::string path = folder / "weights.safetensors";
  fuzz::write(path, {reinterpret_cast<const char*>(data), size});
  try {
    const runtime::SafetensorsReader reader(path);
    for (const runtime::StoredTensor& tensor : reader.tensors()) {
      fuzz::expect(reader.find(tensor.name) == &tensor, "a tensor is found by its name");
      if (!runtime::SafetensorsReader::has_values(tensor)) continue;
      const std::int64_t count = runtime::elements(tensor), first = count / 3;
      std::vector<float> values(static_cast<std::size_t>(count - first));
      reader.read(tensor, first, count - first, values.data());
    }
    reader.require_undamaged();
    runtime::Origin origin = runtime::origin_from(reader.metadata(), path);
    runtime::read_progress(origin, reader.metadata(), path);
  } catch (const InputError&) {
  }
  return 0;
}
