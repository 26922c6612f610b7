// The functions of the library about files and models, as functions whose results are dicts. The
// Python part of the package gives them their final form.

#include <string.h>

#include <tlu_proof.h>

#include "tlu_python.h"

#define U64(value) ((unsigned long long)(value))

// ---- results ----

// The result of a call that a callback may have ended early: (result, exception or None). Takes
// `result`.
static PyObject *partial_result(struct call *call, PyObject *result)
{
    PyObject *exception = call_interruption(call);
    if (!result) {
        Py_DECREF(exception);
        return NULL;
    }
    return Py_BuildValue("(NN)", result, exception);
}

// Calls the user's function with a dict, which is taken; nonzero if the call is to stop. The GIL is
// held.
static int report(struct call *call, PyObject *dict)
{
    PyObject *result = dict ? PyObject_CallOneArg(call->function, dict) : NULL;
    const int stop = result ? PyObject_IsTrue(result) : -1;
    Py_XDECREF(result);
    Py_XDECREF(dict);
    return stop < 0 ? call_check(call) : stop;
}

// ---- the contents of a model ----

static PyObject *class_dict(const void *context, size_t index)
{
    const tlu_model *model = context;
    return Py_BuildValue("(NK)", text_new(tlu_model_class_label(model, index)),
                         U64(tlu_model_class_examples(model, index)));
}

static PyObject *layers_list(const tlu_model *model)
{
    size_t sizes[64]; // an mlp has at most a few
    const size_t count = tlu_model_layers(model, sizes, 64);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count && i < 64; i++) {
        PyObject *number = PyLong_FromSize_t(sizes[i]);
        if (!number || PyList_Append(list, number) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(number);
    }
    return list;
}

static PyObject *threshold_object(const tlu_model *model)
{
    double threshold;
    return tlu_model_has_threshold(model, &threshold, NULL) ? PyFloat_FromDouble(threshold)
                                                            : Py_NewRef(Py_None);
}

// What the attributes of a Model do not tell.
static PyObject *model_describe(PyObject *module, PyObject *object)
{
    (void)module;
    const tlu_model *model = model_unwrap(object);
    if (!model) {
        return NULL;
    }
    const size_t positive = tlu_model_positive_class(model);
    PyObject *dict = Py_BuildValue(
        "{s:n,s:n,s:O,s:O,s:O,s:O,s:n}", "features", (Py_ssize_t)tlu_model_feature_count(model),
        "score_count", (Py_ssize_t)tlu_model_score_count(model), "is_multilabel",
        tlu_model_is_multilabel(model) ? Py_True : Py_False, "is_scaled",
        tlu_model_is_scaled(model) ? Py_True : Py_False, "has_weights",
        tlu_model_has_weights(model) ? Py_True : Py_False, "has_probabilities",
        tlu_model_has_probabilities(model) ? Py_True : Py_False, "supports",
        (Py_ssize_t)tlu_model_support_count(model));
    if (set_item(dict, "label_column", text_new(tlu_model_label_column(model))) != 0 ||
        set_item(dict, "positive",
                 text_new(positive == TLU_NONE ? NULL : tlu_model_class_label(model, positive))) !=
            0 ||
        set_item(dict, "classes", list_new(tlu_model_class_count(model), class_dict, model)) != 0 ||
        set_item(dict, "layers", layers_list(model)) != 0 ||
        set_item(dict, "threshold", threshold_object(model)) != 0) {
        Py_CLEAR(dict);
    }
    return dict;
}

// The weights of a class as the bytes of doubles, and its bias. Scaled: those of scaled values.
static PyObject *model_class_weights(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *object;
    Py_ssize_t class_index;
    int scaled = 0;
    const tlu_model *model;
    if (!PyArg_ParseTuple(arguments, "On|p", &object, &class_index, &scaled) ||
        !(model = model_unwrap(object))) {
        return NULL;
    }
    const size_t count = tlu_model_feature_count(model);
    const size_t k = (size_t)class_index;
    if (class_index < 0 || k >= tlu_model_class_count(model)) {
        PyErr_Format(PyExc_IndexError, "there is no class %zd", class_index);
        return NULL;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(double)));
    if (!bytes) {
        return NULL;
    }
    double *weights = (double *)(void *)PyBytes_AS_STRING(bytes);
    double bias = tlu_model_bias(model, k);
    tlu_error error;
    if (tlu_model_has_weights(model)) {
        tlu_model_weights(model, k, weights, count);
    } else if (tlu_model_kernel_weights(model, k, weights, &bias, &error) != TLU_OK) {
        Py_DECREF(bytes);
        return raise_error(&error);
    }
    for (size_t i = 0; scaled && tlu_model_has_weights(model) && i < count; i++) {
        weights[i] = tlu_model_scaled_weight(model, k, i);
    }
    return Py_BuildValue("(Nd)", bytes, bias);
}

// ---- predictions ----

static PyObject *answer(const tlu_model *model, const char *label, const double *scores)
{
    return Py_BuildValue("(NN)", text_new(label),
                         numbers_new(scores, tlu_model_score_count(model)));
}

static PyObject *model_predict_line(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *object;
    PyObject *text;
    const char *line;
    const char *label;
    const tlu_model *model;
    tlu_error error;
    if (!PyArg_ParseTuple(arguments, "OO", &object, &text) || !(model = model_unwrap(object))) {
        return NULL;
    }
    PyObject *owner = text_bytes(text, &line);
    double *scores = owner ? PyMem_Calloc(tlu_model_score_count(model) + 1, sizeof *scores) : NULL;
    PyObject *result = NULL;
    if (owner && !scores) {
        PyErr_NoMemory();
    } else if (scores) {
        result = tlu_model_predict_line(model, line, &label, scores, &error) == TLU_OK
                     ? answer(model, label, scores)
                     : raise_error(&error);
    }
    PyMem_Free(scores);
    Py_XDECREF(owner);
    return result;
}

