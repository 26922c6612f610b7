// Training from rows in memory, from the bytes of a file, from a path, or from batches of rows.

#include "tlu_python.h"

// An iterator of Rows, which are read when the library asks for more.
struct batches {
    struct call *call;
    PyObject *iterator;
    PyObject *current; // Rows that the library looks at
};

static int next_batch(void *context, const tlu_rows **rows, tlu_error *error)
{
    struct batches *batches = context;
    (void)error;
    call_hold(batches->call);
    Py_CLEAR(batches->current);
    int stop = call_check(batches->call);
    PyObject *next = stop ? NULL : PyIter_Next(batches->iterator);
    *rows = NULL;
    if (next) {
        batches->current = next;
        *rows = rows_unwrap(next);
    }
    stop = call_check(batches->call); // an exception of the iterator, too
    call_release(batches->call);
    return stop;
}

// Trains with the GIL released. Returns (Model, None), or (Model, exception) if the training was
// stopped by an exception and there is a model so far.
static PyObject *run(tlu_train_settings *settings, PyObject *options_given, PyObject *progress,
                     PyObject *iterator)
{
    tlu_options *options;
    struct call call;
    tlu_model *model;
    tlu_error error;
    if (options_from_dict(options_given, &options) != 0) {
        return NULL;
    }
    struct batches batches = {&call, iterator, NULL};
    settings->size = sizeof *settings;
    settings->progress = call_progress;
    settings->progress_context = &call;
    if (iterator) {
        settings->next_rows = next_batch;
        settings->next_context = &batches;
    }
    call_begin(&call, progress);
    const tlu_status status = tlu_train_with(settings, options, &model, &error);
    call_end(&call);
    tlu_options_free(options);
    Py_XDECREF(batches.current);
    if (status != TLU_OK) {
        return call_raise(&call, &error);
    }
    PyObject *exception = call_interruption(&call);
    PyObject *wrapped = model_wrap(model);
    PyObject *result = wrapped ? PyTuple_Pack(2, wrapped, exception) : NULL;
    Py_XDECREF(wrapped);
    Py_DECREF(exception);
    return result;
}

// A model, or None.
static int take_before(PyObject *object, const tlu_model **model)
{
    if (!object || object == Py_None) {
        return 0;
    }
    *model = model_unwrap(object);
    return *model ? 0 : -1;
}

static PyObject *train_rows(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"rows", "options", "progress", "name", "resume", NULL};
    PyObject *rows, *options = NULL, *progress = NULL, *resume = NULL;
    const char *name = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOzO", names, &rows, &options, &progress,
                                     &name, &resume)) {
        return NULL;
    }
    tlu_train_settings settings = {.name = name};
    if (take_before(resume, &settings.resume) != 0) {
        return NULL;
    }
    if (PyIter_Check(rows)) {
        return run(&settings, options, progress, rows);
    }
    settings.rows = rows_unwrap(rows);
    return settings.rows ? run(&settings, options, progress, NULL) : NULL;
}

