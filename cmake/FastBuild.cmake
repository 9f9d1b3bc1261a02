# SPDX-License-Identifier: Apache-2.0
# How many files are compiled fast: in batches, and by clang with precompiled headers. A file may use no
# more for it: the dev preset and clang-tidy compile each alone.

# dragoman_compile_together(target): its sources in batches, each one translation unit. So names in
# unnamed namespaces are unique within a module.
function(dragoman_compile_together target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${DRAGOMAN_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  if(DRAGOMAN_UNITY)
    # It takes a source in a batch for a header that others include too.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# dragoman_compile_families(target): the sources of the library that can be batched. What its speed is
# measured by is compiled file by file, so that what the compiler makes of it depends on no neighbour:
# all of base, json, event and framing, and in dialect what reads WXCODE, markers and Claude. The rest
# of dialect is batched by family, because each has tables of the same names, such as kUsage.
function(dragoman_compile_families target)
  if(target MATCHES "_(schema|report|check|run)$")
    dragoman_compile_together(${target})
  elseif(target STREQUAL "dragoman_dialect")
    dragoman_compile_together(${target})
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(GET source STEM name)
      if(name MATCHES "_?writer$")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP writers)
      elseif(name MATCHES "^(codex|delegator|emit)(_|$)")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
      endif()
    endforeach()
  endif()
endfunction()

# dragoman_precompile(target KIND): what files of that KIND include from outside is read once. With
# clang that is half the time, g++ gains nothing. Only headers of others are in it: a change of ours
# costs what it did.
function(dragoman_precompile target kind)
  if(NOT DRAGOMAN_PRECOMPILE)
    return()
  endif()
  set(carrier dragoman_headers_${kind})
  if(NOT TARGET ${carrier})
    dragoman_header_carrier(${carrier} ${kind})
  endif()
  # The compiler refuses headers that were read with other options: those of programs are PIE, those
  # of modules and of the carrier PIC.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  # Not with REUSE_FROM: that names the place by its whole path, and what another clone has compiled
  # would not be found again. Ninja starts the compiler in the directory of the build.
  set(headers "CMakeFiles/${carrier}.dir/cmake_pch.hxx.pch")
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -include-pch -Xclang ${headers}>")
  # In the end, when all sources are known: some are generated.
  cmake_language(EVAL CODE
    "cmake_language(DEFER CALL dragoman_await_headers [[${target}]] [[${PROJECT_BINARY_DIR}/${headers}]])")
endfunction()

function(dragoman_await_headers target headers)
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS "${headers}")
  # A batch does not have what its sources have. It is named by its family or by a number, of which there
  # are as many as sources at most.
  list(LENGTH sources count)
  foreach(number RANGE ${count})
    list(APPEND batches ${number})
  endforeach()
  foreach(source IN LISTS sources)
    get_source_file_property(family "${source}" UNITY_GROUP)
    if(family)
      list(APPEND batches ${family})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES batches)
  foreach(batch IN LISTS batches)
    set_property(SOURCE "${PROJECT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${batch}_cxx.cxx"
      APPEND PROPERTY OBJECT_DEPENDS "${headers}")
  endforeach()
endfunction()

function(dragoman_header_carrier carrier kind)
  set(headers
    <algorithm> <array> <charconv> <chrono> <cstring> <filesystem> <functional> <map> <memory>
    <optional> <span> <string> <string_view> <thread> <utility> <variant> <vector> <fmt/format.h>)
  if(kind STREQUAL "tests")
    list(APPEND headers <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>)
  elseif(kind STREQUAL "tool")
    list(APPEND headers <boost/asio/io_context.hpp> <boost/asio/post.hpp> <boost/asio/steady_timer.hpp>)
  endif()
  set(source "${PROJECT_BINARY_DIR}/generated/${carrier}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Only its headers count.\n")
  add_library(${carrier} OBJECT "${source}")
  dragoman_own(${carrier})
  target_link_libraries(${carrier} PRIVATE fmt::fmt)
  if(kind STREQUAL "tests")
    target_link_libraries(${carrier} PRIVATE GTest::gmock GTest::gtest nlohmann_json::nlohmann_json)
    dragoman_compile_fast(${carrier})
  elseif(kind STREQUAL "tool")
    target_compile_options(${carrier} PRIVATE ${dragoman_tool_options})
  endif()
  target_precompile_headers(${carrier} PRIVATE ${headers})
  # It has paths of this directory in it: never taken from a cache, and what the cache keeps of files
  # that use it is found by what it was made of (ccache: pch_external_checksum).
  set_target_properties(${carrier} PROPERTIES CXX_COMPILER_LAUNCHER "")
  list(TRANSFORM headers REPLACE "(.+)" "#include \\1\n")
  list(JOIN headers "" text)
  file(CONFIGURE OUTPUT "${source}.hpp" CONTENT "${text}")
  execute_process(
    COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -pthread -x c++ -E -dD -P "${source}.hpp"
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(SHA256 sum "${text}")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/CMakeFiles/${carrier}.dir/cmake_pch.hxx.pch.sum"
    CONTENT "${sum}\n")
endfunction()
