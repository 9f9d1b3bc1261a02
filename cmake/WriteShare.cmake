# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=… -DSHARE=… -P WriteShare.cmake: manual pages and completions, below SHARE.
function(write path)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE "${SHARE}/${path}" "${text}")
endfunction()

file(REMOVE_RECURSE "${SHARE}")
write(bash-completion/completions/dragoman completion bash)
write(zsh/vendor-completions/_dragoman completion zsh)
write(fish/vendor_completions.d/dragoman.fish completion fish)
write(man/man1/dragoman.1 help --man)
file(STRINGS "${SHARE}/man/man1/dragoman.1" pages REGEX [[^\.B "dragoman\\-[a-z]+\(1\)"]])
foreach(page IN LISTS pages)
  string(REGEX REPLACE [[^\.B "dragoman\\-([a-z]+).*]] [[\1]] command "${page}")
  write(man/man1/dragoman-${command}.1 help --man ${command})
endforeach()
file(TOUCH "${SHARE}/written")