// The features of a model in a list of (name, value), with numbers in the model; names that it does
// not know are left out. -1 with an exception.
static Py_ssize_t take_pairs(const tlu_model *model, PyObject *pairs, uint32_t *features,
                             float *values)
{
    const Py_ssize_t count = PyList_GET_SIZE(pairs);
    size_t known = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name;
        double value;
        const char *bytes;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(pairs, i), "Od", &name, &value)) {
            return -1;
        }
        PyObject *owner = text_bytes(name, &bytes);
        if (!owner) {
            return -1;
        }
        const size_t feature = tlu_model_feature_find(model, bytes);
        Py_DECREF(owner);
        if (feature != TLU_NONE) {
            features[known] = (uint32_t)feature;
            values[known++] = (float)value;
        }
    }
    return (Py_ssize_t)known;
}

static PyObject *contribution_tuple(const tlu_model *model, const tlu_contribution *contribution)
{
    PyObject *name = contribution->feature == TLU_NONE
                         ? Py_NewRef(Py_None)
                         : model_feature_name(model, contribution->feature);
    return name ? Py_BuildValue("(Ndd)", name, contribution->value, contribution->amount) : NULL;
}

static PyObject *explain_row(const tlu_model *model, const tlu_row *row, size_t class_index,
                             size_t top)
{
    tlu_contribution *strongest = PyMem_Calloc(top + 1, sizeof *strongest);
    size_t count = 0;
    tlu_error error;
    if (!strongest) {
        return PyErr_NoMemory();
    }
    PyObject *list = PyList_New(0);
    if (list &&
        tlu_model_explain(model, row, class_index, strongest, top, &count, &error) != TLU_OK) {
        Py_CLEAR(list);
        raise_error(&error);
    }
    for (size_t i = 0; list && i < count; i++) {
        PyObject *item = contribution_tuple(model, &strongest[i]);
        if (!item || PyList_Append(list, item) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    PyMem_Free(strongest);
    return list;
}

// What is done with a row of (name, value) pairs: (label, scores), or with `top` the contributions.
static PyObject *use_pairs(const tlu_model *model, PyObject *pairs, Py_ssize_t class_index,
                           Py_ssize_t top)
{
    const size_t count = (size_t)PyList_GET_SIZE(pairs);
    uint32_t *features = PyMem_Calloc(count + 1, sizeof *features);
    float *values = PyMem_Calloc(count + 1, sizeof *values);
    double *scores = PyMem_Calloc(tlu_model_score_count(model) + 1, sizeof *scores);
    PyObject *result = NULL;
    size_t winner;
    tlu_error error;
    const Py_ssize_t known = features && values && scores
                                 ? take_pairs(model, pairs, features, values)
                                 : (PyErr_NoMemory(), -1);
    const tlu_row row = {(size_t)(known < 0 ? 0 : known), features, values};
    if (known >= 0 && tlu_model_predict(model, &row, &winner, scores, &error) != TLU_OK) {
        raise_error(&error);
    } else if (known >= 0 && top > 0) {
        result =
            explain_row(model, &row, class_index < 0 ? winner : (size_t)class_index, (size_t)top);
    } else if (known >= 0) {
        result = answer(model, tlu_model_class_label(model, winner), scores);
    }
    PyMem_Free(scores);
    PyMem_Free(values);
    PyMem_Free(features);
    return result;
}

static PyObject *model_predict_pairs(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *object;
    PyObject *pairs;
    const tlu_model *model;
    if (!PyArg_ParseTuple(arguments, "OO!", &object, &PyList_Type, &pairs) ||
        !(model = model_unwrap(object))) {
        return NULL;
    }
    return use_pairs(model, pairs, -1, 0);
}

// The class of a label, -1 if that is None; checks `top`, too. -1 with an exception.
static int take_class(const tlu_model *model, PyObject *label, Py_ssize_t top,
                      Py_ssize_t *class_index)
{
    const char *text;
    *class_index = -1;
    if (top < 1) {
        PyErr_SetString(PyExc_ValueError, "top is a number of features, 1 or more");
        return -1;
    }
    if (label == Py_None) {
        return 0;
    }
    PyObject *owner = text_bytes(label, &text);
    if (!owner) {
        return -1;
    }
    const size_t found = tlu_model_class_find(model, text);
    Py_DECREF(owner);
    if (found == TLU_NONE) {
        PyErr_Format(PyExc_ValueError, "the model has no class %R", label);
        return -1;
    }
    *class_index = (Py_ssize_t)found;
    return 0;
}

// The contributions to the first row of a batch. The caller closes the reader.
static PyObject *explain_first(const tlu_model *model, tlu_reader *reader, Py_ssize_t class_index,
                               size_t top)
{
    const tlu_batch *batch;
    tlu_error error;
    size_t winner;
    double *scores = PyMem_Calloc(tlu_model_score_count(model) + 1, sizeof *scores);
    if (!scores) {
        return PyErr_NoMemory();
    }
    tlu_status status = tlu_reader_next(reader, &batch, &error);
    PyObject *result = NULL;
    if (status == TLU_OK && (!batch || batch->rows == 0)) {
        PyErr_SetString(PyExc_ValueError, "there is no row to explain");
    } else if (status == TLU_OK) {
        const tlu_row row = tlu_batch_row(batch, 0);
        status = tlu_model_predict(model, &row, &winner, scores, &error);
        if (status == TLU_OK) {
            result = explain_row(model, &row, class_index < 0 ? winner : (size_t)class_index, top);
        }
    }
    PyMem_Free(scores);
    return status == TLU_OK ? result : raise_error(&error);
}

// Explains a row as it is read from a file: with words of texts, and missing values.
static PyObject *model_explain_bytes(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *object;
    PyObject *dict;
    PyObject *label;
    const char *bytes;
    Py_ssize_t size;
    Py_ssize_t top;
    Py_ssize_t class_index;
    const tlu_model *model;
    tlu_options *options;
    tlu_reader *reader;
    tlu_error error;
    if (!PyArg_ParseTuple(arguments, "Oy#OOn", &object, &bytes, &size, &dict, &label, &top) ||
        !(model = model_unwrap(object)) || take_class(model, label, top, &class_index) != 0 ||
        options_from_dict(dict, &options) != 0) {
        return NULL;
    }
    const tlu_status status =
        tlu_reader_open_bytes(model, bytes, (size_t)size, options, &reader, &error);
    tlu_options_free(options);
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    PyObject *result = explain_first(model, reader, class_index, (size_t)top);
    tlu_reader_close(reader);
    return result;
}

static PyObject *model_explain_pairs(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *object;
    PyObject *pairs;
    PyObject *label;
    Py_ssize_t top;
    Py_ssize_t class_index;
    const tlu_model *model;
    if (!PyArg_ParseTuple(arguments, "OO!On", &object, &PyList_Type, &pairs, &label, &top) ||
        !(model = model_unwrap(object))) {
        return NULL;
    }
    if (take_class(model, label, top, &class_index) != 0) {
        return NULL;
    }
    return use_pairs(model, pairs, class_index, top);
}

static PyObject *model_probability_list(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *object;
    PyObject *list;
    const tlu_model *model;
    tlu_error error;
    if (!PyArg_ParseTuple(arguments, "OO!", &object, &PyList_Type, &list) ||
        !(model = model_unwrap(object))) {
        return NULL;
    }
    const size_t scores_expected = tlu_model_score_count(model);
    const size_t classes = tlu_model_class_count(model);
    if ((size_t)PyList_GET_SIZE(list) != scores_expected) {
        PyErr_Format(PyExc_ValueError, "the model has %zu scores, not %zd", scores_expected,
                     PyList_GET_SIZE(list));
        return NULL;
    }
    double *numbers = PyMem_Calloc(scores_expected + classes, sizeof *numbers);
    if (!numbers) {
        return PyErr_NoMemory();
    }
    for (size_t i = 0; i < scores_expected; i++) {
        numbers[i] = PyFloat_AsDouble(PyList_GET_ITEM(list, (Py_ssize_t)i));
    }
    PyObject *result = NULL;
    if (!PyErr_Occurred()) {
        result =
            tlu_model_probabilities(model, numbers, numbers + scores_expected, &error) == TLU_OK
                ? numbers_new(numbers + scores_expected, classes)
                : raise_error(&error);
    }
    PyMem_Free(numbers);
    return result;
}

// Predicts a file: lists of the labels and of the scores of each row.
static PyObject *predict_rows(const tlu_model *model, tlu_reader *reader, struct call *call)
{
    const size_t columns = tlu_model_score_count(model);
    PyObject *labels = PyList_New(0);
    PyObject *scores = PyList_New(0);
    PyObject *names = model_labels(model);
    tlu_error error;
    int done = labels && scores && names ? 0 : -1;
    while (done == 0) {
        const tlu_batch *batch;
        *call = (struct call){0};
        call_begin(call, NULL);
        const tlu_status status = tlu_reader_next(reader, &batch, &error);
        call_end(call);
        if (status != TLU_OK || !batch) {
            done = status == TLU_OK ? 1 : (raise_error(&error), -1);
            break;
        }
        const tlu_predictions *predictions = tlu_reader_predictions(reader);
        for (size_t i = 0; done == 0 && i < predictions->rows; i++) {
            PyObject *row = numbers_new(predictions->scores + i * columns, columns);
            if (!row ||
                PyList_Append(labels, PyList_GET_ITEM(names, predictions->classes[i])) != 0 ||
                PyList_Append(scores, row) != 0) {
                done = -1;
            }
            Py_XDECREF(row);
        }
        if (done == 0 && PyErr_CheckSignals() != 0) {
            done = -1;
        }
    }
    Py_XDECREF(names);
    if (done == 1) {
        return Py_BuildValue("(NN)", labels, scores);
    }
    Py_XDECREF(labels);
    Py_XDECREF(scores);
    return NULL;
}

// The arguments of a function about a model and data: (model, path, options=None). Begins the
// source; NULL with an exception.
static const tlu_model *take_model_and_source(PyObject *arguments, struct source *source)
{
    PyObject *object;
    PyObject *path;
    PyObject *options = NULL;
    if (!PyArg_ParseTuple(arguments, "OO|O", &object, &path, &options)) {
        return NULL;
    }
    const tlu_model *model = model_unwrap(object);
    return model && source_begin(source, path, options) == 0 ? model : NULL;
}

static PyObject *predict_file(PyObject *module, PyObject *arguments)
{
    (void)module;
    struct source source;
    struct call call;
    tlu_reader *reader;
    tlu_error error;
    const tlu_model *model = take_model_and_source(arguments, &source);
    if (!model) {
        return NULL;
    }
    PyObject *result = NULL;
    if (tlu_reader_open(model, source.path, source.options, &reader, &error) != TLU_OK) {
        raise_error(&error);
    } else {
        result = tlu_reader_predict(reader, 1, NULL, NULL, &error) == TLU_OK
                     ? predict_rows(model, reader, &call)
                     : raise_error(&error);
        tlu_reader_close(reader);
    }
    source_end(&source);
    return result;
}

static PyObject *model_threshold(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *object;
    double threshold;
    tlu_model *copy;
    const tlu_model *model;
    tlu_error error;
    if (!PyArg_ParseTuple(arguments, "Od", &object, &threshold) ||
        !(model = model_unwrap(object))) {
        return NULL;
    }
    return tlu_model_with_threshold(model, threshold, &copy, &error) == TLU_OK
               ? model_wrap(copy)
               : raise_error(&error);
}

// ---- evaluation ----

static PyObject *metrics_dict(const tlu_evaluation *evaluation)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < evaluation->metric_count; i++) {
        if (set_item(dict, evaluation->metrics[i].name,
                     PyFloat_FromDouble(evaluation->metrics[i].value)) != 0) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

static PyObject *confusion_row(const void *context, size_t index)
{
    const tlu_evaluation *evaluation = context;
    return counts_new(evaluation->confusion + index * evaluation->classes, evaluation->classes);
}

static PyObject *quality_tuple(const void *context, size_t index)
{
    const tlu_class_quality *quality = &((const tlu_evaluation *)context)->per_class[index];
    return Py_BuildValue("(dddK)", quality->precision, quality->recall, quality->f1,
                         U64(quality->support));
}

static PyObject *evaluate(PyObject *module, PyObject *arguments)
{
    (void)module;
    struct source source;
    struct call call;
    tlu_evaluation *evaluation;
    tlu_error error;
    const tlu_model *model = take_model_and_source(arguments, &source);
    if (!model) {
        return NULL;
    }
    call_begin(&call, NULL);
    const tlu_status status = tlu_evaluate(model, source.path, source.options, &evaluation, &error);
    call_end(&call);
    source_end(&source);
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    PyObject *dict =
        Py_BuildValue("{s:K,s:K,s:d,s:d,s:K}", "examples", U64(evaluation->examples), "correct",
                      U64(evaluation->correct), "accuracy", evaluation->accuracy, "auc",
                      evaluation->auc, "ambiguous", U64(evaluation->ambiguous));
    if (set_item(dict, "metrics", metrics_dict(evaluation)) != 0 ||
        set_item(dict, "per_class", list_new(evaluation->classes, quality_tuple, evaluation)) !=
            0 ||
        set_item(dict, "confusion",
                 evaluation->confusion ? list_new(evaluation->classes, confusion_row, evaluation)
                                       : Py_NewRef(Py_None)) != 0) {
        Py_CLEAR(dict);
    }
    tlu_evaluation_free(evaluation);
    return dict;
}

static PyObject *find_threshold(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"model", "path", "objective", "value", "costs", "options", NULL};
    (void)module;
    PyObject *object;
    PyObject *path;
    PyObject *options = NULL;
    const tlu_model *model;
    struct source source;
    struct call call;
    tlu_threshold *threshold;
    tlu_error error;
    tlu_threshold_settings settings = {.size = sizeof settings, .objective = "f1"};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|sd(dd)O", names, &object, &path,
                                     &settings.objective, &settings.value,
                                     &settings.false_positive_cost, &settings.false_negative_cost,
                                     &options) ||
        !(model = model_unwrap(object)) || source_begin(&source, path, options) != 0) {
        return NULL;
    }
    settings.path = source.path;
    call_begin(&call, NULL);
    const tlu_status status =
        tlu_threshold_find(model, &settings, source.options, &threshold, &error);
    call_end(&call);
    source_end(&source);
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    PyObject *dict = Py_BuildValue(
        "{s:d,s:O,s:d,s:K,s:K,s:K,s:K,s:d,s:d,s:d,s:d,s:d}", "threshold", threshold->threshold,
        "on_probability", threshold->on_probability ? Py_True : Py_False, "score", threshold->score,
        "examples", U64(threshold->examples), "positives", U64(threshold->positives),
        "predicted_positive", U64(threshold->predicted_positive), "true_positives",
        U64(threshold->true_positives), "precision", threshold->precision, "recall",
        threshold->recall, "f1", threshold->f1, "accuracy", threshold->accuracy, "cost",
        threshold->cost);
    tlu_threshold_free(threshold);
    return dict;
}

