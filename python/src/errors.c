// From a tlu_error to an exception.

#include <errno.h>
#include <string.h>

#include "tlu_python.h"

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
    PyErr_SetObject(type, text);
    Py_DECREF(text);
    return NULL;
}
