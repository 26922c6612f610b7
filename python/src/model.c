// The type Model: a tlu_model, which is immutable, so that threads share it without locks.

#include <string.h>

#include "tlu_python.h"

struct model_object {
    PyObject_HEAD tlu_model *model;
};

static tlu_model *own(PyObject *self)
{
    return ((struct model_object *)self)->model;
}

PyObject *model_wrap(tlu_model *model)
{
    if (!model) {
        return NULL;
    }
    PyObject *self = model_type.tp_alloc(&model_type, 0);
    if (!self) {
        tlu_model_free(model);
        return NULL;
    }
    ((struct model_object *)self)->model = model;
    return self;
}

const tlu_model *model_unwrap(PyObject *object)
{
    if (!PyObject_TypeCheck(object, &model_type)) {
        PyErr_Format(PyExc_TypeError, "expected a tlu model, not %.200s", Py_TYPE(object)->tp_name);
        return NULL;
    }
    return own(object);
}

static void model_dealloc(PyObject *self)
{
    tlu_model_free(own(self));
    Py_TYPE(self)->tp_free(self);
}

static PyObject *model_save(PyObject *self, PyObject *path)
{
    const char *name;
    PyObject *owner = path_bytes(path, &name);
    if (!owner) {
        return NULL;
    }
    struct call call;
    tlu_error error;
    call_begin(&call, NULL);
    const tlu_status status = tlu_model_save(own(self), name, &error);
    call_end(&call);
    Py_DECREF(owner);
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    Py_RETURN_NONE;
}

static PyObject *model_load(PyObject *type, PyObject *path)
{
    (void)type;
    const char *name;
    PyObject *owner = path_bytes(path, &name);
    if (!owner) {
        return NULL;
    }
    struct call call;
    tlu_error error;
    tlu_model *model;
    call_begin(&call, NULL);
    const tlu_status status = tlu_model_load(name, &model, &error);
    call_end(&call);
    Py_DECREF(owner);
    return status == TLU_OK ? model_wrap(model) : raise_error(&error);
}

static PyObject *model_to_bytes(PyObject *self, PyObject *none)
{
    (void)none;
    void *bytes;
    size_t size;
    tlu_error error;
    if (tlu_model_save_bytes(own(self), &bytes, &size, &error) != TLU_OK) {
        return raise_error(&error);
    }
    PyObject *result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    tlu_bytes_free(bytes);
    return result;
}

static PyObject *model_from_bytes(PyObject *type, PyObject *object)
{
    (void)type;
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0) {
        return NULL;
    }
    tlu_model *model;
    tlu_error error;
    const tlu_status status = tlu_model_load_bytes(view.buf, (size_t)view.len, &model, &error);
    PyBuffer_Release(&view);
    return status == TLU_OK ? model_wrap(model) : raise_error(&error);
}

static PyObject *model_reduce(PyObject *self, PyObject *none)
{
    PyObject *load = PyObject_GetAttrString((PyObject *)&model_type, "from_bytes");
    PyObject *bytes = load ? model_to_bytes(self, none) : NULL;
    PyObject *result = bytes ? Py_BuildValue("O(O)", load, bytes) : NULL;
    Py_XDECREF(load);
    Py_XDECREF(bytes);
    return result;
}

// ---- prediction ---------------------------------------------------------------------------------

// Takes a writable array of `count` items; None leaves *items NULL. Returns 0, or -1 with an
// exception.
static int take_result(PyObject *object, Py_buffer *view, const char *what, const char *formats,
                       size_t item, size_t count, void **items)
{
    if (object == Py_None) {
        return 0;
    }
    if (PyObject_GetBuffer(object, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) != 0) {
        return -1;
    }
    const char *format = view->format ? view->format : "B";
    if (!strchr(formats, format[0]) || (size_t)view->itemsize != item ||
        (size_t)view->len != count * item) {
        PyErr_Format(PyExc_ValueError, "%s: expected an array of %zu items of %zu bytes", what,
                     count, item);
        return -1;
    }
    *items = view->buf;
    return 0;
}