// ---- cross-validation and tuning ----

static int on_fold(void *context, const tlu_fold *fold)
{
    struct call *call = context;
    call_hold(call);
    int stop = call_check(call);
    if (!stop && call->function) {
        stop = report(call, Py_BuildValue("{s:K,s:K,s:K,s:d}", "repeat", U64(fold->repeat), "fold",
                                          U64(fold->fold), "examples", U64(fold->examples), "value",
                                          fold->value));
    }
    call_release(call);
    return stop;
}

// Handles signals during the training of a fold.
static int on_training(void *context, const tlu_progress *progress)
{
    struct call *call = context;
    (void)progress;
    call_hold(call);
    const int stop = call_check(call);
    call_release(call);
    return stop;
}

static PyObject *fold_dict(const void *context, size_t index)
{
    const tlu_fold *fold = ((const tlu_validation *)context)->folds[index];
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:d,s:d,s:d}", "repeat", U64(fold->repeat), "fold",
                         U64(fold->fold), "training_examples", U64(fold->training_examples),
                         "examples", U64(fold->examples), "correct", U64(fold->correct), "accuracy",
                         fold->accuracy, "value", fold->value, "seconds", fold->seconds);
}

static PyObject *cross_validate(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "options", "folds", "repeats", "progress", NULL};
    (void)module;
    PyObject *path;
    PyObject *options = NULL;
    PyObject *progress = NULL;
    Py_ssize_t folds = 5;
    Py_ssize_t repeats = 1;
    struct source source;
    struct call call;
    tlu_validation *validation;
    tlu_error error;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OnnO", names, &path, &options, &folds,
                                     &repeats, &progress)) {
        return NULL;
    }
    if (folds < 2 || repeats < 1) {
        PyErr_SetString(PyExc_ValueError, folds < 2 ? "cross-validation needs 2 folds or more"
                                                    : "repeats is 1 or more");
        return NULL;
    }
    if (source_begin(&source, path, options) != 0) {
        return NULL;
    }
    const tlu_validation_settings settings = {.size = sizeof settings,
                                              .path = source.path,
                                              .folds = (size_t)folds,
                                              .repeats = (size_t)repeats,
                                              .function = on_fold,
                                              .context = &call,
                                              .progress = on_training,
                                              .progress_context = &call};
    call_begin(&call, progress);
    const tlu_status status =
        tlu_cross_validate_with(&settings, source.options, &validation, &error);
    call_end(&call);
    source_end(&source);
    if (status != TLU_OK) {
        return call_raise(&call, &error);
    }
    PyObject *dict = Py_BuildValue("{s:K,s:K,s:d,s:d,s:s,s:n}", "rows", U64(validation->rows),
                                   "classes", U64(validation->classes), "mean", validation->mean,
                                   "deviation", validation->deviation, "metric", validation->metric,
                                   "defined", (Py_ssize_t)validation->defined);
    if (set_item(dict, "folds", list_new(validation->count, fold_dict, validation)) != 0) {
        Py_CLEAR(dict);
    }
    tlu_validation_free(validation);
    return partial_result(&call, dict);
}

