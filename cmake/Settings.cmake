# SPDX-License-Identifier: Apache-2.0
# How our own code is compiled. Everything hangs on two INTERFACE targets that only our targets
# link, so that no flag reaches third-party code or the people who use the installed package.

set(DRAGOMAN_TESTS AUTO CACHE STRING "Build the tests: ON, OFF, or AUTO (when GoogleTest is found)")
set(DRAGOMAN_SUITES all CACHE STRING
  "Which tests: all; program (leaves out most modules' own); modules (leaves out end to end)")
set(DRAGOMAN_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
option(DRAGOMAN_WERROR "Treat warnings as errors" OFF)
option(DRAGOMAN_FUZZ_ENGINE "Link the fuzz targets with libFuzzer (clang only)" OFF)
option(DRAGOMAN_UNITY "Compile the tool, the tests and what of the library is not measured in batches" OFF)
option(DRAGOMAN_PRECOMPILE "Precompile headers from outside (clang only)" OFF)
option(DRAGOMAN_CCACHE "Compile through ccache where it is installed" ON)
option(DRAGOMAN_LLD "Link with lld where it is installed" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the static modules also go into libdragoman.so
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_COLOR_DIAGNOSTICS ON)

include(GNUInstallDirs)

if(DRAGOMAN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(DRAGOMAN_CCACHE_PROGRAM ccache)
  mark_as_advanced(DRAGOMAN_CCACHE_PROGRAM)
  if(DRAGOMAN_CCACHE_PROGRAM)
    # Paths below the project count as relative, so that a fresh clone finds what another has compiled.
    set(CMAKE_CXX_COMPILER_LAUNCHER
      env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 "${DRAGOMAN_CCACHE_PROGRAM}")
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
endif()

# Designated initializers leave the other members at their defaults on purpose; g++ 12 warns of them.
# clang takes the inside of the system's std::stable_sort for our use of something deprecated.
add_library(dragoman_warnings INTERFACE)
target_compile_options(dragoman_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Woverloaded-virtual;-Wold-style-cast>
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety;-Wno-deprecated-declarations>
  $<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic>
  $<$<AND:$<BOOL:${DRAGOMAN_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)

add_library(dragoman_settings INTERFACE)
target_compile_features(dragoman_settings INTERFACE cxx_std_20)
target_compile_definitions(dragoman_settings INTERFACE DRAGOMAN_VERSION="${PROJECT_VERSION}")
# What is compiled does not depend on where the project lies.
target_compile_options(dragoman_settings INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)

if(DRAGOMAN_PRECOMPILE)
  # The same for all, or the compiler refuses the headers.
  target_compile_options(dragoman_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-pthread>)
endif()

if(DRAGOMAN_LLD)
  find_program(DRAGOMAN_LLD_PROGRAM ld.lld)
  mark_as_advanced(DRAGOMAN_LLD_PROGRAM)
  if(DRAGOMAN_LLD_PROGRAM)
    target_link_options(dragoman_settings INTERFACE -fuse-ld=lld)
  endif()
endif()

set(dragoman_sanitize "${DRAGOMAN_SANITIZE}")
if(DRAGOMAN_FUZZ_ENGINE)
  string(PREPEND dragoman_sanitize "fuzzer-no-link,")
endif()
if(dragoman_sanitize)
  set(flags -fsanitize=${dragoman_sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(DRAGOMAN_FUZZ_ENGINE)
    # Every comparison traced costs a third of the runs; dictionaries and memcmp name the words.
    list(APPEND flags -fno-sanitize-coverage=trace-cmp)
  endif()
  target_compile_options(dragoman_settings INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:${flags}>)
  # The code under test is checked for undefined behaviour, the tests themselves are not: a third
  # of their compilation, and nobody runs them but us.
  target_compile_options(dragoman_settings INTERFACE
    $<$<BOOL:$<TARGET_PROPERTY:DRAGOMAN_IS_TEST>>:-fno-sanitize=undefined>)
  target_link_options(dragoman_settings INTERFACE -fsanitize=${dragoman_sanitize})
endif()

# Compiles `target` as our own code. BUILD_INTERFACE keeps both targets out of the export.
function(dragoman_own target)
  target_link_libraries(${target} PRIVATE
    $<BUILD_INTERFACE:dragoman_warnings> $<BUILD_INTERFACE:dragoman_settings>)
endfunction()
