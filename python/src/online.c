// The type Online: a tlu_learner that learns Rows, for partial_fit.

#include <stdlib.h>
#include <string.h>

#include "tlu_python.h"

#define NO_FEATURE UINT32_MAX

struct online_object {
    PyObject_HEAD tlu_learner *learner;
    int is_busy;       // a thread learns without the GIL
    uint32_t *numbers; // [number_count] the learner's feature of a column, or NO_FEATURE
    size_t number_count;
    uint32_t *features; // [capacity] of the current row
    float *values;
    size_t capacity;
};

static void online_dealloc(PyObject *object)
{
    struct online_object *self = (struct online_object *)object;
    tlu_learner_free(self->learner);
    free(self->numbers);
    free(self->features);
    free(self->values);
    Py_TYPE(object)->tp_free(object);
}

static int online_init(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"options", "model", NULL};
    struct online_object *self = (struct online_object *)object;
    PyObject *dict = NULL, *from = NULL;
    tlu_error error;
    tlu_status status;
    if (self->learner) {
        PyErr_SetString(PyExc_TypeError, "Online cannot be initialised again");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO", names, &dict, &from)) {
        return -1;
    }
    if (from && from != Py_None) {
        const tlu_model *model = model_unwrap(from);
        if (!model) {
            return -1;
        }
        status = tlu_learner_resume(model, &self->learner, &error);
    } else {
        tlu_options *options;
        if (options_from_dict(dict, &options) != 0) {
            return -1;
        }
        status = tlu_learner_new(options, &self->learner, &error);
        tlu_options_free(options);
    }
    if (status != TLU_OK) {
        raise_error(&error);
        return -1;
    }
    return 0;
}

static int is_usable(struct online_object *self)
{
    if (!self->learner) {
        PyErr_SetString(PyExc_TypeError, "Online was not initialised");
    } else if (self->is_busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is training this learner");
    }
    return self->learner && !self->is_busy;
}

// ---- one row ------------------------------------------------------------------------------------

static tlu_status fail_memory(tlu_error *error)
{
    *error = (tlu_error){.status = TLU_ERROR_SYSTEM, .text = "out of memory"};
    return TLU_ERROR_SYSTEM;
}

static tlu_status reserve(struct online_object *self, size_t columns, size_t entries,
                          tlu_error *error)
{
    if (columns > self->number_count) {
        const size_t count = columns > 2 * self->number_count ? columns : 2 * self->number_count;
        uint32_t *numbers = realloc(self->numbers, count * sizeof *numbers);
        if (!numbers) {
            return fail_memory(error);
        }
        memset(numbers + self->number_count, 0xFF,
               (count - self->number_count) * sizeof *numbers); // NO_FEATURE
        self->numbers = numbers;
        self->number_count = count;
    }
    if (entries > self->capacity) {
        const size_t capacity = entries > 2 * self->capacity ? entries : 2 * self->capacity;
        uint32_t *features = realloc(self->features, capacity * sizeof *features);
        if (features) {
            self->features = features;
        }
        float *values = features ? realloc(self->values, capacity * sizeof *values) : NULL;
        if (!values) {
            return fail_memory(error);
        }
        self->values = values;
        self->capacity = capacity;
    }
    return TLU_OK;
}

// The learner's number of a column; it is looked up when the column first has a value.
static tlu_status number_of(struct online_object *self, const tlu_rows *rows, uint32_t column,
                            uint32_t *number, tlu_error *error)
{
    if (self->numbers[column] == NO_FEATURE) {
        char digits[24];
        const char *name = digits;
        if (rows->feature_names) {
            name = rows->feature_names[column];
        } else {
            PyOS_snprintf(digits, sizeof digits, "%llu",
                          (unsigned long long)column + rows->first_feature);
        }
        const tlu_status status =
            tlu_learner_feature(self->learner, name, &self->numbers[column], error);
        if (status != TLU_OK) {
            self->numbers[column] = NO_FEATURE;
            return status;
        }
    }
    *number = self->numbers[column];
    return TLU_OK;
}

