# One folder, one target: ddlbench_room(NAME USES rooms… COLD LINKS libraries… WITHOUT folders…) makes
# ddlbench_NAME from every source below NAME/ except those in the WITHOUT folders. Headers of all rooms are included as
# "room/header.h". The target of a room A/B is ddlbench_A_B. COLD rooms compute little and are compiled with
# less optimisation.
#
# With DDLBENCH_UNITY the compiler reads up to twenty sources of a room as one (a unity build), and nvcc five. They then
# share one unnamed namespace, so its names must be unique in the room. Sources with compiler options of their own are
# compiled one by one.

add_library(ddlbench_options INTERFACE)
target_include_directories(ddlbench_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(ddlbench_options INTERFACE
  "$<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-Wall;-Wextra;-Wpedantic;-Wshadow>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ddlbench_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)  # false alarms on string concatenation, GCC bug 105651
endif()
# Below 400 MB, GCC need not look for memory to reuse, which takes a tenth of the time of a build.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(ddlbench_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=400000>)
endif()
# Full optimisation takes twice as long to compile. A debug build keeps its -O0; sanitizers build optimised.
set(DDLBENCH_COLD_OPTIONS $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-Og>)
if(DDLBENCH_SANITIZE)
  set(DDLBENCH_COLD_OPTIONS $<$<COMPILE_LANGUAGE:CXX>:-O1>)
endif()
if(DDLBENCH_WARNINGS_AS_ERRORS)
  target_compile_options(ddlbench_options INTERFACE
    $<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-Werror> "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror;-Werror=all-warnings>")
endif()
if(DDLBENCH_UNITY)  # warnings that only the joining of files causes
  target_compile_options(ddlbench_options INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-shadow;-Wno-subobject-linkage;-Wno-maybe-uninitialized>)
endif()
if(DDLBENCH_SANITIZE)
  target_compile_options(ddlbench_options INTERFACE -fsanitize=${DDLBENCH_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(ddlbench_options INTERFACE -fsanitize=${DDLBENCH_SANITIZE})
endif()

# Several threads of a rank run the same lines: without atomic counters, sums of counts would not match, and gcov would
# calculate negative ones.
if(DDLBENCH_COVERAGE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "DDLBENCH_COVERAGE is ON, which needs GCC, but the compiler is ${CMAKE_CXX_COMPILER}: set CXX to "
                        "g++ in a new build folder")
  endif()
  set(DDLBENCH_COVERAGE_OPTIONS --coverage -fprofile-update=atomic)
  target_compile_options(ddlbench_options INTERFACE ${DDLBENCH_COVERAGE_OPTIONS})
  target_link_options(ddlbench_options INTERFACE --coverage)
endif()

# Replaces a list of a room's .cu files by files that include five of them each, because CMake joins only C and C++.
# nvcc reads the headers of a file three times, which takes longer than most files' kernels.
function(ddlbench_join_device_sources list room)
  set(joined "")
  set(number 0)
  while(${list})
    list(SUBLIST ${list} 0 5 batch)
    list(REMOVE_ITEM ${list} ${batch})
    set(content "")
    foreach(source ${batch})
      file(RELATIVE_PATH source ${CMAKE_SOURCE_DIR} ${source})
      string(APPEND content "#include \"${source}\"\n")
    endforeach()
    set(file ${CMAKE_BINARY_DIR}/joined/${room}_${number}.cu)
    file(CONFIGURE OUTPUT ${file} CONTENT "${content}" @ONLY)
    list(APPEND joined ${file})
    math(EXPR number "${number} + 1")
  endwhile()
  set(${list} ${joined} PARENT_SCOPE)
endfunction()

# With DDLBENCH_UNITY, compiles the C++ sources of a target in units of equal size, at most `most` sources each.
function(ddlbench_join_sources target most)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  list(LENGTH sources count)
  math(EXPR units "(${count} + ${most} - 1) / ${most}")
  math(EXPR size "(${count} + ${units} - 1) / ${units}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${DDLBENCH_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

function(ddlbench_room room)
  cmake_parse_arguments(ARG "COLD" "" "USES;LINKS;WITHOUT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${room}/*.cpp)
  if(DDLBENCH_CUDA)
    file(GLOB_RECURSE device_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${room}/*.cu)
    if(DDLBENCH_UNITY)
      ddlbench_join_device_sources(device_sources ${room})
    endif()
    list(APPEND sources ${device_sources})
  endif()
  foreach(folder ${ARG_WITHOUT})
    list(FILTER sources EXCLUDE REGEX "/${room}/${folder}/")
  endforeach()
  string(REPLACE / _ target ddlbench_${room})
  list(TRANSFORM ARG_USES PREPEND ddlbench_ OUTPUT_VARIABLE used)
  list(TRANSFORM used REPLACE / _)
  add_library(${target} STATIC ${sources})
  target_link_libraries(${target} PUBLIC ddlbench_options ${used} ${ARG_LINKS})
  if(ARG_COLD)
    target_compile_options(${target} PRIVATE ${DDLBENCH_COLD_OPTIONS})
  endif()
  ddlbench_join_sources(${target} 20)
endfunction()

# Compiles the sources of a room's folder as a target of their own, ddlbench_ROOM_FOLDER, which has the compiler options
# that the room has so far, and can have further ones (those of single sources would prevent their joining). Its objects
# are part of the room's library.
function(ddlbench_room_part room folder)
  set(target ddlbench_${room})
  set(part ${target}_${folder})
  get_target_property(sources ${target} SOURCES)
  set(others ${sources})
  list(FILTER sources INCLUDE REGEX "/${room}/${folder}/")
  list(FILTER others EXCLUDE REGEX "/${room}/${folder}/")
  add_library(${part} OBJECT ${sources})
  set_target_properties(${target} PROPERTIES SOURCES "${others};$<TARGET_OBJECTS:${part}>")
  foreach(property COMPILE_OPTIONS LINK_LIBRARIES)
    get_target_property(value ${target} ${property})
    set_target_properties(${part} PROPERTIES ${property} "${value}")
  endforeach()
  ddlbench_join_sources(${part} 8)  # a unit of the kernels takes as long as one of twenty other sources
  ddlbench_join_sources(${target} 20)
endfunction()
