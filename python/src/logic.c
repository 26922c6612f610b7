// Boolean functions as threshold units.

#include <string.h>

#include <tlu_logic.h>

#include "tlu_python.h"

static int append_bytes(void *context, const char *bytes, size_t size)
{
    PyObject **text = context;
    PyObject *part = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)size, "replace");
    if (!part) {
        return 1;
    }
    PyUnicode_Append(text, part); // sets *text to NULL on failure
    Py_DECREF(part);
    return *text == NULL;
}

static PyObject *network_text(const tlu_network *network)
{
    tlu_error error;
    if (!network) {
        Py_RETURN_NONE;
    }
    PyObject *text = PyUnicode_FromString("");
    if (text && tlu_network_write(network, "text", append_bytes, &text, &error) != TLU_OK) {
        Py_CLEAR(text);
        return raise_error(&error);
    }
    return text;
}

static PyObject *signed_list(const int64_t *numbers, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && numbers && i < count; i++) {
        PyObject *number = PyLong_FromLongLong(numbers[i]);
        if (!number || PyList_Append(list, number) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(number);
    }
    return list;
}

static PyObject *contradiction(const tlu_threshold_unit *unit)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < unit->count; i++) {
        PyObject *pair = Py_BuildValue("(IL)", (unsigned)unit->rows[i], (long long)unit->times[i]);
        if (!pair || PyList_Append(list, pair) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(pair);
    }
    return list;
}

static PyObject *unit_dict(const tlu_function *function, const tlu_threshold_unit *unit,
                           size_t output)
{
    PyObject *weights = signed_list(unit->weights, unit->inputs);
    PyObject *rows = weights ? contradiction(unit) : NULL;
    if (!rows) {
        Py_XDECREF(weights);
        return NULL;
    }
    return Py_BuildValue("{s:N,s:O,s:N,s:L,s:N,s:O}", "output",
                         text_new(tlu_function_output_name(function, output)), "is_threshold",
                         unit->is_threshold ? Py_True : Py_False, "weights", weights, "threshold",
                         (long long)unit->threshold, "contradiction", rows, "smallest",
                         unit->smallest ? Py_True : Py_False);
}

static PyObject *result_dict(const tlu_function *function, const tlu_realisation *realisation)
{
    PyObject *inputs = PyList_New(0);
    PyObject *units = PyList_New(0);
    for (size_t i = 0; inputs && i < tlu_function_input_count(function); i++) {
        PyObject *name = text_new(tlu_function_input_name(function, i));
        if (!name || PyList_Append(inputs, name) != 0) {
            Py_CLEAR(inputs);
        }
        Py_XDECREF(name);
    }
    for (size_t i = 0; units && i < realisation->outputs; i++) {
        PyObject *unit = unit_dict(function, realisation->units[i], i);
        if (!unit || PyList_Append(units, unit) != 0) {
            Py_CLEAR(units);
        }
        Py_XDECREF(unit);
    }
    PyObject *network = inputs && units ? network_text(realisation->network) : NULL;
    if (!network) {
        Py_XDECREF(inputs);
        Py_XDECREF(units);
        return NULL;
    }
    return Py_BuildValue("{s:N,s:N,s:N,s:n,s:n}", "inputs", inputs, "units", units, "network",
                         network, "network_units", (Py_ssize_t)realisation->network_units, "hidden",
                         (Py_ssize_t)realisation->hidden);
}

static PyObject *logic(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"expression", "table",   "inputs", "smallest",
                            "network",    "seconds", NULL};
    (void)module;
    const char *expression = NULL;
    const char *table = NULL;
    const char *inputs = NULL;
    tlu_function *function;
    tlu_realisation *realisation;
    tlu_error error;
    tlu_realise_settings settings = {.size = sizeof settings};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|zzzppd", names, &expression, &table,
                                     &inputs, &settings.smallest, &settings.network,
                                     &settings.seconds)) {
        return NULL;
    }
    if (!expression == !table) {
        PyErr_SetString(PyExc_ValueError, "expected an expression or a table of values");
        return NULL;
    }
    tlu_status status = expression
                            ? tlu_function_from_expression(expression, inputs, &function, &error)
                            : tlu_function_from_table(table, inputs, &function, &error);
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    struct call call;
    call_begin(&call, NULL);
    status = tlu_function_realise(function, &settings, &realisation, &error);
    call_end(&call);
    PyObject *result = NULL;
    if (status == TLU_OK) {
        result = result_dict(function, realisation);
        tlu_realisation_free(realisation);
    } else {
        raise_error(&error);
    }
    tlu_function_free(function);
    return result;
}

static PyMethodDef functions[] = {
    {"logic", (PyCFunction)(void (*)(void))logic, METH_VARARGS | METH_KEYWORDS,
     "logic(expression=None, table=None, inputs=None, smallest=False, network=False, seconds=0)"},
    {NULL},
};

int add_logic(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
