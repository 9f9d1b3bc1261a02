# SPDX-License-Identifier: Apache-2.0
# What ctest runs is found by globbing: tests/<suite>/*_test.cpp, fuzz/*_fuzz.cpp, bench/*.cpp.
include(GoogleTest)

# tests/support: what every suite may use. It sees base alone, so that a suite builds no more of the
# library than it tests; helpers for higher modules are headers there.
function(dragoman_test_support)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
  add_library(dragoman_test_support STATIC ${sources})
  dragoman_own(dragoman_test_support)
  dragoman_compile_fast(dragoman_test_support)
  dragoman_precompile(dragoman_test_support tests)
  dragoman_compile_together(dragoman_test_support)
  target_include_directories(dragoman_test_support PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(dragoman_test_support PRIVATE
    DRAGOMAN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" DRAGOMAN_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(dragoman_test_support PUBLIC dragoman_base GTest::gtest GTest::gmock)
endfunction()

# What a test costs is its compilation: optimising it takes half as long again, twice as long under
# sanitizers, and tells nothing about the code that it tests. dragoman_compile_fast(target [LEVEL])
function(dragoman_compile_fast target)
  set(level -O0)
  if(ARGC GREATER 1)
    set(level ${ARGV1})
  endif()
  if(dragoman_sanitize OR CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE ${level})
  endif()
  if(dragoman_sanitize)
    set_target_properties(${target} PROPERTIES DRAGOMAN_IS_TEST ON)
  endif()
endfunction()

# dragoman_tests(SUITE LINKS target... [PROPERTIES name value...] [CROWDED pattern]): one executable of
# tests/SUITE/*.cpp. Those of the pattern start many processes whose leases end when the machine has
# no time for them, and count as two.
function(dragoman_tests suite)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CROWDED" "LINKS;PROPERTIES")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${suite}/*.cpp")
  if(NOT sources)
    return()
  endif()
  set(target dragoman_${suite}_tests)
  add_executable(${target} ${sources})
  dragoman_own(${target})
  if(suite STREQUAL "contract")  # these compute for minutes
    dragoman_compile_fast(${target} -O1)
  else()
    dragoman_compile_fast(${target})
    dragoman_precompile(${target} tests)
  endif()
  dragoman_compile_together(${target})
  target_link_libraries(${target} PRIVATE ${arg_LINKS} dragoman_test_support
    nlohmann_json::nlohmann_json GTest::gmock GTest::gtest_main)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  if(TARGET dragoman AND suite MATCHES "^(cli|e2e)$")
    add_dependencies(${target} dragoman)  # these start the program itself
  endif()
  # Without values: a name says which case it is, bytes of its memory do not.
  set(how DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES)
  set(others)
  if(arg_CROWDED)
    gtest_discover_tests(${target} ${how} TEST_FILTER "${arg_CROWDED}"
      TEST_LIST ${target}_crowded PROPERTIES LABELS ${suite} PROCESSORS 2 ${arg_PROPERTIES})
    set(others TEST_FILTER "-${arg_CROWDED}")
  endif()
  gtest_discover_tests(${target} ${how} ${others} PROPERTIES LABELS ${suite} ${arg_PROPERTIES})
endfunction()

# tests/agents/*.cpp: programs that stand in for agents, one executable each in build/…/tests/agents.
# They are never built with a sanitizer: what is measured and watched is us.
function(dragoman_fake_agents)
  add_custom_target(fake_agents)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/agents/*.cpp")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(agent_${name} ${source})
    target_compile_features(agent_${name} PRIVATE cxx_std_20)
    set_target_properties(agent_${name} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/agents")
    add_dependencies(fake_agents agent_${name})
  endforeach()
  foreach(suite IN ITEMS ${ARGN})
    if(TARGET dragoman_${suite}_tests)
      add_dependencies(dragoman_${suite}_tests fake_agents)
    endif()
  endforeach()
endfunction()

# tests/support/preload/*.cpp: libraries for LD_PRELOAD that change what a program under test sees of
# its machine, in build/…/tests. Like fake agents never with a sanitizer.
function(dragoman_preloads)
  add_custom_target(preloads)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/preload/*.cpp")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_library(preload_${name} MODULE ${source})
    target_compile_features(preload_${name} PRIVATE cxx_std_20)
    set_target_properties(preload_${name} PROPERTIES
      OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    add_dependencies(preloads preload_${name})
  endforeach()
  foreach(suite IN ITEMS ${ARGN})
    if(TARGET dragoman_${suite}_tests)
      add_dependencies(dragoman_${suite}_tests preloads)
    endif()
  endforeach()
endfunction()

# Each fuzz target is always built with a main() that replays the corpus, so that it cannot rot;
# with DRAGOMAN_FUZZ_ENGINE it is also built as fuzz_<target>, driven by libFuzzer. A target with the
# name of a module sees that module, any other is a reader's and sees the dialects.
function(dragoman_fuzz_targets)
  add_custom_target(fuzz_targets)
  add_library(dragoman_replay OBJECT "${PROJECT_SOURCE_DIR}/fuzz/replay_main.cpp")
  dragoman_own(dragoman_replay)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fuzz/*_fuzz.cpp")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "_fuzz$" "" name "${stem}")
    set(module dragoman_dialect)
    if(TARGET dragoman_${name})
      set(module dragoman_${name})
    endif()
    set(kinds replay)
    if(DRAGOMAN_FUZZ_ENGINE)
      list(APPEND kinds engine)
    endif()
    foreach(kind IN LISTS kinds)
      if(kind STREQUAL "replay")
        set(target replay_${name})
        add_executable(${target} ${source} $<TARGET_OBJECTS:dragoman_replay>)
        dragoman_precompile(${target} library)
      else()
        set(target fuzz_${name})
        add_executable(${target} ${source})
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
        add_dependencies(fuzz_targets ${target})
      endif()
      dragoman_own(${target})
      target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
      target_link_libraries(${target} PRIVATE ${module})
      set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
    endforeach()
    add_test(NAME fuzz.replay.${name}
      COMMAND replay_${name} "${PROJECT_SOURCE_DIR}/fuzz/corpus/${name}")
    set_tests_properties(fuzz.replay.${name} PROPERTIES LABELS fuzz)
  endforeach()
endfunction()

# Where nothing is measured a bench only has to compile.
function(dragoman_leave_unmeasured target)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    dragoman_compile_fast(${target})
    dragoman_precompile(${target} tests)
    dragoman_compile_together(${target})
  endif()
endfunction()

# bench/<name>.cpp -> bench/<name> in the build directory; bench/support/*.cpp is linked into each.
function(dragoman_benches)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
  file(GLOB support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/support/*.cpp")
  if(support)
    add_library(dragoman_bench_support STATIC ${support})
    dragoman_own(dragoman_bench_support)
    dragoman_leave_unmeasured(dragoman_bench_support)
    target_include_directories(dragoman_bench_support PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(dragoman_bench_support PUBLIC ${ARGN})
  endif()
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(bench_${name} ${source})
    dragoman_own(bench_${name})
    dragoman_leave_unmeasured(bench_${name})
    target_include_directories(bench_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_link_libraries(bench_${name} PRIVATE ${ARGN} simdjson::simdjson nlohmann_json::nlohmann_json)
    if(support)
      target_link_libraries(bench_${name} PRIVATE dragoman_bench_support)
    endif()
    set_target_properties(bench_${name} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  endforeach()
endfunction()
