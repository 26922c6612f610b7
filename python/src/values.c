// Lists and dicts of what the library returns.

#include "tlu_python.h"

PyObject *list_new(size_t count, PyObject *(*make)(const void *context, size_t index),
                   const void *context)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *item = make(context, i);
        if (!item) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
    return list;
}

static PyObject *count_at(const void *context, size_t index)
{
    return PyLong_FromUnsignedLongLong(((const uint64_t *)context)[index]);
}

PyObject *counts_new(const uint64_t *counts, size_t count)
{
    return list_new(count, count_at, counts);
}

static PyObject *number_at(const void *context, size_t index)
{
    return PyFloat_FromDouble(((const double *)context)[index]);
}

PyObject *numbers_new(const double *numbers, size_t count)
{
    return list_new(count, number_at, numbers);
}

int set_item(PyObject *dict, const char *key, PyObject *value)
{
    const int done = dict && value ? PyDict_SetItemString(dict, key, value) : -1;
    Py_XDECREF(value);
    return done;
}
