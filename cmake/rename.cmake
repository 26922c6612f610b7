# Gives the internal symbols of an archive the prefix tlupriv_, so that they clash with no name of a
# program that links it: cmake -DNM=... -DOBJCOPY=... -DARCHIVE=... -DSIBLINGS=... -P rename.cmake
# Internal symbols are those that ARCHIVE defines and whose names do not begin with tlu_ or _, and
# those that are already renamed in SIBLINGS, the archives that it uses.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${NM} -gP --defined-only ${ARCHIVE} ${SIBLINGS} OUTPUT_VARIABLE symbols
                ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n[A-Za-z][^ \n]* " names "${symbols}")
list(FILTER names EXCLUDE REGEX "\ntlu_")
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "^\n(tlupriv_)?(.*) $" "\\2 tlupriv_\\2\n")
string(JOIN "" text ${names})
file(WRITE ${ARCHIVE}.names "${text}")
execute_process(COMMAND ${OBJCOPY} --redefine-syms=${ARCHIVE}.names ${ARCHIVE} COMMAND_ERROR_IS_FATAL ANY)
