// Options as dicts.

#include <string.h>

#include "tlu_python.h"

// The value as the text that tlu_options_set takes: a new str, or NULL with an exception.
static PyObject *value_text(PyObject *value)
{
    if (PyBool_Check(value)) {
        return PyUnicode_FromString(value == Py_True ? "yes" : "no");
    }
    if (PyUnicode_Check(value)) {
        return Py_NewRef(value);
    }
    if (PyFloat_Check(value) || PyLong_Check(value)) {
        return PyObject_Str(value);
    }
    if (PyIndex_Check(value)) { // NumPy's integers
        PyObject *number = PyNumber_Index(value);
        PyObject *text = number ? PyObject_Str(number) : NULL;
        Py_XDECREF(number);
        return text;
    }
    PyObject *number = PyNumber_Float(value); // NumPy's numbers
    if (!number) {
        return NULL;
    }
    PyObject *text = PyObject_Str(number);
    Py_DECREF(number);
    return text;
}

static int set_text(tlu_options *options, const char *name, PyObject *value)
{
    PyObject *text = value_text(value);
    const char *bytes;
    PyObject *owner = text ? text_bytes(text, &bytes) : NULL;
    tlu_error error;
    int done = -1;
    if (owner && tlu_options_set(options, name, bytes, &error) == TLU_OK) {
        done = 0;
    } else if (owner) {
        raise_error(&error);
    }
    Py_XDECREF(owner);
    Py_XDECREF(text);
    return done;
}

// A dict {label: weight} is the list LABEL=WEIGHT.
static int set_pairs(tlu_options *options, const char *name, PyObject *pairs)
{
    Py_ssize_t place = 0;
    PyObject *key;
    PyObject *value;
    while (PyDict_Next(pairs, &place, &key, &value)) {
        PyObject *text = value_text(value);
        PyObject *pair = text ? PyUnicode_FromFormat("%S=%U", key, text) : NULL;
        const int done = pair ? set_text(options, name, pair) : -1;
        Py_XDECREF(pair);
        Py_XDECREF(text);
        if (done != 0) {
            return -1;
        }
    }
    return 0;
}

// A tuple of two numbers is a range A:B; any other sequence is a list.
static int set_sequence(tlu_options *options, const tlu_option_info *info, PyObject *sequence)
{
    PyObject *items = PySequence_Fast(sequence, "expected a sequence");
    if (!items) {
        return -1;
    }
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(items);
    int done = 0;
    if (info->type == TLU_OPTION_RANGE && count == 2) {
        PyObject *from = value_text(PySequence_Fast_GET_ITEM(items, 0));
        PyObject *to = value_text(PySequence_Fast_GET_ITEM(items, 1));
        PyObject *range = from && to ? PyUnicode_FromFormat("%U:%U", from, to) : NULL;
        done = range ? set_text(options, info->name, range) : -1;
        Py_XDECREF(from);
        Py_XDECREF(to);
        Py_XDECREF(range);
    } else if (info->type == TLU_OPTION_LIST) {
        for (Py_ssize_t i = 0; i < count && done == 0; i++) {
            done = set_text(options, info->name, PySequence_Fast_GET_ITEM(items, i));
        }
    } else { // layers: (64, 32) is "64,32"
        PyObject *comma = PyUnicode_FromString(",");
        PyObject *texts = PyList_New(0);
        for (Py_ssize_t i = 0; comma && texts && i < count && done == 0; i++) {
            PyObject *text = value_text(PySequence_Fast_GET_ITEM(items, i));
            done = text ? PyList_Append(texts, text) : -1;
            Py_XDECREF(text);
        }
        PyObject *joined = comma && texts && done == 0 ? PyUnicode_Join(comma, texts) : NULL;
        done = joined ? set_text(options, info->name, joined) : -1;
        Py_XDECREF(joined);
        Py_XDECREF(texts);
        Py_XDECREF(comma);
    }
    Py_DECREF(items);
    return done;
}

