# SPDX-License-Identifier: Apache-2.0
# Everything that ctest runs.
if(NOT dragoman_build_tests)
  return()
endif()
enable_testing()

get_property(modules GLOBAL PROPERTY DRAGOMAN_MODULES)
set(library_modules ${dragoman_library_modules})
list(TRANSFORM library_modules PREPEND dragoman_)

# All headers in one file: two types of one name are found here, not by the linker, which takes
# either for the other.
file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/src"
  "${PROJECT_SOURCE_DIR}/src/dragoman/*/*.hpp")
list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"\n")
list(JOIN headers "" headers)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/every_header.cpp" CONTENT "${headers}" @ONLY)
if(NOT DRAGOMAN_SUITES STREQUAL "program")
  add_library(dragoman_every_header OBJECT "${PROJECT_BINARY_DIR}/generated/every_header.cpp")
  dragoman_own(dragoman_every_header)
  target_link_libraries(dragoman_every_header PRIVATE dragoman_cli)
endif()

dragoman_test_support()
foreach(module IN LISTS modules)
  if(DRAGOMAN_SUITES STREQUAL "program" AND NOT module STREQUAL "cli")  # those of cli start it
    continue()
  endif()
  dragoman_tests(${module} LINKS dragoman_${module})
endforeach()
# Every other directory below tests/ is a suite over the whole library.
file(GLOB suites CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/tests/*")
list(REMOVE_ITEM suites ${modules} agents capi data differential e2e stress support timing)
foreach(suite IN LISTS suites)
  dragoman_tests(${suite} LINKS ${library_modules})
endforeach()
# cmark is asked which lines are code.
if(TARGET dragoman_contract_tests)
  target_link_libraries(dragoman_contract_tests PRIVATE ${DRAGOMAN_USES_cmark})
endif()
# What measures time runs alone, and not under sanitizers, which change what things cost.
if(NOT dragoman_sanitize)
  dragoman_tests(timing LINKS ${library_modules} dragoman_task dragoman_http PROPERTIES RUN_SERIAL TRUE)
endif()
if(NOT DRAGOMAN_SUITES STREQUAL "modules")
  # The program itself with real agents, browsers, terminals.
  dragoman_tests(e2e LINKS dragoman_cli CROWDED *Fleet*)
endif()
# Many processes at once, and promises about time: runs alone.
dragoman_tests(stress LINKS dragoman_process dragoman_record PROPERTIES RUN_SERIAL TRUE)
dragoman_fake_agents(process stress agent task cli e2e)
dragoman_preloads(e2e)
if(TARGET dragoman_shared)
  dragoman_tests(capi LINKS dragoman_shared)
endif()

if(NOT DRAGOMAN_SUITES STREQUAL "program")
  dragoman_fuzz_targets()
endif()
# They measure in a release; "modules" compiles them so that they cannot rot.
if(DRAGOMAN_SUITES STREQUAL "modules" OR
   (DRAGOMAN_SUITES STREQUAL "all" AND CMAKE_BUILD_TYPE STREQUAL "Release"))
  dragoman_benches(dragoman_dialect dragoman_process dragoman_record dragoman_task)
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/examples/CMakeLists.txt")
  add_subdirectory(examples)
endif()

# What ./dev package makes can be unpacked and used.
find_program(DRAGOMAN_DPKG dpkg-deb)
mark_as_advanced(DRAGOMAN_DPKG)
if(DRAGOMAN_DPKG AND TARGET dragoman AND TARGET dragoman_shared AND NOT dragoman_sanitize)
  add_test(NAME package.can_be_used
    COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}"
      "-DWORK=${PROJECT_BINARY_DIR}/tests/package" -P "${PROJECT_SOURCE_DIR}/packaging/check.cmake")
  set_tests_properties(package.can_be_used PROPERTIES LABELS package)
endif()

# ajv, where it is installed (npm ci --prefix tests/schema), must agree with our validator.
find_program(DRAGOMAN_NODE node)
mark_as_advanced(DRAGOMAN_NODE)
# The program's own tests do not build what ajv and the browser below look at.
set(dragoman_looks_at_modules OFF)
if(NOT dragoman_sanitize OR DRAGOMAN_SUITES STREQUAL "modules")
  set(dragoman_looks_at_modules ON)
endif()
if(DRAGOMAN_NODE AND TARGET dragoman_schema_tests AND dragoman_looks_at_modules)
  add_test(NAME schema.ajv_agrees
    COMMAND "${DRAGOMAN_NODE}" "${PROJECT_SOURCE_DIR}/tests/schema/ajv_check.mjs"
            "${PROJECT_SOURCE_DIR}" "$<TARGET_FILE:dragoman_schema_tests>")
  set_tests_properties(schema.ajv_agrees PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 LABELS schema)
endif()

# The longest are begun first, so that none goes on alone when all others have ended.
set(dragoman_long 1000)

# A real browser looks at the pages (npm ci --prefix tests/e2e): hostile text runs nothing and asks
# for nothing, axe-core finds nothing to complain about.
if(DRAGOMAN_NODE AND TARGET dragoman_show_tests AND dragoman_looks_at_modules)
  add_test(NAME show.pages_in_the_browser
    COMMAND "${DRAGOMAN_NODE}" "${PROJECT_SOURCE_DIR}/tests/e2e/page_check.mjs"
            "${PROJECT_SOURCE_DIR}" "$<TARGET_FILE:dragoman_show_tests>")
  set_tests_properties(show.pages_in_the_browser PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT 600 COST ${dragoman_long} LABELS "show;e2e")
endif()

# The dashboard's own tests (npm ci --prefix ui).
if(DRAGOMAN_NODE AND NOT dragoman_sanitize AND
   EXISTS "${PROJECT_SOURCE_DIR}/ui/node_modules/vitest/vitest.mjs")
  add_test(NAME ui.units
    COMMAND "${DRAGOMAN_NODE}" "${PROJECT_SOURCE_DIR}/ui/node_modules/vitest/vitest.mjs" run --testTimeout=60000
            --root "${PROJECT_SOURCE_DIR}/ui")
  set_tests_properties(ui.units PROPERTIES TIMEOUT 300 LABELS ui)
endif()

# The dashboard, served by the program, in a real browser (npm ci --prefix tests/e2e).
if(DRAGOMAN_NODE AND TARGET dragoman AND NOT dragoman_sanitize)
  foreach(part flows answers talk find colours access hostile load)
    add_test(NAME web.dashboard_${part}_in_the_browser
      COMMAND "${DRAGOMAN_NODE}" "${PROJECT_SOURCE_DIR}/tests/web/dashboard_${part}_check.mjs"
              "${PROJECT_SOURCE_DIR}" "$<TARGET_FILE:dragoman>")
    set_tests_properties(web.dashboard_${part}_in_the_browser PROPERTIES
      SKIP_RETURN_CODE 77 TIMEOUT 1200 COST ${dragoman_long} LABELS "web;e2e")
  endforeach()
endif()

# The official conformance suite of MCP (npm ci --prefix tests/mcp) against the fixture that the
# program itself serves for it.
if(DRAGOMAN_NODE AND TARGET dragoman AND NOT dragoman_sanitize)
  add_test(NAME mcp.conformance
    COMMAND "${DRAGOMAN_NODE}" "${PROJECT_SOURCE_DIR}/tests/mcp/conformance.mjs" "$<TARGET_FILE:dragoman>")
  # The official SDK's client and the inspector list and call all tools, over stdio and HTTP.
  add_test(NAME mcp.clients
    COMMAND "${DRAGOMAN_NODE}" "${PROJECT_SOURCE_DIR}/tests/mcp/delegation_clients.mjs" "$<TARGET_FILE:dragoman>")
  set_tests_properties(mcp.conformance mcp.clients PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT 900 COST ${dragoman_long} LABELS "mcp;e2e")
endif()

find_program(DRAGOMAN_PYTHON python3 REQUIRED)
mark_as_advanced(DRAGOMAN_PYTHON)
if(NOT dragoman_sanitize)
  foreach(check layers house)
    add_test(NAME lint.${check}
      COMMAND "${DRAGOMAN_PYTHON}" "${PROJECT_SOURCE_DIR}/tools/check_${check}" "${PROJECT_SOURCE_DIR}")
    add_test(NAME lint.${check}.finds_what_is_wrong
      COMMAND "${DRAGOMAN_PYTHON}" "${PROJECT_SOURCE_DIR}/tools/check_${check}_test")
    set_tests_properties(lint.${check} lint.${check}.finds_what_is_wrong PROPERTIES LABELS lint)
  endforeach()
endif()

include(Differential)