static PyObject *train_file(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"path",   "options",    "progress",           "weights",
                            "resume", "checkpoint", "checkpoint_seconds", "start",
                            NULL};
    PyObject *path, *options = NULL, *progress = NULL, *weights = NULL, *resume = NULL;
    PyObject *checkpoint = NULL, *start = NULL;
    double seconds = 0;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOOOOdO", names, &path, &options, &progress,
                                     &weights, &resume, &checkpoint, &seconds, &start)) {
        return NULL;
    }
    tlu_train_settings settings = {.checkpoint_seconds = seconds};
    PyObject *path_owner = NULL, *checkpoint_owner = NULL, *result = NULL;
    Py_buffer bytes = {0}, factors = {0};
    if (take_before(resume, &settings.resume) != 0 || take_before(start, &settings.start) != 0) {
        return NULL;
    }
    int done = 0;
    if (PyObject_TypeCheck(path, &rows_type)) {
        settings.rows = rows_unwrap(path);
        done = settings.rows ? 0 : -1;
    } else if (PyObject_CheckBuffer(path)) { // the content of a file
        done = PyObject_GetBuffer(path, &bytes, PyBUF_SIMPLE);
        settings.bytes = bytes.buf;
        settings.byte_count = (size_t)bytes.len;
    } else {
        path_owner = path_bytes(path, &settings.path);
        done = path_owner ? 0 : -1;
    }
    if (done == 0 && checkpoint && checkpoint != Py_None) {
        checkpoint_owner = path_bytes(checkpoint, &settings.checkpoint);
        done = checkpoint_owner ? 0 : -1;
    }
    if (done == 0 && weights && weights != Py_None) {
        done = PyObject_GetBuffer(weights, &factors, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS);
        if (done == 0 && (factors.itemsize != sizeof(float) || factors.format[0] != 'f')) {
            PyErr_SetString(PyExc_TypeError, "weights: expected float32");
            done = -1;
        } else if (done == 0) {
            settings.weights = factors.buf;
            settings.weight_count = (uint64_t)(factors.len / factors.itemsize);
        }
    }
    if (done == 0) {
        result = run(&settings, options, progress, NULL);
    }
    if (bytes.obj) {
        PyBuffer_Release(&bytes);
    }
    if (factors.obj) {
        PyBuffer_Release(&factors);
    }
    Py_XDECREF(path_owner);
    Py_XDECREF(checkpoint_owner);
    return result;
}

// The mean of a list of models.
static PyObject *mix(PyObject *module, PyObject *args)
{
    PyObject *list;
    tlu_mix_settings settings = {.size = sizeof settings};
    tlu_model *mixed = NULL;
    tlu_error error;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!s", &PyList_Type, &list, &settings.weights)) {
        return NULL;
    }
    size_t count = (size_t)PyList_Size(list);
    const tlu_model **models = PyMem_Calloc(count + 1, sizeof *models);
    if (!models) {
        return PyErr_NoMemory();
    }
    int valid = 1;
    for (size_t i = 0; valid && i < count; i++) {
        models[i] = model_unwrap(PyList_GetItem(list, (Py_ssize_t)i));
        valid = models[i] != NULL;
    }
    tlu_status status = TLU_OK;
    if (valid) { // the caller holds the list, and with it the models
        PyThreadState *thread = PyEval_SaveThread();
        status = tlu_model_mix(models, count, &settings, &mixed, &error);
        PyEval_RestoreThread(thread);
    }
    PyMem_Free(models);
    if (!valid) {
        return NULL;
    }
    return status == TLU_OK ? model_wrap(mixed) : raise_error(&error);
}

// Why an option has no effect with these options, or "".
static PyObject *no_effect(PyObject *module, PyObject *args)
{
    PyObject *dict;
    const char *name;
    tlu_options *options;
    char reason[512];
    (void)module;
    if (!PyArg_ParseTuple(args, "Os", &dict, &name) || options_from_dict(dict, &options) != 0) {
        return NULL;
    }
    tlu_options_no_effect(options, name, reason, sizeof reason);
    tlu_options_free(options);
    return text_new(reason);
}

// The value that an option has if it is not set, given the others.
static PyObject *default_of(PyObject *module, PyObject *args)
{
    PyObject *dict;
    const char *name;
    tlu_options *options;
    char value[512] = "";
    (void)module;
    if (!PyArg_ParseTuple(args, "Os", &dict, &name) || options_from_dict(dict, &options) != 0) {
        return NULL;
    }
    tlu_options_default(options, name, value, sizeof value);
    tlu_options_free(options);
    return text_new(value);
}

static PyMethodDef functions[] = {
    {"train_rows", (PyCFunction)(void (*)(void))train_rows, METH_VARARGS | METH_KEYWORDS,
     "Train on Rows, or on an iterator of Rows: (Model, None), or (Model so far, exception)."},
    {"train_file", (PyCFunction)(void (*)(void))train_file, METH_VARARGS | METH_KEYWORDS,
     "Train on a path, Rows or the bytes of a file: as train_rows."},
    {"mix", mix, METH_VARARGS,
     "The mean of a list of models, weighted by rows, updates or equally."},
    {"no_effect", no_effect, METH_VARARGS, "Why an option has no effect with these options."},
    {"default_of", default_of, METH_VARARGS, "The value of an option that is not set."},
    {NULL},
};

int add_train(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