// predict(rows, classes, scores, probabilities, threads)
static PyObject *model_predict(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    const tlu_model *model = own(self);
    Py_buffer input = {0}, results[3] = {{0}};
    tlu_rows matrix;
    tlu_predict_settings settings = {.size = sizeof settings};
    void *classes = NULL, *scores = NULL, *probabilities = NULL;
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError,
                        "predict takes rows, classes, scores, probabilities and threads");
        return NULL;
    }
    const Py_ssize_t threads = PyLong_AsSsize_t(args[4]);
    if (threads < 0) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "threads is 0 or more");
        }
        return NULL;
    }
    if (PyObject_TypeCheck(args[0], &rows_type)) {
        settings.rows = rows_unwrap(args[0]);
        if (!settings.rows) {
            return NULL;
        }
    } else {
        if (rows_of_matrix(args[0], &input, &matrix) != 0) {
            return NULL;
        }
        settings.rows = &matrix;
    }
    const size_t rows = settings.rows->rows;
    settings.threads = (size_t)threads;
    tlu_status status = TLU_OK;
    tlu_error error;
    int done = -1;
    if (take_result(args[1], &results[0], "classes", "IL", sizeof(uint32_t), rows, &classes) == 0 &&
        take_result(args[2], &results[1], "scores", "d", sizeof(double),
                    rows * tlu_model_score_count(model), &scores) == 0 &&
        take_result(args[3], &results[2], "probabilities", "d", sizeof(double),
                    rows * tlu_model_class_count(model), &probabilities) == 0) {
        done = 0;
        settings.classes = classes;
        settings.scores = scores;
        settings.probabilities = probabilities;
        const int is_short = rows < 16; // sooner done than another thread has taken the GIL
        if (is_short) {
            status = tlu_model_predict_rows(model, &settings, &error);
        } else {
            struct call call;
            call_begin(&call, NULL);
            status = tlu_model_predict_rows(model, &settings, &error);
            call_end(&call);
        }
    }
    if (input.obj) {
        PyBuffer_Release(&input);
    }
    for (int i = 0; i < 3; i++) {
        if (results[i].obj) {
            PyBuffer_Release(&results[i]);
        }
    }
    if (done != 0) {
        return NULL;
    }
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    Py_RETURN_NONE;
}

// predict_one_row(row, columns): the class of an array or a CSR matrix of one row; None for what
// one_row_take refuses. It avoids the calls in Python that take longer than the prediction.
static PyObject *model_predict_one_row(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "predict_one_row takes a row and the number of columns");
        return NULL;
    }
    const size_t columns = PyLong_AsSize_t(args[1]);
    struct one_row row;
    if (columns == (size_t)-1 && PyErr_Occurred()) {
        return NULL;
    }
    const int taken = one_row_take(args[0], columns, &row);
    if (taken < 0) {
        return NULL;
    }
    if (!taken) {
        Py_RETURN_NONE;
    }
    uint32_t class;
    const tlu_predict_settings settings = {
        .size = sizeof settings, .rows = &row.rows, .classes = &class, .threads = 1};
    tlu_error error;
    const tlu_status status = tlu_model_predict_rows(own(self), &settings, &error);
    one_row_free(&row);
    return status == TLU_OK ? PyLong_FromUnsignedLong(class) : raise_error(&error);
}

