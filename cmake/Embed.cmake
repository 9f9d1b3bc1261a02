# SPDX-License-Identifier: Apache-2.0
# dragoman_embed(MODULE DIR dir [NAME name] [FILES pattern...]) puts every dir/*.json (and
# dir/*/*.json, or what the patterns name) into the module, by .incbin, and generates the function
# that lists them:
#
#   std::span<const dragoman::EmbeddedFile> dragoman::embedded_<name>();
#
# The module declares that function in one of its own headers, next to "dragoman/base/embedded.hpp".
# The name is that of the directory unless another is given. Names of files are relative to dir and
# sorted. A directory that does not exist gives an empty list.
function(dragoman_embed module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIR;NAME" "FILES")
  set(root "${PROJECT_SOURCE_DIR}/${arg_DIR}")
  if(NOT arg_FILES)
    set(arg_FILES "*.json" "*/*.json")
  endif()
  if(NOT arg_NAME)
    set(arg_NAME "${arg_DIR}")
  endif()
  list(TRANSFORM arg_FILES PREPEND "${root}/")
  file(GLOB files CONFIGURE_DEPENDS LIST_DIRECTORIES false RELATIVE "${root}" ${arg_FILES})
  get_target_property(type dragoman_${module} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    return()  # a module without sources has nothing that could read them
  endif()
  list(SORT files)

  set(assembly "// Generated from ${arg_DIR}/.\n.section .rodata\n")
  set(declarations "")
  set(rows "")
  set(paths "")
  set(index 0)
  foreach(file IN LISTS files)
    set(symbol "dragoman_${arg_NAME}_${index}")
    string(APPEND assembly
      ".global ${symbol}_begin\n.hidden ${symbol}_begin\n"
      ".global ${symbol}_end\n.hidden ${symbol}_end\n"
      ".balign 16\n${symbol}_begin:\n.incbin \"${root}/${file}\"\n${symbol}_end:\n.byte 0\n")
    string(APPEND declarations "extern const char ${symbol}_begin[];\nextern const char ${symbol}_end[];\n")
    string(APPEND rows "      {\"${file}\", {${symbol}_begin, ${symbol}_end}},\n")
    list(APPEND paths "${root}/${file}")
    math(EXPR index "${index} + 1")
  endforeach()
  string(APPEND assembly ".section .note.GNU-stack,\"\",@progbits\n")

  set(DIR "${arg_DIR}")
  set(NAME "${arg_NAME}")
  set(COUNT "${index}")
  set(DECLARATIONS "${declarations}")
  set(ROWS "${rows}")
  set(base "${PROJECT_BINARY_DIR}/generated/embedded_${arg_NAME}")
  file(CONFIGURE OUTPUT "${base}.S" CONTENT "${assembly}" @ONLY)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/embedded.cpp.in" "${base}.cpp" @ONLY)
  set_source_files_properties("${base}.S" PROPERTIES OBJECT_DEPENDS "${paths}")
  target_sources(dragoman_${module} PRIVATE "${base}.S" "${base}.cpp")
endfunction()
