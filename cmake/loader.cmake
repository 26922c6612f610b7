# The end of an installation: the loader finds a new shared library in the folders of its
# configuration only after ldconfig, and elsewhere not at all. tlu_libdir is the library's folder.
if(NOT "$ENV{DESTDIR}" STREQUAL "" OR NOT tlu_libdir)
    return() # a package in the making, or no shared library
endif()
find_program(tlu_ldconfig ldconfig PATHS /sbin /usr/sbin)
if(NOT tlu_ldconfig)
    return()
endif()
cmake_path(ABSOLUTE_PATH tlu_libdir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)

# Which folders it looks into; this changes nothing.
execute_process(COMMAND ${tlu_ldconfig} -v -N -X OUTPUT_VARIABLE folders ERROR_QUIET)
string(FIND "\n${folders}" "\n${tlu_libdir}:" place)
if(place EQUAL -1)
    message("note: the loader does not look into ${tlu_libdir}: link programs with "
            "-Wl,-rpath,${tlu_libdir}, or set LD_LIBRARY_PATH")
    return()
endif()
execute_process(COMMAND ${tlu_ldconfig} RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
    message("note: ldconfig has told the loader about libtlu in ${tlu_libdir}")
else()
    message("note: run ldconfig as root, so that programs find libtlu in ${tlu_libdir}")
endif()
