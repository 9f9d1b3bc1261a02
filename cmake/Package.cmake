# SPDX-License-Identifier: Apache-2.0
# Install and export, in two components:
#   tool     the program, its manual pages, completions and units of systemd
#   library  find_package(dragoman) gives
#     dragoman::dragoman  the C ABI, libdragoman.so and dragoman.h
#     dragoman::lib       the C++ library, static, headers "dragoman/<module>/x.hpp"
# `./dev package` makes a Debian package of each.
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
  install(FILES "${PROJECT_SOURCE_DIR}/src/dragoman/capi/dragoman.h" TYPE INCLUDE COMPONENT library)
endif()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/dragoman")
install(TARGETS ${exported} EXPORT dragoman-targets COMPONENT library
  FILE_SET HEADERS COMPONENT library)
install(EXPORT dragoman-targets NAMESPACE dragoman:: DESTINATION "${package_dir}" COMPONENT library)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/dragoman-config.cmake.in"
  "${PROJECT_BINARY_DIR}/dragoman-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/dragoman-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/dragoman-config.cmake"
  "${PROJECT_BINARY_DIR}/dragoman-config-version.cmake"
  DESTINATION "${package_dir}" COMPONENT library)

if(TARGET dragoman AND NOT dragoman_sanitize)
  # The program itself writes what tells about it, so that none of it says anything else.
  set(share "${PROJECT_BINARY_DIR}/share")
  add_custom_command(OUTPUT "${share}/written"
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:dragoman>" "-DSHARE=${share}"
      -P "${PROJECT_SOURCE_DIR}/cmake/WriteShare.cmake"
    DEPENDS dragoman "${PROJECT_SOURCE_DIR}/cmake/WriteShare.cmake" VERBATIM)
  add_custom_target(dragoman_share ALL DEPENDS "${share}/written")

  install(TARGETS dragoman RUNTIME COMPONENT tool)
  install(DIRECTORY "${share}/" DESTINATION "${CMAKE_INSTALL_DATADIR}" COMPONENT tool
    PATTERN written EXCLUDE)
  install(FILES packaging/dragoman-serve.service packaging/dragoman-worker.service
    DESTINATION lib/systemd/user COMPONENT tool)
  install(FILES LICENSE RENAME copyright
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/dragoman" COMPONENT tool)
  install(FILES LICENSE RENAME copyright
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libdragoman-dev" COMPONENT library)
  install(FILES README.md CHANGELOG.md
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/dragoman" COMPONENT tool)
endif()

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # what is installed is built; tests need not be
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/package")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "dragoman <dragoman@localhost>")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tool library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME dragoman)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "git, libnats3.4, nats-server")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "Runs and supervises coding agents, carries their questions to
people and shows everything live, in a terminal and in a browser.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libdragoman-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libfmt-dev, libsimdjson-dev, libre2-dev, pkg-config")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The C++20 library and the C interface behind dragoman.")
include(CPack)
