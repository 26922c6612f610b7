// From a tlu_error to an exception.

#include <errno.h>
#include <string.h>

#include "tlu_python.h"

// The type for what the system says at the end of a message, as of open(); NULL: it says nothing
// that has a type of its own.
static PyObject *type_of_system(const char *text)
{
    const struct {
        int number;
        PyObject *type;
    } types[] = {{ENOENT, PyExc_FileNotFoundError},
                 {EACCES, PyExc_PermissionError},
                 {EISDIR, PyExc_IsADirectoryError}};
    const size_t length = strlen(text);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const char *reason = strerror(types[i].number);
        const size_t size = strlen(reason);
        if (length > size + 2 && strcmp(text + length - size, reason) == 0 &&
            memcmp(text + length - size - 2, ": ", 2) == 0) {
            return types[i].type;
        }
    }
    return NULL;
}

// The sentence. Of data in memory the place in a row is that in a text that the caller has not
// seen.
static PyObject *error_text(const tlu_error *error)
{
    const char *rest = error->text;
    for (int colons = 0; colons < 3 && rest; colons++) {
        rest = strchr(rest, ':');
        rest += rest != NULL;
    }
    if (strcmp(error->file, ROWS_NAME) != 0 || !error->line || !error->column || !rest) {
        return text_new(error->text);
    }
    PyObject *reason = text_new(rest);
    PyObject *text = reason ? PyUnicode_FromFormat("%s:%llu:%U", error->file,
                                                   (unsigned long long)error->line, reason)
                            : NULL;
    Py_XDECREF(reason);
    return text;
}

PyObject *raise_error(const tlu_error *error)
{
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyObject *text = error_text(error);
    if (!text) {
        return NULL;
    }
    PyObject *type = type_of_system(error->text);
    if (type) {
        // A file that is missing is no wrong value.
    } else if (error->status == TLU_ERROR_SYSTEM) {
        type = strstr(error->text, "out of memory") ? PyExc_MemoryError : PyExc_OSError;
    } else if (error->status == TLU_INTERRUPTED) {
        type = PyExc_KeyboardInterrupt;
    } else {
        type = PyExc_ValueError;
    }
    PyErr_SetObject(type, text);
    Py_DECREF(text);
    return NULL;
}