// ValueError for a name that no option has: with its new name, or the nearest one. Returns -1.
static int refuse_name(tlu_options *options, const char *hyphened, PyObject *key)
{
    tlu_error error;
    if (tlu_options_set(options, hyphened, "", &error) != TLU_OK &&
        strstr(error.text, " is now ")) {
        raise_error(&error);
        return -1;
    }
    PyObject *names = PyList_New(0);
    const tlu_option_info *info;
    for (size_t i = 0; names && (info = tlu_option_at(i)) != NULL; i++) {
        PyObject *hyphens = PyUnicode_FromString(info->name);
        PyObject *name = hyphens ? PyObject_CallMethod(hyphens, "replace", "ss", "-", "_") : NULL;
        if (!name || PyList_Append(names, name) != 0) {
            Py_CLEAR(names);
        }
        Py_XDECREF(hyphens);
        Py_XDECREF(name);
    }
    PyObject *difflib = names ? PyImport_ImportModule("difflib") : NULL;
    PyObject *near =
        difflib ? PyObject_CallMethod(difflib, "get_close_matches", "OOi", key, names, 1) : NULL;
    if (near && PyList_GET_SIZE(near) > 0) {
        PyErr_Format(PyExc_ValueError, "there is no option '%U'; did you mean '%U'?", key,
                     PyList_GET_ITEM(near, 0));
    } else if (near) {
        PyErr_Format(PyExc_ValueError, "there is no option '%U'", key);
    }
    Py_XDECREF(near);
    Py_XDECREF(difflib);
    Py_XDECREF(names);
    return -1;
}

static int set_option(tlu_options *options, PyObject *key, PyObject *value)
{
    PyObject *underscore = PyUnicode_FromString("_");
    PyObject *hyphen = PyUnicode_FromString("-");
    PyObject *name = underscore && hyphen ? PyUnicode_Replace(key, underscore, hyphen, -1) : NULL;
    const char *bytes;
    PyObject *owner = name ? text_bytes(name, &bytes) : NULL;
    int done = -1;
    if (owner) {
        const tlu_option_info *info = tlu_option_find(bytes);
        const int is_sequence = PyList_Check(value) || PyTuple_Check(value);
        if (!info) {
            done = refuse_name(options, bytes, key);
        } else if (PyDict_Check(value)) {
            done = set_pairs(options, bytes, value);
        } else if (is_sequence) {
            done = set_sequence(options, info, value);
        } else {
            done = set_text(options, bytes, value);
        }
    }
    Py_XDECREF(owner);
    Py_XDECREF(name);
    Py_XDECREF(hyphen);
    Py_XDECREF(underscore);
    return done;
}

int options_from_dict(PyObject *dict, tlu_options **options)
{
    tlu_error error;
    if (tlu_options_new(options, &error) != TLU_OK) {
        raise_error(&error);
        return -1;
    }
    if (!dict || dict == Py_None) {
        return 0;
    }
    Py_ssize_t place = 0;
    PyObject *key;
    PyObject *value;
    int done = 0;
    if (!PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "expected a dict of options, not %.200s",
                     Py_TYPE(dict)->tp_name);
        done = -1;
    }
    while (done == 0 && PyDict_Next(dict, &place, &key, &value)) {
        if (value != Py_None) {
            done = set_option(*options, key, value);
        }
    }
    if (done != 0) {
        tlu_options_free(*options);
        *options = NULL;
    }
    return done;
}

PyObject *options_to_dict(const tlu_options *options, int all)
{
    PyObject *dict = PyDict_New();
    const tlu_option_info *info;
    for (size_t i = 0; dict && (info = tlu_option_at(i)) != NULL; i++) {
        const char *value = tlu_options_get(options, info->name);
        if (!all && strcmp(value, info->value) == 0) {
            continue;
        }
        PyObject *text = text_new(value);
        if (!text || PyDict_SetItemString(dict, info->name, text) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(text);
    }
    return dict;
}
