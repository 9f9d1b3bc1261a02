# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=nm -DLIBRARY=libdragoman.so -P check_exports.cmake
execute_process(COMMAND "${NM}" --dynamic --defined-only --format=posix "${LIBRARY}"
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
set(count 0)
foreach(symbol IN LISTS symbols)
  if(symbol MATCHES "^dragoman_[a-z_]+(@@[A-Z_0-9]+)? T ")
    math(EXPR count "${count} + 1")
  elseif(NOT symbol MATCHES "^DRAGOMAN_[0-9]+(@@[A-Z_0-9]+)? A ")
    message(FATAL_ERROR "exported besides the C functions: ${symbol}")
  endif()
endforeach()
if(count LESS 8)
  message(FATAL_ERROR "only ${count} of the C functions are exported")
endif()