// predict_bytes(bytes): (classes, scores) of the rows of a file in memory, as bytes of uint32 and
// double.
static PyObject *model_predict_bytes(PyObject *self, PyObject *args)
{
    const tlu_model *model = own(self);
    PyObject *object, *dict = NULL;
    Py_buffer view;
    tlu_options *options;
    tlu_reader *reader = NULL;
    tlu_error error;
    if (!PyArg_ParseTuple(args, "O|O", &object, &dict) || options_from_dict(dict, &options) != 0) {
        return NULL;
    }
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0) {
        tlu_options_free(options);
        return NULL;
    }
    PyObject *classes = PyByteArray_FromStringAndSize(NULL, 0);
    PyObject *scores = PyByteArray_FromStringAndSize(NULL, 0);
    const size_t wide = tlu_model_score_count(model);
    struct call call;
    call_begin(&call, NULL);
    tlu_status status =
        tlu_reader_open_bytes(model, view.buf, (size_t)view.len, options, &reader, &error);
    if (status == TLU_OK) {
        status = tlu_reader_predict(reader, 1, NULL, NULL, &error);
    }
    size_t rows = 0;
    int failed = !classes || !scores, ended = 0;
    while (status == TLU_OK && !failed && !ended) {
        const tlu_batch *batch;
        status = tlu_reader_next(reader, &batch, &error);
        ended = status != TLU_OK || !batch;
        if (ended) {
            break;
        }
        const tlu_predictions *predictions = tlu_reader_predictions(reader);
        call_hold(&call);
        const size_t count = batch->rows;
        failed = PyByteArray_Resize(classes, (Py_ssize_t)((rows + count) * sizeof(uint32_t))) ||
                 PyByteArray_Resize(scores, (Py_ssize_t)((rows + count) * wide * sizeof(double)));
        if (!failed && count) {
            memcpy(PyByteArray_AS_STRING(classes) + rows * sizeof(uint32_t), predictions->classes,
                   count * sizeof(uint32_t));
            memcpy(PyByteArray_AS_STRING(scores) + rows * wide * sizeof(double),
                   predictions->scores, count * wide * sizeof(double));
        }
        rows += count;
        failed |= call_check(&call);
        call_release(&call);
    }
    tlu_reader_close(reader);
    call_end(&call);
    PyBuffer_Release(&view);
    tlu_options_free(options);
    PyObject *result = NULL;
    if (call.exception || status != TLU_OK) {
        call_raise(&call, &error);
    } else if (!failed) {
        result = PyTuple_Pack(2, classes, scores);
    }
    Py_XDECREF(classes);
    Py_XDECREF(scores);
    return result;
}

// probabilities(scores, probabilities): of scores that were computed before.
static PyObject *model_probabilities(PyObject *self, PyObject *args)
{
    const tlu_model *model = own(self);
    PyObject *given, *out;
    Py_buffer view = {0}, result = {0};
    if (!PyArg_ParseTuple(args, "OO", &given, &out) ||
        PyObject_GetBuffer(given, &view, PyBUF_SIMPLE) != 0) {
        return NULL;
    }
    const size_t wide = tlu_model_score_count(model), classes = tlu_model_class_count(model);
    const size_t rows = (size_t)view.len / (wide * sizeof(double));
    void *items = NULL;
    tlu_error error;
    tlu_status status = TLU_OK;
    int done =
        take_result(out, &result, "probabilities", "d", sizeof(double), rows * classes, &items);
    double *to = items;
    const double *scores = view.buf;
    if (done == 0) {
        status = tlu_model_probabilities(model, NULL, NULL, &error);
    }
    for (size_t i = 0; done == 0 && to && status == TLU_OK && i < rows; i++) {
        status = tlu_model_probabilities(model, scores + i * wide, to + i * classes, &error);
    }
    PyBuffer_Release(&view);
    if (result.obj) {
        PyBuffer_Release(&result);
    }
    if (done != 0) {
        return NULL;
    }
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    Py_RETURN_NONE;
}

// Whether there are probabilities; check_probabilities() says why not.
static PyObject *model_check_probabilities(PyObject *self, PyObject *none)
{
    tlu_error error;
    (void)none;
    if (tlu_model_probabilities(own(self), NULL, NULL, &error) != TLU_OK) {
        return raise_error(&error);
    }
    Py_RETURN_NONE;
}

// ---- contents -----------------------------------------------------------------------------------

static int take_class(const tlu_model *model, Py_ssize_t class_index)
{
    if (class_index < 0 || (size_t)class_index >= tlu_model_class_count(model)) {
        PyErr_Format(PyExc_IndexError, "there is no class %zd", class_index);
        return -1;
    }
    return 0;
}

