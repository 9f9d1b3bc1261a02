# SPDX-License-Identifier: Apache-2.0
# Maps the words after USES to imported targets. Debian packages only, nothing is downloaded.
# cmake/dragoman-config.cmake.in repeats the ones that the installed library links.

find_package(fmt 9.1 REQUIRED)
find_package(simdjson 3.0 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)  # Debian's re2 has no CMake package
# Every shared library costs every start a tenth of a millisecond: headers alone, where that is enough.
pkg_check_modules(tomlplusplus REQUIRED tomlplusplus)
find_package(Boost 1.81 REQUIRED)                    # headers alone: Asio, Beast
find_package(Threads REQUIRED)
set(OPENSSL_USE_STATIC_LIBS TRUE)                      # a shared one costs every start a millisecond
find_package(OpenSSL 3.0 REQUIRED)
# SQLite, cmark-gfm and utf8proc are linked whole: the program then needs no more of them than it
# brings.
find_library(DRAGOMAN_SQLITE NAMES libsqlite3.a REQUIRED)
find_library(DRAGOMAN_CMARK NAMES libcmark-gfm.a REQUIRED)
find_library(DRAGOMAN_CMARK_EXTENSIONS NAMES libcmark-gfm-extensions.a REQUIRED)
find_library(DRAGOMAN_UTF8PROC NAMES libutf8proc.a REQUIRED)
mark_as_advanced(DRAGOMAN_SQLITE DRAGOMAN_CMARK DRAGOMAN_CMARK_EXTENSIONS DRAGOMAN_UTF8PROC)

set(DRAGOMAN_USES_fmt fmt::fmt)
set(DRAGOMAN_USES_simdjson simdjson::simdjson)
set(DRAGOMAN_USES_re2 PkgConfig::re2)
set(DRAGOMAN_USES_cli11 CLI11::CLI11)
set(DRAGOMAN_USES_utf8proc "${DRAGOMAN_UTF8PROC}")
set(DRAGOMAN_USES_toml "")
set(DRAGOMAN_USES_asio Boost::headers Threads::Threads)
set(DRAGOMAN_USES_openssl OpenSSL::SSL OpenSSL::Crypto)
set(DRAGOMAN_USES_sqlite "${DRAGOMAN_SQLITE}" Threads::Threads m)
set(DRAGOMAN_USES_cmark "${DRAGOMAN_CMARK_EXTENSIONS}" "${DRAGOMAN_CMARK}")

if(DRAGOMAN_TESTS STREQUAL "AUTO")
  find_package(GTest 1.12 QUIET)
  find_package(nlohmann_json 3.11 QUIET)
elseif(DRAGOMAN_TESTS)
  find_package(GTest 1.12 REQUIRED)
  find_package(nlohmann_json 3.11 REQUIRED)
endif()
if(GTest_FOUND AND nlohmann_json_FOUND)
  set(dragoman_build_tests ON)
else()
  set(dragoman_build_tests OFF)
  message(STATUS "dragoman: tests are not built (DRAGOMAN_TESTS=${DRAGOMAN_TESTS})")
endif()
