# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=… -DWORK=… -P check.cmake: makes the packages, unpacks that of the program elsewhere
# and tries what is in it.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
execute_process(COMMAND "${CMAKE_CPACK_COMMAND}" -B "${WORK}/packages" WORKING_DIRECTORY "${BUILD}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB packages "${WORK}/packages/dragoman_*.deb")
file(GLOB library "${WORK}/packages/libdragoman-dev_*.deb")
if(NOT packages OR NOT library)
  message(FATAL_ERROR "two packages were to be made: ${packages} ${library}")
endif()
execute_process(COMMAND dpkg-deb --extract "${packages}" "${WORK}/root" COMMAND_ERROR_IS_FATAL ANY)

foreach(path bin/dragoman lib/systemd/user/dragoman-serve.service
        lib/systemd/user/dragoman-worker.service share/bash-completion/completions/dragoman
        share/zsh/vendor-completions/_dragoman share/fish/vendor_completions.d/dragoman.fish
        share/doc/dragoman/copyright share/man/man1/dragoman.1 share/man/man1/dragoman-run.1)
  if(NOT EXISTS "${WORK}/root/usr/${path}")
    message(FATAL_ERROR "the package has no /usr/${path}")
  endif()
endforeach()
execute_process(COMMAND "${WORK}/root/usr/bin/dragoman" --version
  OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
if(NOT version MATCHES "^dragoman [0-9]")
  message(FATAL_ERROR "the program says '${version}'")
endif()

execute_process(COMMAND dpkg-deb --field "${packages}" Depends OUTPUT_VARIABLE depends)
if(NOT depends MATCHES "libfmt9.*libsimdjson14")
  message(FATAL_ERROR "the package depends on: ${depends}")
endif()

find_program(groff groff)
if(groff)
  file(GLOB pages "${WORK}/root/usr/share/man/man1/*.1")
  foreach(page IN LISTS pages)
    execute_process(COMMAND "${groff}" -man -ww -z "${page}" ERROR_VARIABLE complaints)
    if(complaints)
      message(FATAL_ERROR "${page}: ${complaints}")
    endif()
  endforeach()
endif()
file(REMOVE_RECURSE "${WORK}")
