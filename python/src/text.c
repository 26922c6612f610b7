// Texts between Python and the library.

#include <string.h>

#include "tlu_python.h"

PyObject *text_new(const char *text)
{
    if (!text) {
        Py_RETURN_NONE;
    }
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

static PyObject *checked_bytes(PyObject *bytes, const char **text)
{
    char *start;
    if (!bytes || PyBytes_AsStringAndSize(bytes, &start, NULL) != 0) { // a NUL is a ValueError
        Py_XDECREF(bytes);
        return NULL;
    }
    *text = start;
    return bytes;
}

PyObject *text_bytes(PyObject *object, const char **text)
{
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "expected str, not %.200s", Py_TYPE(object)->tp_name);
        return NULL;
    }
    return checked_bytes(PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape"), text);
}

PyObject *path_bytes(PyObject *object, const char **path)
{
    PyObject *bytes;
    return PyUnicode_FSConverter(object, &bytes) ? checked_bytes(bytes, path) : NULL;
}
