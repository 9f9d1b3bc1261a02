# SPDX-License-Identifier: Apache-2.0
# Installs the build into an empty prefix, builds the example against it, runs it over the sample,
# and compares what it printed. DRAGOMAN_GOLDEN_WRITE=1 records instead.
# cmake -DBUILD=<build directory> -DWORK=<scratch directory> -DLANGUAGE=c|cpp|python -P check.cmake
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(here "${CMAKE_CURRENT_LIST_DIR}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code
    OUTPUT_FILE "${WORK}/output" ERROR_VARIABLE errors)
  if(NOT code EQUAL 0)
    file(READ "${WORK}/output" output)
    message(FATAL_ERROR "${ARGN}\n${output}\n${errors}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
file(GLOB_RECURSE library "${WORK}/prefix/*/libdragoman.so")
set(expected "${here}/sample.events.jsonl")
if(LANGUAGE STREQUAL "c")
  run("${CMAKE_COMMAND}" -S "${here}/c" -B "${WORK}/build" -G Ninja
      "-DCMAKE_PREFIX_PATH=${WORK}/prefix" -DCMAKE_C_FLAGS=-std=c99\ -Wall\ -Wextra\ -Werror\ -pedantic)
  run("${CMAKE_COMMAND}" --build "${WORK}/build")
  run("${WORK}/build/read_events" "${here}/sample.md")
elseif(LANGUAGE STREQUAL "cpp")
  run("${CMAKE_COMMAND}" -S "${here}/cpp" -B "${WORK}/build" -G Ninja -DCMAKE_BUILD_TYPE=Release
      "-DCMAKE_PREFIX_PATH=${WORK}/prefix" -DCMAKE_CXX_FLAGS=-Wall\ -Wextra\ -Werror\ -pedantic)
  run("${CMAKE_COMMAND}" --build "${WORK}/build")
  run("${WORK}/build/judge_run" "${here}/markers.txt" 0)
  set(expected "${here}/markers.verdict.txt")
else()
  find_program(python python3 REQUIRED)
  run("${CMAKE_COMMAND}" -E env "DRAGOMAN_LIBRARY=${library}" "${python}"
      "${here}/python/read_events.py" "${here}/sample.md")
endif()

if(DEFINED ENV{DRAGOMAN_GOLDEN_WRITE})
  file(COPY_FILE "${WORK}/output" "${expected}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${WORK}/output"
  "${expected}" RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "${WORK}/output is not ${expected}")
endif()
