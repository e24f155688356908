# Tests for any transport, run with the transports of cuda/startable.cpp.
set(shared concurrency_test.cpp conformance_test.cpp fake_device.cpp mirror.cpp support.cpp)