static int on_tuning(void *context, const tlu_tune_progress *progress)
{
    struct call *call = context;
    call_hold(call);
    int stop = call_check(call);
    if (!stop && call->function) {
        PyObject *dict =
            Py_BuildValue("{s:s,s:n,s:n,s:n,s:n,s:d,s:d,s:z,s:d}", "stage", progress->stage, "fold",
                          (Py_ssize_t)progress->fold, "folds", (Py_ssize_t)progress->folds, "done",
                          (Py_ssize_t)progress->done, "racing", (Py_ssize_t)progress->racing,
                          "seconds", progress->seconds, "seconds_left", progress->seconds_left,
                          "best", progress->best ? progress->best->name : NULL, "score",
                          progress->best ? progress->best->score : 0.0);
        stop = report(call, dict);
    }
    call_release(call);
    return stop;
}

static PyObject *candidate_dict(const void *context, size_t index)
{
    const tlu_candidate *candidate = ((const tlu_tuning *)context)->candidates[index];
    PyObject *dict =
        Py_BuildValue("{s:n,s:d,s:d,s:d,s:d,s:z,s:z}", "folds", (Py_ssize_t)candidate->folds,
                      "score", candidate->score, "deviation", candidate->deviation,
                      "standard_error", candidate->standard_error, "seconds", candidate->seconds,
                      "outcome", candidate->outcome, "reason", candidate->reason);
    if (set_item(dict, "name", text_new(candidate->name)) != 0 ||
        set_item(dict, "options", options_to_dict(candidate->options, 0)) != 0) {
        Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *tuning_dict(const tlu_tuning *tuning)
{
    PyObject *dict =
        Py_BuildValue("{s:K,s:K,s:n,s:n,s:K,s:n,s:d,s:z,s:z,s:d,s:d}", "rows", U64(tuning->rows),
                      "classes", U64(tuning->classes), "folds", (Py_ssize_t)tuning->folds,
                      "repeats", (Py_ssize_t)tuning->repeats, "passes", U64(tuning->passes),
                      "trainings", (Py_ssize_t)tuning->trainings, "seconds", tuning->seconds,
                      "stopped", tuning->stopped, "metric", tuning->metric, "p_value",
                      tuning->p_value, "differing_rows", tuning->differing_rows);
    if (set_item(dict, "candidates", list_new(tuning->count, candidate_dict, tuning)) != 0) {
        Py_CLEAR(dict);
    }
    return dict;
}

// Trains the best candidate of a tuning on all rows: (dict, model), or NULL with an exception.
// After a signal, or an exception of the callback, there is no time for that: (dict, None).
static PyObject *train_best(const tlu_tuning *tuning, int is_interrupted)
{
    struct call call;
    tlu_error error;
    tlu_model *model;
    if (is_interrupted) {
        return Py_BuildValue("(NO)", tuning_dict(tuning), Py_None);
    }
    call_begin(&call, NULL);
    const tlu_status status = tlu_tuning_train(tuning, 0, call_progress, &call, &model, &error);
    call_end(&call);
    if (status != TLU_OK) {
        return call_raise(&call, &error);
    }
    Py_XDECREF(call_interruption(&call));
    PyObject *wrapped = model_wrap(model);
    PyObject *dict = wrapped ? tuning_dict(tuning) : NULL;
    if (!dict) {
        Py_XDECREF(wrapped);
        return NULL;
    }
    return Py_BuildValue("(NN)", dict, wrapped);
}

static PyObject *tune(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path",  "options",    "learners", "budget",   "seconds",
                            "folds", "exhaustive", "repeats",  "progress", NULL};
    (void)module;
    PyObject *path;
    PyObject *options = NULL;
    PyObject *progress = NULL;
    unsigned long long budget = 0;
    Py_ssize_t folds = 0;
    Py_ssize_t repeats = 0;
    struct source source;
    struct call call;
    tlu_tuning *tuning;
    tlu_error error;
    tlu_tune_settings settings = {.size = sizeof settings};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OzKdnpnO", names, &path, &options,
                                     &settings.learners, &budget, &settings.seconds, &folds,
                                     &settings.exhaustive, &repeats, &progress)) {
        return NULL;
    }
    if (folds < 0 || repeats < 0 || settings.seconds < 0) {
        PyErr_SetString(PyExc_ValueError, "folds, repeats and seconds are 0 or more");
        return NULL;
    }
    if (source_begin(&source, path, options) != 0) {
        return NULL;
    }
    settings.path = source.path;
    settings.budget = budget;
    settings.folds = (size_t)folds;
    settings.repeats = (size_t)repeats;
    settings.progress = on_tuning;
    settings.progress_context = &call;
    call_begin(&call, progress);
    const tlu_status status = tlu_tune(&settings, source.options, &tuning, &error);
    call_end(&call);
    PyObject *result = NULL;
    if (status == TLU_OK) {
        result = partial_result(&call, train_best(tuning, call.exception != NULL));
        tlu_tuning_free(tuning);
    } else {
        call_raise(&call, &error);
    }
    source_end(&source);
    return result;
}

