#include "runtime/checkpoint/safetensors.h"

#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.h"
#include "catch.h"
#include "failure.h"
#include "file_contents.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::runtime;
using test::contents_of;
using test::put;

namespace {

std::string bytes_of(std::uint64_t length) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes;
}

std::string file_of(const std::string& header, const std::string& data) {
  return bytes_of(header.size()) + header + data;
}

template <class Value>
std::string raw(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

/// Returns the error for a file with these bytes, or "nothing".
std::string error_of(const std::string& bytes) {
  const test::TemporaryFolder folder;
  put(folder / "odd.safetensors", bytes);
  try {
    const SafetensorsReader reader(folder / "odd.safetensors");
  } catch (const InputError& error) {
    const std::string what = error.what();
    CHECK(what.rfind(folder / "odd.safetensors", 0) == 0);
    return what;
  }
  return "nothing";
}

std::string error_of_header(const std::string& header, const std::string& data = std::string(8, 'x')) {
  return error_of(file_of(header, data));
}

std::vector<float> values_of(const SafetensorsReader& file, const std::string& name) {
  const StoredTensor& tensor = *file.find(name);
  std::vector<float> values(static_cast<std::size_t>(elements(tensor)));
  file.read(tensor, 0, elements(tensor), values.data());
  return values;
}

SafetensorsHeader small_header() {
  return {{{"format", "pt"}, {SafetensorsWriter::digest_key, ""}},
          {{"a", "F32", {2, 3}}, {"scalar", "F32", {}}, {"none", "F32", {0, 4}}, {"half", "BF16", {2}}}};
}

void write_small(SafetensorsWriter& writer) {
  const std::vector<float> a{1, 2, 3, 4, 5, 6}, scalar{-7}, half{0.5F, 3};
  writer.write(a.data(), 2);
  writer.write(a.data() + 2, 4);
  writer.write(scalar.data(), 1);
  writer.write(half.data(), 2);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

}  // namespace

TEST_CASE("a file written by another program is read, whole and in parts") {
  const test::TemporaryFolder folder;
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[3],"data_offsets":[24,30]},)"
      R"("w":{"shape":[2,3],"data_offsets":[0,24],"dtype":"F32"},"n":{"dtype":"I64","shape":[],"data_offsets":[38,46]},)"
      R"("c":{"dtype":"BF16","shape":[4],"data_offsets":[30,38]}}   )";
  put(folder / "f",
      file_of(header, raw<float>({1, 2, 3, 4, 5, 6.5F}) + raw<std::uint16_t>({0x3c00, 0xc000, 0x0001}) +
                          raw<std::uint16_t>({0x3f80, 0x4000, 0xbf80, 0x7f80}) + raw<std::int64_t>({12})));
  const SafetensorsReader file(folder / "f");
  CHECK(file.metadata() == std::map<std::string, std::string>{{"format", "pt"}});
  CHECK(values_of(file, "w") == std::vector<float>{1, 2, 3, 4, 5, 6.5F});
  CHECK(values_of(file, "b") == std::vector<float>{1, -2, 0x1p-24F});
  CHECK(values_of(file, "c") == std::vector<float>{1, 2, -1, std::numeric_limits<float>::infinity()});
  std::vector<float> part(2);
  file.read(*file.find("w"), 3, 2, part.data());
  CHECK(part == std::vector<float>{4, 5});
  CHECK(file.find("n")->shape.empty());
  CHECK(file.find("x") == nullptr);
  CHECK_THROWS_AS(file.read(*file.find("n"), 0, 1, part.data()), InputError);
  CHECK_THROWS_AS(file.read(*file.find("w"), 5, 2, part.data()), ContractError);
}

TEST_CASE("a written file conforms to the format and is read back") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "f.safetensors";
  SafetensorsWriter writer(path, small_header());
  write_small(writer);
  writer.finish();
  CHECK(names_in(folder.path()).size() == 1);
  CHECK_FALSE(std::filesystem::exists(path));
  writer.commit();
  CHECK(names_in(folder.path()) == std::vector<std::string>{"f.safetensors"});

  const std::string bytes = contents_of(path);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  CHECK(length % 8 == 0);
  const auto json = nlohmann::json::parse(bytes.substr(8, length));
  CHECK(json.at("a") == nlohmann::json::parse(R"({"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})"));
  CHECK(json.at("half") == nlohmann::json::parse(R"({"dtype":"BF16","shape":[2],"data_offsets":[28,32]})"));
  const std::string data = raw<float>({1, 2, 3, 4, 5, 6, -7}) + raw<std::uint16_t>({0x3f00, 0x4040});
  CHECK(bytes.substr(8 + length) == data);
  CHECK(json.at("__metadata__").at(SafetensorsWriter::digest_key) == hexadecimal(fnv1a(data)));

  const SafetensorsReader file(path);
  CHECK(file.tensors().size() == 4);
  CHECK(values_of(file, "half") == std::vector<float>{0.5F, 3});
  CHECK(values_of(file, "none").empty());
}

