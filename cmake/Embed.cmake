# SPDX-License-Identifier: Apache-2.0
# dragoman_embed(MODULE DIR dir) puts every dir/*.json (and dir/*/*.json) into the module, by .incbin,
# and generates the function that lists them:
#
#   std::span<const dragoman::EmbeddedFile> dragoman::embedded_<dir>();
#
# The module declares that function in one of its own headers, next to "dragoman/base/embedded.hpp".
# Names are relative to dir and sorted.
function(dragoman_embed module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIR" "")
  set(root "${PROJECT_SOURCE_DIR}/${arg_DIR}")
  file(GLOB files CONFIGURE_DEPENDS RELATIVE "${root}" "${root}/*.json" "${root}/*/*.json")
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
    set(symbol "dragoman_${arg_DIR}_${index}")
    string(APPEND assembly
      ".global ${symbol}_begin\n.hidden ${symbol}_begin\n"
      ".global ${symbol}_end\n.hidden ${symbol}_end\n"
      ".balign 16\n${symbol}_begin:\n.incbin \"${root}/${file}\"\n${symbol}_end:\n.byte 0\n")
    string(APPEND declarations "extern const char ${symbol}_begin[];\nextern const char ${symbol}_end[];\n")
    string(APPEND rows "      piece(\"${file}\", ${symbol}_begin, ${symbol}_end),\n")
    list(APPEND paths "${root}/${file}")
    math(EXPR index "${index} + 1")
  endforeach()
  string(APPEND assembly ".section .note.GNU-stack,\"\",@progbits\n")

  set(DIR "${arg_DIR}")
  set(COUNT "${index}")
  set(DECLARATIONS "${declarations}")
  set(ROWS "${rows}")
  set(base "${PROJECT_BINARY_DIR}/generated/embedded_${arg_DIR}")
  file(CONFIGURE OUTPUT "${base}.S" CONTENT "${assembly}" @ONLY)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/embedded.cpp.in" "${base}.cpp" @ONLY)
  set_source_files_properties("${base}.S" PROPERTIES OBJECT_DEPENDS "${paths}")
  target_sources(dragoman_${module} PRIVATE "${base}.S" "${base}.cpp")
endfunction()