// ---- proofs ----

static int on_proof(void *context, const char *stage, double seconds)
{
    struct call *call = context;
    call_hold(call);
    int stop = call_check(call);
    if (!stop && call->function) {
        stop = report(call, Py_BuildValue("{s:z,s:d}", "stage", stage, "seconds", seconds));
    }
    call_release(call);
    return stop;
}

static PyObject *verdict_object(tlu_verdict verdict)
{
    return Py_NewRef(verdict == TLU_SEPARABLE       ? Py_True
                     : verdict == TLU_NOT_SEPARABLE ? Py_False
                                                    : Py_None);
}

static PyObject *proof_row(const void *context, size_t index)
{
    const tlu_proof_row *row = &((const tlu_separability *)context)->rows[index];
    return Py_BuildValue("{s:K,s:z,s:N,s:N,s:n}", "line", U64(row->line), "weight", row->weight,
                         "label", text_new(row->label), "rival", text_new(row->rival), "set",
                         (Py_ssize_t)row->set);
}

static PyObject *plane_weight(const void *context, size_t index)
{
    const tlu_plane_weight *weight = &((const tlu_separability *)context)->weights[index];
    return Py_BuildValue("{s:N,s:N,s:z,s:d}", "feature", text_new(weight->feature), "label",
                         text_new(weight->label), "exact", weight->exact, "weight", weight->weight);
}

