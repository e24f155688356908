# What every kind of device is tested with, on GPUs.
set(shared against_reference_test.cpp cases.cpp device_test.cpp harness.cpp ranks_test.cpp)