TEST_CASE("writing values that the header does not announce is a ContractError") {
  const test::TemporaryFolder folder;
  const std::vector<float> values(20);
  const std::int64_t number = 1;
  SafetensorsWriter writer(folder / "f", small_header());
  CHECK_THROWS_AS(writer.write(values.data(), 7), ContractError);
  CHECK_THROWS_AS(writer.write(&number, 1), ContractError);
  CHECK_THROWS_AS(writer.finish(), ContractError);
}

TEST_CASE("an invalid header is rejected with the tensor and the defect") {
  test::check_says(error_of(""), "it has 0 bytes");
  test::check_says(error_of(bytes_of(9) + "{}"), "9 bytes, but only 2 follow");
  test::check_says(error_of(bytes_of(~0ULL) + "{}"), "18446744073709551615 bytes");
  test::check_says(error_of(bytes_of(100'000'001)), "at most 100000000");
  test::check_says(error_of(file_of("", "")), "does not begin with '{'");
  test::check_says(error_of(file_of(" {}", "")), "does not begin with '{'");
  test::check_says(error_of(file_of("{} x", "")), "not JSON");
  test::check_says(error_of(file_of("{", "")), "not JSON");
  test::check_says(error_of(file_of("{\"\xff\":{}}", "")), "not JSON");
  test::check_says(error_of(file_of(R"({"a":)" + std::string(100000, '['), "")), "\"a\" is a list, not an object");
  test::check_says(error_of(file_of(R"({"a":{"shape":)" + std::string(100000, '['), "")),
                   "\"a\" has a list for its shape");
  test::check_says(error_of(file_of(R"({"a":3})", "")), "\"a\" is the number 3, not an object");
  test::check_says(error_of(file_of(R"({"__metadata__":{"x":1}})", "")),
                   "the metadata: \"x\" is the number 1, not a string");
  test::check_says(error_of(file_of(R"({"__metadata__":{"x":"1","x":"2"}})", "")), "occurs twice");
  CHECK(error_of(file_of("{}", "")) == "nothing");

  const auto with = [](const std::string& fields) { return R"({"a":{)" + fields + "}}"; };
  const std::string type = R"("dtype":"F32")", shape = R"("shape":[2])", place = R"("data_offsets":[0,8])";
  CHECK(error_of_header(with(type + "," + shape + "," + place)) == "nothing");
  test::check_says(error_of_header(with(type + "," + shape)), "\"a\" has no data_offsets");
  test::check_says(error_of_header(with(type + "," + shape + "," + place + R"(,"z":1)")), "the unknown key \"z\"");
  test::check_says(error_of_header(with(type + "," + type + "," + shape + "," + place)), "\"dtype\" occurs twice");
  test::check_says(error_of_header(with(R"("dtype":"F33",)" + shape + "," + place)), "the unknown type \"F33\"");
  test::check_says(error_of_header(with(R"("dtype":8,)" + shape + "," + place)), "the number 8 for its dtype");
  for (const char* odd : {"[-2]", "[2.0]", "[1e1]", "[\"2\"]", "[null]", "[true]", "[18446744073709551615]", "{}", "2"})
    test::check_says(error_of_header(with(type + R"(,"shape":)" + odd + "," + place)), "for its shape");
  test::check_says(error_of_header(with(type + R"(,"shape":[4294967296,4294967296],)" + place)), "impossible shape");
  test::check_says(error_of_header(with(type + R"(,"shape":[3],)" + place)), "has 8 bytes, but F32[3] takes 12");
  for (const char* odd : {"[0]", "[]", "[0,8,8]", "[0,8.0]", "[-8,0]"})
    test::check_says(error_of_header(with(type + "," + shape + R"(,"data_offsets":)" + odd)), "data_offsets");
  test::check_says(error_of_header(with(type + "," + shape + R"(,"data_offsets":[8,0])")), "after its end");
  test::check_says(error_of_header(with(type + "," + shape + R"(,"data_offsets":[8,16])")), "the 8 bytes before it");
  test::check_says(error_of_header(with(type + "," + shape + "," + place), "1234567"),
                   "the file has 7 bytes of tensors");
  test::check_says(error_of_header(with(type + "," + shape + "," + place), "123456789"),
                   "last 1 bytes belong to no tensor");

  const std::string one = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  test::check_says(error_of_header("{" + one + "," + one + "}"), "\"a\" occurs twice in the header");
  test::check_says(error_of_header("{" + one + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"),
                   "\"b\" begins at byte 4, but the one before it ends at 8");
}

TEST_CASE("a file of torch.save is answered with its conversion") {
  // The first bytes of a zip archive, and of pickles of protocols 2 and 4.
  for (const std::string& begin :
       {std::string("PK\x03\x04\0\0\x08\x08\0\0", 10), std::string("PK\x03\x04\0\0\0\0\0\0", 10),
        std::string("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 ", 10), std::string("\x80\x04\x95\0\0\0\0\0\0\0", 10)}) {
    const std::string said = error_of(begin + std::string(100, 'x'));
    test::check_says(said,
                     "is a file of PyTorch's torch.save, not safetensors; two lines of Python convert it: `import "
                     "torch, safetensors.torch` and `safetensors.torch.save_file(torch.load(\"");
    test::check_says(said, "\", map_location=\"cpu\", weights_only=True), \"odd.safetensors\")`");
  }
  // A header of 640 bytes has a length that begins like a pickle.
  CHECK(error_of(file_of("{}" + std::string(638, ' '), "")) == "nothing");
}

TEST_CASE("a header may end in blanks but not in NUL bytes", "[F6]") {
  const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  CHECK(error_of_header(header + "   ") == "nothing");
  test::check_says(error_of_header(header + std::string(3, '\0')),
                   "its header is not JSON: line 1, column " + std::to_string(header.size() + 1) + ": a NUL byte");
  test::check_says(error_of_header(header + std::string(1, '\0') + "what follows"), "a NUL byte");
}

TEST_CASE("a path that is not a regular file is rejected") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(SafetensorsReader(folder.path()), InputError);
  CHECK_THROWS_AS(SafetensorsReader(folder / "none"), InputError);
  CHECK_THROWS_AS(SafetensorsReader("/dev/null"), InputError);
}

