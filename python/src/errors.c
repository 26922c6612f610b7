// From a tlu_error to an exception.

#include <errno.h>
#include <string.h>

#include "tlu_python.h"

// The exception of a file that cannot be opened: the sentence ends with the system's reason.
static PyObject *file_error(const char *text)
{
    static const int numbers[] = {ENOENT, EACCES, EISDIR};
    PyObject *types[] = {PyExc_FileNotFoundError, PyExc_PermissionError, PyExc_IsADirectoryError};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const char *reason = strerror(numbers[i]);
        const size_t length = strlen(reason), size = strlen(text);
        if (size > length && strcmp(text + size - length, reason) == 0) {
            return types[i];
        }
    }
    return NULL;
}

PyObject *raise_error(const tlu_error *error)
{
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyObject *text = text_new(error->text);
    if (!text) {
        return NULL;
    }
    PyObject *type = PyExc_ValueError;
    if (error->status == TLU_ERROR_SYSTEM) {
        type = strstr(error->text, "out of memory") ? PyExc_MemoryError : PyExc_OSError;
    } else if (error->status == TLU_INTERRUPTED) {
        type = PyExc_KeyboardInterrupt;
    }
    PyObject *about_file = file_error(error->text);
    PyErr_SetObject(about_file ? about_file : type, text);
    Py_DECREF(text);
    return NULL;
}