static float value_at(const tlu_rows *rows, uint64_t at)
{
    return rows->values ? rows->values[at] : (float)rows->doubles[at];
}

// Learns row i. Its features are ascending: Python's part sees to it.
static tlu_status learn_row(struct online_object *self, const tlu_rows *rows, size_t i,
                            tlu_error *error)
{
    const uint64_t start = rows->offsets ? rows->offsets[i] : 0;
    const size_t count = rows->offsets ? (size_t)(rows->offsets[i + 1] - start) : rows->columns;
    const int has_strides = rows->row_stride || rows->column_stride;
    const uint64_t row_start = (uint64_t)i * (has_strides ? rows->row_stride : rows->columns);
    const uint64_t stride = has_strides ? rows->column_stride : 1;
    const double weight = rows->weights ? (double)rows->weights[i] : 1;
    tlu_status status = reserve(self, rows->columns, count, error);
    size_t stored = 0;
    for (size_t k = 0; status == TLU_OK && k < count; k++) {
        const uint32_t column = rows->features ? rows->features[start + k] : (uint32_t)k;
        const float value =
            rows->features ? value_at(rows, start + k) : value_at(rows, row_start + k * stride);
        if (value == 0) {
            continue;
        }
        if (column >= self->number_count) {
            status = reserve(self, (size_t)column + 1, count, error);
        }
        if (status == TLU_OK) {
            status = number_of(self, rows, column, &self->features[stored], error);
        }
        self->values[stored++] = value;
    }
    const tlu_row row = {stored, self->features, self->values};
    if (status == TLU_OK && weight != 0) {
        status = tlu_learner_learn_row(self->learner, &row, rows->label_names[rows->labels[i]],
                                       weight, NULL, error);
    }
    return status;
}

// learn(rows)
static PyObject *online_learn(PyObject *object, PyObject *given)
{
    struct online_object *self = (struct online_object *)object;
    const tlu_rows *rows = rows_unwrap(given);
    if (!rows || !is_usable(self)) {
        return NULL;
    }
    if (!rows->labels || !rows->label_names) {
        PyErr_SetString(PyExc_TypeError, "rows to learn from need labels and their names");
        return NULL;
    }
    for (size_t i = 0; i < rows->rows; i++) {
        if (rows->labels[i] >= rows->label_count) {
            PyErr_SetString(PyExc_ValueError, "a label has no name");
            return NULL;
        }
    }
    tlu_error error;
    tlu_status status = TLU_OK;
    struct call call;
    self->is_busy = 1;
    call_begin(&call, NULL);
    for (size_t i = 0; status == TLU_OK && i < rows->rows; i++) {
        status = learn_row(self, rows, i, &error);
        if (i % 4096 == 4095) {
            call_hold(&call);
            const int stop = call_check(&call);
            call_release(&call);
            if (stop) {
                break;
            }
        }
    }
    call_end(&call);
    self->is_busy = 0;
    if (call.exception || status != TLU_OK) {
        return call_raise(&call, &error);
    }
    Py_RETURN_NONE;
}

static PyObject *online_make_model(PyObject *object, PyObject *none)
{
    struct online_object *self = (struct online_object *)object;
    tlu_model *model;
    tlu_error error;
    (void)none;
    if (!is_usable(self)) {
        return NULL;
    }
    return tlu_learner_make_model(self->learner, &model, &error) == TLU_OK ? model_wrap(model)
                                                                           : raise_error(&error);
}

static PyMethodDef methods[] = {
    {"learn", online_learn, METH_O, "learn(rows)\n--\n\nLearn from Rows, one after the other."},
    {"make_model", online_make_model, METH_NOARGS,
     "make_model()\n--\n\nA Model of what was learned."},
    {NULL},
};

static PyTypeObject online_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tlu._tlu.Online",
    .tp_doc = "A learner that learns from rows, one after the other, for partial_fit.",
    .tp_basicsize = sizeof(struct online_object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = online_init,
    .tp_dealloc = online_dealloc,
    .tp_methods = methods,
};

int add_online(PyObject *module)
{
    return PyModule_AddType(module, &online_type);
}
