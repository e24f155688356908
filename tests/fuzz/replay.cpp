// replay TARGET FOLDER: calls a fuzz target with each file of a folder.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#define TARGET(name) int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz/targets.def"
#undef TARGET

namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);

const std::map<std::string, Target> targets{
#define TARGET(name) {#name, fuzz_##name},
#include "fuzz/targets.def"
#undef TARGET
};

std::vector<std::filesystem::path> files_of(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 3 || !targets.contains(argv[1])) {
    std::cerr << "usage: replay TARGET FOLDER\n";
    return 2;
  }
  const auto files = files_of(argv[2]);
  for (const auto& path : files) {
    std::cout << path.filename().string() << std::endl;  // flushed, in case it ends the process
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    try {
      targets.at(argv[1])(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    } catch (const std::exception& error) {
      std::cout << "an exception escapes: " << error.what() << '\n';
      return 1;
    }
  }
  return files.empty() ? 1 : 0;
}
