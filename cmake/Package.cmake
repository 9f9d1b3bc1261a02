# SPDX-License-Identifier: Apache-2.0
# Install and export: find_package(dragoman) gives
#   dragoman::dragoman  the C ABI, libdragoman.so and dragoman.h
#   dragoman::lib       the C++ library, static, headers "dragoman/<module>/x.hpp"
include(CMakePackageConfigHelpers)

add_library(dragoman_lib INTERFACE)
set_target_properties(dragoman_lib PROPERTIES EXPORT_NAME lib)
add_library(dragoman::lib ALIAS dragoman_lib)
set(exported dragoman_lib)
foreach(module IN LISTS dragoman_library_modules)
  target_link_libraries(dragoman_lib INTERFACE dragoman_${module})
  list(APPEND exported dragoman_${module})
endforeach()
if(TARGET dragoman_shared)
  list(APPEND exported dragoman_shared)
  install(FILES "${PROJECT_SOURCE_DIR}/src/dragoman/capi/dragoman.h" TYPE INCLUDE)
endif()
if(TARGET dragoman)
  install(TARGETS dragoman RUNTIME)
endif()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/dragoman")
install(TARGETS ${exported} EXPORT dragoman-targets FILE_SET HEADERS)
install(EXPORT dragoman-targets NAMESPACE dragoman:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/dragoman-config.cmake.in"
  "${PROJECT_BINARY_DIR}/dragoman-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/dragoman-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/dragoman-config.cmake"
  "${PROJECT_BINARY_DIR}/dragoman-config-version.cmake" DESTINATION "${package_dir}")