static PyObject *separability_dict(const tlu_separability *answer)
{
    PyObject *dict = Py_BuildValue(
        "{s:N,s:K,s:K,s:K,s:z,s:d,s:d,s:d,s:d,s:d,s:K,s:K,s:O,s:d}", "separable",
        verdict_object(answer->verdict), "examples", U64(answer->examples), "features",
        U64(answer->features), "classes", U64(answer->classes), "found_by", answer->found_by,
        "margin_low", answer->margin_low, "margin_high", answer->margin_high, "radius",
        answer->radius, "bound", answer->bound, "bound_with_bias", answer->bound_with_bias,
        "mistakes", U64(answer->mistakes), "mistakes_min", U64(answer->mistakes_min), "fewest",
        answer->fewest ? Py_True : Py_False, "seconds", answer->seconds);
    PyObject *proof =
        answer->proof
            ? PyUnicode_DecodeUTF8(answer->proof, (Py_ssize_t)answer->proof_size, "surrogateescape")
            : Py_NewRef(Py_None);
    if (set_item(dict, "proof", proof) != 0 ||
        set_item(dict, "positive", text_new(answer->positive)) != 0 ||
        set_item(dict, "negative", text_new(answer->negative)) != 0 ||
        set_item(dict, "rows", list_new(answer->row_count, proof_row, answer)) != 0 ||
        set_item(dict, "weights", list_new(answer->weight_count, plane_weight, answer)) != 0) {
        Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *separable(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "options", "only", "seconds", "approximate", "progress", NULL};
    (void)module;
    PyObject *path;
    PyObject *options = NULL;
    PyObject *progress = NULL;
    struct source source;
    struct call call;
    tlu_separability *answer;
    tlu_error error;
    tlu_separability_settings settings = {.size = sizeof settings};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OzdpO", names, &path, &options,
                                     &settings.only, &settings.seconds, &settings.approximate,
                                     &progress) ||
        source_begin(&source, path, options) != 0) {
        return NULL;
    }
    settings.path = source.path;
    settings.progress = on_proof;
    settings.progress_context = &call;
    call_begin(&call, progress);
    const tlu_status status = tlu_separability_decide(&settings, source.options, &answer, &error);
    call_end(&call);
    source_end(&source);
    if (status != TLU_OK) {
        return call_raise(&call, &error);
    }
    PyObject *dict = separability_dict(answer);
    tlu_separability_free(answer);
    return partial_result(&call, dict);
}

static PyObject *check_proof(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *proof;
    const char *data;
    Py_ssize_t proof_size;
    Py_ssize_t data_size;
    struct call call;
    tlu_proof_report *checked;
    tlu_error error;
    if (!PyArg_ParseTuple(arguments, "y#y#", &proof, &proof_size, &data, &data_size)) {
        return NULL;
    }
    call_begin(&call, NULL);
    const tlu_status status =
        tlu_proof_check(proof, (size_t)proof_size, data, (size_t)data_size, &checked, &error);
    call_end(&call);
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    PyObject *dict =
        Py_BuildValue("{s:O,s:z,s:K,s:K,s:d,s:d,s:K,s:K,s:O,s:K,s:N}", "accepted",
                      checked->accepted ? Py_True : Py_False, "claim", checked->claim, "rows",
                      U64(checked->rows), "classes", U64(checked->classes), "margin_low",
                      checked->has_low ? checked->margin_low : Py_NAN, "margin_high",
                      checked->has_high ? checked->margin_high : Py_NAN, "mistakes_min",
                      U64(checked->mistakes_min), "mistakes_max", U64(checked->mistakes_max),
                      "in_data", checked->in_data ? Py_True : Py_False, "line", U64(checked->line),
                      "reason", text_new(checked->reason));
    tlu_proof_report_free(checked);
    return dict;
}

static PyObject *bound_dict(const tlu_mistake_bound *bound)
{
    PyObject *dict = Py_BuildValue(
        "{s:N,s:K,s:O,s:d,s:K,s:d,s:d,s:d,s:n,s:K,s:d,s:d,s:d,s:O,s:K,s:O,s:d,s:d}", "separable",
        verdict_object(bound->verdict), "examples", U64(bound->examples), "bias",
        bound->bias ? Py_True : Py_False, "radius", bound->radius, "radius_line",
        U64(bound->radius_line), "margin_low", bound->margin_low, "margin_high", bound->margin_high,
        "bound", bound->bound, "runs", (Py_ssize_t)bound->runs, "dropped_line",
        U64(bound->dropped_line), "dropped_radius", bound->dropped_radius, "dropped_margin",
        bound->dropped_margin, "dropped_bound", bound->dropped_bound, "ended_early",
        bound->ended_early ? Py_True : Py_False, "classes", U64(bound->classes), "scaled",
        bound->scaled ? Py_True : Py_False, "error_bound", bound->error_bound, "error_estimate",
        bound->error_estimate);
    if (set_item(dict, "mistakes", counts_new(bound->mistakes, bound->runs)) != 0) {
        Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *mistake_bound(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path",   "options", "only",     "runs",
                            "epochs", "seconds", "progress", NULL};
    (void)module;
    PyObject *path;
    PyObject *options = NULL;
    PyObject *progress = NULL;
    Py_ssize_t runs = 0;
    unsigned long long epochs = 0;
    struct source source;
    struct call call;
    tlu_mistake_bound *bound;
    tlu_error error;
    tlu_mistake_bound_settings settings = {.size = sizeof settings};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OznKdO", names, &path, &options,
                                     &settings.only, &runs, &epochs, &settings.seconds,
                                     &progress)) {
        return NULL;
    }
    if (runs < 0) {
        PyErr_SetString(PyExc_ValueError, "runs is 0 or more");
        return NULL;
    }
    if (source_begin(&source, path, options) != 0) {
        return NULL;
    }
    settings.path = source.path;
    settings.runs = (size_t)runs;
    settings.epochs = epochs;
    settings.progress = on_proof;
    settings.progress_context = &call;
    call_begin(&call, progress);
    const tlu_status status = tlu_mistake_bound_compute(&settings, source.options, &bound, &error);
    call_end(&call);
    source_end(&source);
    if (status != TLU_OK) {
        return call_raise(&call, &error);
    }
    PyObject *dict = bound_dict(bound);
    tlu_mistake_bound_free(bound);
    return partial_result(&call, dict);
}

