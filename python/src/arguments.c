// Arguments of functions that are called too often for a tuple.

#include "tlu_python.h"

int arguments_take(const char *function, const char *const *names, size_t required, size_t limit,
                   PyObject *const *arguments, Py_ssize_t count, PyObject *keywords,
                   PyObject **given)
{
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    if ((size_t)count > limit) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zu arguments", function, limit);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        given[i] = arguments[i];
    }
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *keyword = PyTuple_GET_ITEM(keywords, i);
        size_t at = 0;
        while (at < limit && PyUnicode_CompareWithASCIIString(keyword, names[at]) != 0) {
            at++;
        }
        if (at == limit || given[at]) {
            PyErr_Format(PyExc_TypeError,
                         at == limit ? "%s() got an unexpected keyword argument %R"
                                     : "%s() got two values for argument %R",
                         function, keyword);
            return -1;
        }
        given[at] = arguments[count + i];
    }
    for (size_t i = 0; i < required; i++) {
        if (!given[i]) {
            PyErr_Format(PyExc_TypeError, "%s() is without its argument '%s'", function, names[i]);
            return -1;
        }
    }
    return 0;
}