// weights(class, array[feature_count]): fills the array.
static PyObject *model_weights(PyObject *self, PyObject *args)
{
    const tlu_model *model = own(self);
    Py_ssize_t class_index;
    PyObject *out;
    Py_buffer result = {0};
    void *items = NULL;
    if (!PyArg_ParseTuple(args, "nO", &class_index, &out) || take_class(model, class_index) != 0) {
        return NULL;
    }
    const size_t count = tlu_model_feature_count(model);
    if (take_result(out, &result, "weights", "d", sizeof(double), count, &items) == 0 && items) {
        tlu_model_weights(model, (size_t)class_index, items, count);
    }
    if (result.obj) {
        PyBuffer_Release(&result);
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    Py_RETURN_NONE;
}

// kernel_weights(class, array[feature_count]): fills the array and returns the bias.
static PyObject *model_kernel_weights(PyObject *self, PyObject *args)
{
    const tlu_model *model = own(self);
    Py_ssize_t class_index;
    PyObject *out;
    Py_buffer result = {0};
    void *items = NULL;
    double bias = 0;
    tlu_error error;
    if (!PyArg_ParseTuple(args, "nO", &class_index, &out) || take_class(model, class_index) != 0) {
        return NULL;
    }
    tlu_status status = TLU_OK;
    if (take_result(out, &result, "weights", "d", sizeof(double), tlu_model_feature_count(model),
                    &items) == 0 &&
        items) {
        status = tlu_model_kernel_weights(model, (size_t)class_index, items, &bias, &error);
    }
    if (result.obj) {
        PyBuffer_Release(&result);
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    return status == TLU_OK ? PyFloat_FromDouble(bias) : raise_error(&error);
}

static PyObject *model_bias(PyObject *self, PyObject *index)
{
    const Py_ssize_t class_index = PyLong_AsSsize_t(index);
    if ((class_index == -1 && PyErr_Occurred()) || take_class(own(self), class_index) != 0) {
        return NULL;
    }
    return PyFloat_FromDouble(tlu_model_bias(own(self), (size_t)class_index));
}

static PyObject *label_at(const void *model, size_t index)
{
    return text_new(tlu_model_class_label(model, index));
}

PyObject *model_feature_name(const tlu_model *model, size_t index)
{
    char few[256];
    const size_t length = tlu_model_feature_name(model, index, few, sizeof few);
    if (length < sizeof few) {
        return text_new(few);
    }
    char *name = PyMem_Malloc(length + 1);
    if (!name) {
        return PyErr_NoMemory();
    }
    tlu_model_feature_name(model, index, name, length + 1);
    PyObject *text = text_new(name);
    PyMem_Free(name);
    return text;
}

static PyObject *name_at(const void *model, size_t index)
{
    return model_feature_name(model, index);
}

PyObject *model_labels(const tlu_model *model)
{
    return list_new(tlu_model_class_count(model), label_at, model);
}

static PyObject *get_labels(PyObject *self, void *none)
{
    (void)none;
    return model_labels(own(self));
}

static PyObject *get_features(PyObject *self, void *none)
{
    (void)none;
    return list_new(tlu_model_feature_count(own(self)), name_at, own(self));
}

static PyObject *get_text(PyObject *self, void *function)
{
    const char *(*text)(const tlu_model *);
    memcpy(&text, function, sizeof text);
    return text_new(text(own(self)));
}

static PyObject *get_size(PyObject *self, void *function)
{
    size_t (*size)(const tlu_model *);
    memcpy(&size, function, sizeof size);
    return PyLong_FromSize_t(size(own(self)));
}

static PyObject *get_truth(PyObject *self, void *function)
{
    int (*truth)(const tlu_model *);
    memcpy(&truth, function, sizeof truth);
    return PyBool_FromLong(truth(own(self)));
}

static PyObject *get_options(PyObject *self, void *none)
{
    (void)none;
    return options_to_dict(tlu_model_options(own(self)), 0);
}

static PyObject *get_resumable(PyObject *self, void *none)
{
    (void)none;
    return PyBool_FromLong(tlu_model_can_resume(own(self), NULL, NULL));
}

static PyObject *get_positive(PyObject *self, void *none)
{
    const size_t positive = tlu_model_positive_class(own(self));
    (void)none;
    if (positive == TLU_NONE) {
        Py_RETURN_NONE;
    }
    return PyLong_FromSize_t(positive);
}

static PyObject *get_report(PyObject *self, void *none)
{
    const tlu_report *r = tlu_model_report(own(self));
    PyObject *dict = PyDict_New();
    (void)none;
    if (!dict) {
        return NULL;
    }
    int bad = 0;
#define COUNT(name) bad |= set_item(dict, #name, PyLong_FromUnsignedLongLong(r->name))
#define NUMBER(name) bad |= set_item(dict, #name, PyFloat_FromDouble(r->name))
#define TEXT(name) bad |= set_item(dict, #name, text_new(r->name))
    COUNT(examples);
    COUNT(held_out);
    COUNT(nonzeros);
    COUNT(features);
    COUNT(classes);
    COUNT(epochs);
    bad |= set_item(dict, "mistakes", counts_new(r->mistakes, (size_t)r->epochs));
    COUNT(updates);
    bad |= set_item(dict, "held_out_accuracy",
                    r->held_out_accuracy ? numbers_new(r->held_out_accuracy, (size_t)r->epochs)
                                         : Py_NewRef(Py_None));
    COUNT(best_epoch);
    bad |= set_item(dict, "converged", PyBool_FromLong(r->converged));
    TEXT(stopped);
    COUNT(cycle);
    NUMBER(progressive_error);
    bad |= set_item(dict, "sorted_by_class", PyBool_FromLong(r->sorted_by_class));
    NUMBER(training_error);
    NUMBER(bound);
    NUMBER(margin);
    NUMBER(soft_margin);
    COUNT(supports);
    COUNT(skipped);
    COUNT(slots_used);
    COUNT(slots_shared);
    TEXT(data);
    TEXT(format);
    NUMBER(seconds_read);
    NUMBER(seconds_learn);
    NUMBER(seconds_total);
    TEXT(held_out_metric);
    COUNT(counted_epochs);
    NUMBER(objective);
    NUMBER(gap);
    TEXT(learner_reason);
#undef COUNT
#undef NUMBER
#undef TEXT
    PyObject *notices = PyList_New(0);
    for (size_t i = 0; notices && i < r->notices; i++) {
        PyObject *notice = text_new(r->notice[i]);
        bad |= notice ? PyList_Append(notices, notice) : -1;
        Py_XDECREF(notice);
    }
    bad |= set_item(dict, "notices", notices);
    if (bad) {
        Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *model_repr(PyObject *self)
{
    const tlu_model *model = own(self);
    return PyUnicode_FromFormat("<tlu.Model %s, %s: %zu classes, %zu features>",
                                tlu_model_learner(model), tlu_model_decision(model),
                                tlu_model_class_count(model), tlu_model_feature_count(model));
}

static PyMethodDef methods[] = {
    {"save", model_save, METH_O, "save(path)\n--\n\nSave the model to a file."},
    {"load", model_load, METH_O | METH_CLASS, "load(path)\n--\n\nLoad a model from a file."},
    {"to_bytes", model_to_bytes, METH_NOARGS,
     "to_bytes()\n--\n\nThe model as the bytes of its file."},
    {"from_bytes", model_from_bytes, METH_O | METH_CLASS,
     "from_bytes(bytes)\n--\n\nA model from the bytes of its file."},
    {"predict", (PyCFunction)(void (*)(void))model_predict, METH_FASTCALL,
     "predict(rows, classes, scores, probabilities, threads)\n--\n\n"
     "Predict Rows, or an array of float32 or float64; fills the arrays that are not None."},
    {"predict_one_row", (PyCFunction)(void (*)(void))model_predict_one_row, METH_FASTCALL,
     "predict_one_row(row, columns)\n--\n\n"
     "The class of an array or a CSR matrix of one row; None if it has to be converted."},
    {"predict_bytes", model_predict_bytes, METH_VARARGS,
     "predict_bytes(bytes, options=None)\n--\n\n"
     "Predict the rows of a file in memory: classes and scores as bytes."},
    {"probabilities", model_probabilities, METH_VARARGS,
     "probabilities(scores, out)\n--\n\nFill `out` with the probabilities for scores."},
    {"check_probabilities", model_check_probabilities, METH_NOARGS,
     "check_probabilities()\n--\n\nRaise ValueError, which says why, if there are none."},
    {"weights", model_weights, METH_VARARGS,
     "weights(class_index, out)\n--\n\nFill `out` with the weights of a class."},
    {"kernel_weights", model_kernel_weights, METH_VARARGS,
     "kernel_weights(class_index, out)\n--\n\n"
     "The same for the kernel \"linear\"; returns the bias."},
    {"bias", model_bias, METH_O, "bias(class_index)\n--\n\nThe bias of a class."},
    {"__reduce__", model_reduce, METH_NOARGS, NULL},
    {NULL},
};

// Getters get a pointer to the function that they call: a closure is not a function pointer.
typedef const char *text_function(const tlu_model *);
static text_function *const learner = tlu_model_learner, *const decision = tlu_model_decision,
                            *const decided_by = tlu_model_decided_by,
                            *const scheme = tlu_model_scheme, *const version = tlu_model_version,
                            *const calibration = tlu_model_calibration,
                            *const label_column = tlu_model_label_column,
                            *const text_column = tlu_model_text_column;
typedef size_t size_function(const tlu_model *);
static size_function *const class_count = tlu_model_class_count,
                            *const feature_count = tlu_model_feature_count,
                            *const score_count = tlu_model_score_count;
typedef int truth_function(const tlu_model *);
static truth_function *const has_weights = tlu_model_has_weights,
                             *const has_probabilities = tlu_model_has_probabilities,
                             *const is_scaled = tlu_model_is_scaled,
                             *const is_multilabel = tlu_model_is_multilabel;

#define TEXT(name, doc)                                                                            \
    {                                                                                              \
#name, get_text, NULL, doc, (void *)&name                                                  \
    }
#define SIZE(name, doc)                                                                            \
    {                                                                                              \
#name, get_size, NULL, doc, (void *)&name                                                  \
    }
#define TRUTH(name, doc)                                                                           \
    {                                                                                              \
#name, get_truth, NULL, doc, (void *)&name                                                 \
    }
static PyGetSetDef properties[] = {
    TEXT(learner, "Name of the learner."),
    TEXT(decision, "How the weights of the run became one classifier."),
    TEXT(decided_by, "The weights that predict."),
    TEXT(scheme, "How several classes are decided."),
    TEXT(version, "Version of tlu that trained the model."),
    TEXT(calibration, "How scores become probabilities; None without calibration."),
    TEXT(label_column, "The column of the labels, if the data was a table."),
    TEXT(text_column, "The column of texts of a table if no other column has features."),
    SIZE(class_count, "Number of classes."),
    SIZE(feature_count, "Number of features."),
    SIZE(score_count, "Number of scores of a row."),
    TRUTH(has_weights, "Whether the model has a weight for each feature."),
    TRUTH(has_probabilities, "Whether the model has probabilities."),
    TRUTH(is_scaled, "Whether the model scales its data."),
    TRUTH(is_multilabel, "Whether the model predicts any number of labels."),
    {"labels", get_labels, NULL, "Labels of the classes, as text.", NULL},
    {"feature_names", get_features, NULL, "Names of the features.", NULL},
    {"positive_class", get_positive, NULL, "The positive class of two.", NULL},
    {"can_resume", get_resumable, NULL, "Whether an interrupted training can be resumed.", NULL},
    {"options", get_options, NULL, "Options that differ from their defaults.", NULL},
    {"report", get_report, NULL, "The report of the training, as a dict.", NULL},
    {NULL},
};

PyTypeObject model_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tlu._tlu.Model",
    .tp_doc = "A trained classifier. It is immutable; threads can share it.",
    .tp_basicsize = sizeof(struct model_object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = model_dealloc,
    .tp_repr = model_repr,
    .tp_methods = methods,
    .tp_getset = properties,
};

int add_model(PyObject *module)
{
    return PyModule_AddType(module, &model_type);
}