// ---- training step by step ----

struct tracing {
    struct call call;
    uint64_t limit; // steps; 0: all
    uint64_t steps;
};

static PyObject *step_name(const tlu_step *step, size_t feature)
{
    char name[256];
    const size_t length = tlu_step_feature_name(step, feature, name, sizeof name);
    return length < sizeof name ? text_new(name) : PyUnicode_FromFormat("%zu", feature);
}

static PyObject *step_example(const tlu_step *step)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < step->example.count; i++) {
        PyObject *name = step_name(step, step->example.features ? step->example.features[i] : i);
        PyObject *value =
            PyFloat_FromDouble(step->example.values ? (double)step->example.values[i] : 1);
        if (!name || !value || PyDict_SetItem(dict, name, value) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    return dict;
}

// The weights of a column after the step that are not 0, by name.
static PyObject *step_weights(const tlu_step *step, size_t column)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && !step->dual && i < step->features; i++) {
        const double weight = tlu_step_weight(step, column, i);
        if (weight == 0) {
            continue;
        }
        PyObject *name = step_name(step, i);
        PyObject *value = PyFloat_FromDouble(weight);
        if (!name || !value || PyDict_SetItem(dict, name, value) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *step_column(const void *context, size_t column)
{
    const tlu_step *step = context;
    const char *against;
    const char *label = tlu_step_column_label(step, column, &against);
    PyObject *weights = step_weights(step, column);
    return weights ? Py_BuildValue("{s:N,s:N,s:d,s:d,s:N}", "label", text_new(label), "against",
                                   text_new(against), "score", step->scores[column], "bias",
                                   tlu_step_bias(step, column), "weights", weights)
                   : NULL;
}

static PyObject *alpha_at(const void *context, size_t row)
{
    const tlu_step *step = context;
    return PyFloat_FromDouble(tlu_step_alpha(step, 0, row + 1));
}

static PyObject *step_dict(const tlu_step *step)
{
    PyObject *dict = Py_BuildValue(
        "{s:K,s:K,s:K,s:K,s:N,s:N,s:O,s:O,s:O}", "step", U64(step->step), "epoch", U64(step->pass),
        "row", U64(step->row), "line", U64(step->line), "label", text_new(step->label), "predicted",
        text_new(step->predicted), "mistake", step->mistake ? Py_True : Py_False, "updated",
        step->updated ? Py_True : Py_False, "tie", step->tie ? Py_True : Py_False);
    if (set_item(dict, "example", step_example(step)) != 0 ||
        set_item(dict, "columns", list_new(step->columns, step_column, step)) != 0 ||
        set_item(dict, "alphas",
                 step->dual ? list_new((size_t)step->examples, alpha_at, step)
                            : Py_NewRef(Py_None)) != 0) {
        Py_CLEAR(dict);
    }
    return dict;
}

static int on_step(void *context, const tlu_step *step)
{
    struct tracing *tracing = context;
    call_hold(&tracing->call);
    int stop = call_check(&tracing->call);
    if (!stop) {
        stop = report(&tracing->call, step_dict(step)) ||
               (tracing->limit && ++tracing->steps >= tracing->limit);
    }
    call_release(&tracing->call);
    return stop;
}

static PyObject *trace(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "function", "options", "limit", NULL};
    (void)module;
    PyObject *path;
    PyObject *function;
    PyObject *options = NULL;
    unsigned long long limit = 0;
    struct source source;
    struct tracing tracing = {0};
    tlu_model *model = NULL;
    tlu_error error;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OK", names, &path, &function,
                                     &options, &limit) ||
        source_begin(&source, path, options) != 0) {
        return NULL;
    }
    tracing.limit = limit;
    call_begin(&tracing.call, function);
    const tlu_status status =
        tlu_trace(source.path, source.options, on_step, &tracing, &model, &error);
    call_end(&tracing.call);
    source_end(&source);
    if (status != TLU_OK || tracing.call.exception) {
        tlu_model_free(status == TLU_OK ? model : NULL);
        return call_raise(&tracing.call, &error);
    }
    return model ? model_wrap(model) : Py_NewRef(Py_None);
}

// ---- metrics ----

// An array of the right length in a buffer, or NULL if the object is None; -1 with an exception.
static int take_array(PyObject *object, const char *name, size_t item, size_t count,
                      Py_buffer *view, const void **array)
{
    *array = NULL;
    view->obj = NULL;
    if (object == Py_None) {
        return 0;
    }
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS) != 0) {
        return -1;
    }
    if ((size_t)view->len != count * item) {
        PyErr_Format(PyExc_ValueError, "%s has %zd bytes instead of %zu", name, view->len,
                     count * item);
        PyBuffer_Release(view);
        return -1;
    }
    *array = view->buf;
    return 0;
}

static PyObject *metric(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *given[5];
    const char *name;
    Py_ssize_t rows;
    Py_ssize_t classes;
    Py_ssize_t positive;
    if (!PyArg_ParseTuple(arguments, "snnnOOOOO", &name, &rows, &classes, &positive, &given[0],
                          &given[1], &given[2], &given[3], &given[4])) {
        return NULL;
    }
    static const char *const names[] = {"labels", "predictions", "scores", "probabilities",
                                        "weights"};
    const size_t count = (size_t)rows;
    const size_t wide = count * (size_t)classes;
    const size_t counts[] = {count, count, classes == 2 ? count : wide, wide, count};
    const void *arrays[5] = {NULL};
    Py_buffer views[5];
    int done = 0;
    size_t taken = 0;
    while (taken < 5 && done == 0) {
        done = take_array(given[taken], names[taken], taken < 2 ? sizeof(uint32_t) : sizeof(double),
                          counts[taken], &views[taken], &arrays[taken]);
        taken += done == 0;
    }
    const tlu_metric_data data = {.size = sizeof data,
                                  .rows = count,
                                  .classes = (size_t)classes,
                                  .positive = (size_t)positive,
                                  .labels = arrays[0],
                                  .predictions = arrays[1],
                                  .scores = arrays[2],
                                  .probabilities = arrays[3],
                                  .weights = arrays[4]};
    double value;
    tlu_error error;
    PyObject *result = NULL;
    if (done == 0) {
        result = tlu_metric_compute(&data, name, &value, &error) == TLU_OK
                     ? PyFloat_FromDouble(value)
                     : raise_error(&error);
    }
    for (size_t i = 0; i < taken; i++) {
        if (views[i].obj) {
            PyBuffer_Release(&views[i]);
        }
    }
    return result;
}

