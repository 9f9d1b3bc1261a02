# SPDX-License-Identifier: Apache-2.0
# A module is a directory src/dragoman/<name> with headers and sources together; files are found by
# globbing, so adding one needs no change here. Sources named main.cpp belong to a program.

set_property(GLOBAL PROPERTY DRAGOMAN_MODULES "")

# The library is optimised for speed, and under sanitizers as well, since its tests read a lot. The tool
# waits for files, processes and people: with less it compiles a fifth faster, with none twice as fast.
set(dragoman_tool_options)
if(dragoman_sanitize)
  set(dragoman_tool_options -O0)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(dragoman_tool_options -O2)
endif()

# Turns the words after USES into targets.
function(dragoman_resolve out)
  set(targets)
  foreach(word IN LISTS ARGN)
    if(DEFINED DRAGOMAN_USES_${word})
      list(APPEND targets ${DRAGOMAN_USES_${word}})
    elseif(TARGET dragoman_${word})
      list(APPEND targets dragoman_${word})
    else()
      message(FATAL_ERROR "USES ${word}: neither a module declared above nor a third-party library")
    endif()
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# dragoman_module(NAME USES word...) -> target dragoman_NAME, exported as dragoman::NAME.
# A module without sources is an INTERFACE library: headers alone are fine.
function(dragoman_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/dragoman/${name}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(target dragoman_${name})
  set(scope PUBLIC)
  if(sources)
    add_library(${target} STATIC ${sources})
    dragoman_own(${target})
    # Readers empty small structs for each line. GCC would do that with `rep stos`, which takes longer
    # to begin than to write a few hundred bytes.
    if(NOT dragoman_library_modules AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
      target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign>)
    endif()
    if(dragoman_library_modules)
      target_compile_options(${target} PRIVATE ${dragoman_tool_options})
      dragoman_precompile(${target} tool)
      dragoman_compile_together(${target})
    else()
      dragoman_precompile(${target} library)
      dragoman_compile_families(${target})
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  dragoman_resolve(uses ${arg_USES})
  target_link_libraries(${target} ${scope} ${uses})
  target_compile_features(${target} ${scope} cxx_std_20)
  # A file set is installed, gives the include directory, and lets the dev preset compile each header
  # by itself.
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/dragoman/${name}/*.hpp")
  target_sources(${target} ${scope}
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src" FILES ${headers})
  if(NOT headers)
    target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  add_library(dragoman::${name} ALIAS ${target})
  set_property(GLOBAL APPEND PROPERTY DRAGOMAN_MODULES ${name})
endfunction()

# dragoman_c_library(NAME USES word...) -> libdragoman.so from src/dragoman/NAME, exported as
# dragoman::dragoman. It links the modules' archives and shows the C functions alone.
function(dragoman_c_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/dragoman/${name}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_library(dragoman_shared SHARED ${sources})
  dragoman_own(dragoman_shared)
  dragoman_resolve(uses ${arg_USES})
  foreach(use IN LISTS uses)
    target_link_libraries(dragoman_shared PRIVATE $<BUILD_INTERFACE:${use}>)
  endforeach()
  # Hidden visibility leaves the standard library's templates visible; the map does not.
  set(map "${PROJECT_SOURCE_DIR}/src/dragoman/${name}/dragoman.map")
  target_link_options(dragoman_shared PRIVATE "LINKER:--version-script=${map}")
  set_property(TARGET dragoman_shared APPEND PROPERTY LINK_DEPENDS "${map}")
  target_include_directories(dragoman_shared PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/dragoman/${name}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(dragoman_shared PROPERTIES
    OUTPUT_NAME dragoman EXPORT_NAME dragoman
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  add_library(dragoman::dragoman ALIAS dragoman_shared)
endfunction()

# dragoman_program(NAME MAIN module): the executable of src/dragoman/<module>/main.cpp.
function(dragoman_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MAIN" "")
  file(GLOB main CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/dragoman/${arg_MAIN}/main.cpp")
  if(NOT main)
    return()
  endif()
  add_executable(${name} ${main})
  dragoman_own(${name})
  # The loader looks thousands of names up for the C++ library: it is asked before all others.
  if(NOT dragoman_sanitize)
    target_link_libraries(${name} PRIVATE stdc++)
  endif()
  target_link_libraries(${name} PRIVATE dragoman_${arg_MAIN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()
