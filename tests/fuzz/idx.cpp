// Input: the number of samples to use (0: all), the number of bytes of the file of labels, this file, that of images.
#include "base/error.h"
#include "fuzz/input.h"
#include "fuzz/read_samples.h"
#include "fuzz/target.h"
#include "temporary_folder.h"

using namespace ddlbench;

DDLBENCH_FUZZ_TARGET(idx)(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryFolder folder;
  fuzz::Input input(data, size);
  const std::int64_t samples = input.byte();
  const std::size_t label_bytes = input.byte();
  fuzz::write(folder / "train-labels-idx1-ubyte", input.take(label_bytes));
  fuzz::write(folder / "train-images-idx3-ubyte", input.rest());
  try {
    const workloads::DatasetKind& kind = workloads::find_dataset("idx");
    const OptionValues options{{"path", folder.path()}, {"train_samples", samples}};
    fuzz::read_samples(*kind.open(with_defaults(kind.options, options), workloads::Split::training));
  } catch (const workloads::BadData&) {
  } catch (const InputError&) {
  }
  return 0;
}
