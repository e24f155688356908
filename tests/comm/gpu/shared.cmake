# What is written for any transport, over gpu/startable.cpp.
set(shared concurrency_test.cpp conformance_test.cpp mirror.cpp support.cpp)
