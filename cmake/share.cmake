# Asks the command for its manual pages and completions: cmake -DTLU=... -DSHARE=... -P share.cmake

function(write_output file) # of the command with the other arguments
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY ${SHARE}/${folder})
    execute_process(COMMAND ${TLU} ${ARGN} OUTPUT_FILE ${SHARE}/${file} RESULT_VARIABLE status)
    file(SIZE ${SHARE}/${file} size)
    if(NOT status EQUAL 0 OR size EQUAL 0)
        list(JOIN ARGN " " arguments)
        message(FATAL_ERROR "tlu ${arguments} printed ${size} bytes, status ${status}")
    endif()
endfunction()

file(REMOVE_RECURSE ${SHARE})
write_output(verbs --verbs)
file(STRINGS ${SHARE}/verbs verbs)
write_output(man/man1/tlu.1 --man)
foreach(verb ${verbs})
    write_output(man/man1/tlu-${verb}.1 --man ${verb})
endforeach()
write_output(bash-completion/completions/tlu --completion bash)
write_output(zsh/site-functions/_tlu --completion zsh)
file(TOUCH ${SHARE}/made)