static PyObject *metrics(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    PyObject *list = PyList_New(0);
    const tlu_metric_info *info;
    for (size_t i = 0; list && (info = tlu_metric_at(i)) != NULL; i++) {
        PyObject *dict = Py_BuildValue(
            "{s:s,s:s,s:O,s:s,s:s}", "name", info->name, "help", info->help, "higher_is_better",
            info->higher_is_better ? Py_True : Py_False, "needs", info->needs, "rows", info->rows);
        if (!dict || PyList_Append(list, dict) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(dict);
    }
    return list;
}

// ---- generated data ----

static int write_bytes(void *context, const char *bytes, size_t size)
{
    PyObject *list = context;
    PyObject *part = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    const int failed = !part || PyList_Append(list, part) != 0;
    Py_XDECREF(part);
    return failed;
}

static PyObject *generate(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"kind",  "format", "rows",   "features", "nonzeros", "classes",
                            "noise", "margin", "radius", "seed",     NULL};
    (void)module;
    const char *kind;
    const char *format = NULL;
    PyObject *numbers[8] = {NULL};
    tlu_recipe recipe = {.size = sizeof recipe};
    tlu_error error;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "s|zOOOOOOOO", names, &kind, &format,
                                     &numbers[0], &numbers[1], &numbers[2], &numbers[3],
                                     &numbers[4], &numbers[5], &numbers[6], &numbers[7])) {
        return NULL;
    }
    if (tlu_recipe_init(kind, &recipe, &error) != TLU_OK) {
        return raise_error(&error);
    }
    uint64_t *counts[8] = {
        &recipe.rows, &recipe.features, &recipe.nonzeros, &recipe.classes, NULL, NULL,
        NULL,         &recipe.seed};
    double *reals[8] = {NULL,          NULL,           NULL,           NULL,
                        &recipe.noise, &recipe.margin, &recipe.radius, NULL};
    for (size_t i = 0; i < 8; i++) {
        if (!numbers[i] || numbers[i] == Py_None) {
            continue;
        }
        if (counts[i]) {
            *counts[i] = PyLong_AsUnsignedLongLong(numbers[i]);
        } else {
            *reals[i] = PyFloat_AsDouble(numbers[i]);
        }
        if (PyErr_Occurred()) {
            return NULL;
        }
    }
    if (format) {
        recipe.format = format;
    }
    PyObject *parts = PyList_New(0);
    PyObject *empty = PyBytes_FromStringAndSize(NULL, 0);
    PyObject *bytes = NULL;
    if (parts && empty) {
        bytes = tlu_generate(&recipe, write_bytes, parts, &error) == TLU_OK
                    ? PyObject_CallMethod(empty, "join", "O", parts)
                    : raise_error(&error);
    }
    Py_XDECREF(parts);
    Py_XDECREF(empty);
    return bytes;
}

#define KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef functions[] = {
    {"model_describe", model_describe, METH_O, "model_describe(model)"},
    {"model_class_weights", model_class_weights, METH_VARARGS,
     "model_class_weights(model, class_index, scaled=False)"},
    {"model_predict_line", model_predict_line, METH_VARARGS, "model_predict_line(model, line)"},
    {"model_predict_pairs", model_predict_pairs, METH_VARARGS, "model_predict_pairs(model, pairs)"},
    {"model_explain_pairs", model_explain_pairs, METH_VARARGS,
     "model_explain_pairs(model, pairs, label, top)"},
    {"model_explain_bytes", model_explain_bytes, METH_VARARGS,
     "model_explain_bytes(model, bytes, options, label, top)"},
    {"model_probability_list", model_probability_list, METH_VARARGS,
     "model_probability_list(model, scores)"},
    {"model_threshold", model_threshold, METH_VARARGS, "model_threshold(model, threshold)"},
    {"predict_file", predict_file, METH_VARARGS, "predict_file(model, path, options=None)"},
    {"evaluate", evaluate, METH_VARARGS, "evaluate(model, path, options=None)"},
    {"find_threshold", KEYWORDS(find_threshold),
     "find_threshold(model, path, objective='f1', value=0, costs=(0, 0), options=None)"},
    {"cross_validate", KEYWORDS(cross_validate),
     "cross_validate(path, options=None, folds=5, repeats=1, progress=None)"},
    {"tune", KEYWORDS(tune),
     "tune(path, options=None, learners=None, budget=0, seconds=0, "
     "folds=0, exhaustive=False, repeats=0, progress=None)"},
    {"separable", KEYWORDS(separable),
     "separable(path, options=None, only=None, seconds=0, "
     "approximate=False, progress=None)"},
    {"check_proof", check_proof, METH_VARARGS, "check_proof(proof, data)"},
    {"mistake_bound", KEYWORDS(mistake_bound),
     "mistake_bound(path, options=None, only=None, runs=0, epochs=0, seconds=0, progress=None)"},
    {"trace", KEYWORDS(trace), "trace(path, function, options=None, limit=0)"},
    {"metric", metric, METH_VARARGS,
     "metric(name, rows, classes, positive, labels, predictions, scores, probabilities, weights)"},
    {"metrics", metrics, METH_NOARGS, "metrics()"},
    {"generate", KEYWORDS(generate), "generate(kind, format=None, ...)"},
    {NULL},
};

int add_library(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
