#What is written for any transport, over cuda / startable.cpp.
set(shared concurrency_test.cpp conformance_test.cpp fake_device.cpp mirror.cpp support.cpp)
