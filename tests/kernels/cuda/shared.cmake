# What compares with the reference runs it as all tests of the room do.
set(shared harness.cpp kinds.cpp)
