# Writes the version script of a shared library that consists of the objects of ARCHIVE:
# cmake -DNM=... -DARCHIVE=... -DUSERS=... -DPUBLIC=... -DPRIVATE=... -DMAP=... -P exports.cmake
# It exports the functions of the public header, tlu_*, under the version PUBLIC, and the internal
# symbols that the archives USERS need under the version PRIVATE.
cmake_minimum_required(VERSION 3.25)
function(list_names result)
    execute_process(COMMAND ${NM} -gP ${ARGN} OUTPUT_VARIABLE symbols ERROR_QUIET
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "tlupriv_[^ \n]* " names "${symbols}")
    list(REMOVE_DUPLICATES names)
    set(${result} ${names} PARENT_SCOPE)
endfunction()

list_names(own --defined-only ${ARCHIVE})
list_names(needed --undefined-only ${USERS})
set(text "${PUBLIC} {\n    global: tlu_*;\n    local: *;\n};\n")
set(exports "")
foreach(name ${needed})
    if(name IN_LIST own)
        string(STRIP "${name}" name)
        string(APPEND exports "    ${name};\n")
    endif()
endforeach()
if(exports)
    string(APPEND text "${PRIVATE} {\n    global:\n${exports}} ${PUBLIC};\n")
endif()
file(WRITE ${MAP} "${text}")