TEST_CASE("a damaged file is rejected or read within its bounds") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "f";
  SafetensorsWriter writer(path, small_header());
  write_small(writer);
  writer.finish();
  writer.commit();
  const std::string whole = contents_of(path);
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 500; ++round) {
    std::string bytes = whole;
    const auto at = [&] { return random() % bytes.size(); };
    for (unsigned change = 0; change <= random() % 3; ++change) {
      switch (random() % 5) {
        case 0:
          bytes[at()] = static_cast<char>(random());
          break;
        case 1:
          bytes[at()] ^= static_cast<char>(1U << (random() % 8));
          break;
        case 2:
          bytes.resize(at() + 1);
          break;
        case 3:
          bytes.insert(at(), 1 + random() % 9, static_cast<char>(random()));
          break;
        default:
          bytes.erase(at(), 1 + random() % 9);
          if (bytes.empty()) bytes = "x";
      }
    }
    put(path, bytes);
    try {
      const SafetensorsReader file(path);
      for (const StoredTensor& tensor : file.tensors())
        if (SafetensorsReader::has_values(tensor)) CHECK(values_of(file, tensor.name).size() <= whole.size());
    } catch (const InputError&) {
      ++refused;
    }
  }
  CHECK(refused > 250);
  CHECK(refused < 500);
}

TEST_CASE("a file that cannot be written completely leaves the old file and nothing else") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "f";
  put(path, "old");
  {
    SafetensorsWriter given_up(path, small_header());
    write_small(given_up);
    given_up.finish();
  }
  CHECK(contents_of(path) == "old");
  CHECK(names_in(folder.path()).size() == 1);

  CHECK_THROWS_AS(SafetensorsWriter(folder / "missing/f", small_header()), InputError);
  std::filesystem::create_directory(folder / "taken");
  SafetensorsWriter taken(folder / "taken", small_header());
  write_small(taken);
  taken.finish();
  CHECK_THROWS_AS(taken.commit(), InputError);

  // Simulates a full disk by a limit on the file size.
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto action = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 4096;
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string said;
  try {
    SafetensorsWriter large(path, {{}, {{"a", "F32", {4000}}}});
    const std::vector<float> values(4000);
    large.write(values.data(), 4000);
  } catch (const InputError& error) {
    said = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, action);
  CHECK(said == path + ": cannot be written: File too large");
  CHECK(contents_of(path) == "old");
}
