# The end of an installation: the loader finds new shared libraries in the folders of its
# configuration only after ldconfig, and elsewhere not at all. tlu_libdir is the folder of libtlu.
if(NOT "$ENV{DESTDIR}" STREQUAL "" OR NOT tlu_libdir)
    return() # a package is being made, or there is no shared library
endif()
find_program(tlu_ldconfig ldconfig PATHS /sbin /usr/sbin)
if(NOT tlu_ldconfig)
    return()
endif()
cmake_path(ABSOLUTE_PATH tlu_libdir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)

# -v -N -X prints the folders that the loader searches, and changes nothing.
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
