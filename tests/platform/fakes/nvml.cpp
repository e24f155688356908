// A fake of NVML with two GPUs: one reports everything, the other one only its memory.
#include <cstring>
#include <string>

namespace {

constexpr int success = 0, not_supported = 3, not_found = 6;
int tells_all = 0, tells_memory = 0;  // their addresses represent the GPUs

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return success;
}

int nvmlShutdown() {
  return success;
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::strncpy(text, "580.65.06", length);
  return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  const std::string wanted(id);
  if (wanted != "0000:01:00.0" && wanted != "0000:02:00.0") return not_found;
  *device = wanted == "0000:01:00.0" ? &tells_all : &tells_memory;
  return success;
}

int nvmlDeviceGetUtilizationRates(void* device, unsigned* gpu_then_memory) {
  gpu_then_memory[0] = 37;
  gpu_then_memory[1] = 99;
  return device == &tells_all ? success : not_supported;
}

int nvmlDeviceGetMemoryInfo(void*, unsigned long long* total_free_used) {
  total_free_used[0] = 1ull << 37;
  total_free_used[1] = (1ull << 37) - (3ull << 30);
  total_free_used[2] = 3ull << 30;
  return success;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  *milliwatts = 250500;
  return device == &tells_all ? success : not_supported;
}

int nvmlDeviceGetNvLinkState(void* device, unsigned link, int* enabled) {
  if (device != &tells_all || link > 2) return not_supported;
  *enabled = link < 2 ? 1 : 0;
  return success;
}
}
