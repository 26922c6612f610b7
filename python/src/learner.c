// The type Learner: learning from one example at a time, in River's conventions. Rows are dicts.
//
// The numbers of features are kept by name (struct names). Rows of one program mostly share the
// objects of their names, so a name is first looked up by its address (struct seen): no hash, no
// comparison of texts, and no branch that depends on the data.

#include <float.h>
#include <math.h>
#include <string.h>

#include "tlu_python.h"

#define NO_NUMBER UINT32_MAX

struct names;

struct name {
    PyObject *key; // a str, owned
    Py_hash_t hash;
    uint32_t feature;     // NO_NUMBER: not known yet
    struct names *values; // of a category: the features KEY=VALUE by VALUE; NULL: none
};

// A hash table with open addressing.
struct names {
    struct name *at; // [capacity]
    uint32_t count, capacity;
    uint32_t *slots; // [mask + 1] place in `at` plus 1; 0: free
    size_t mask;
};

static void names_free(struct names *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        Py_DECREF(names->at[i].key);
        if (names->at[i].values) {
            names_free(names->at[i].values);
            PyMem_Free(names->at[i].values);
        }
    }
    PyMem_Free(names->at);
    PyMem_Free(names->slots);
    *names = (struct names){0};
}

static int names_grow(struct names *names)
{
    const uint32_t capacity = names->capacity ? 2 * names->capacity : 16;
    struct name *at = PyMem_Realloc(names->at, capacity * sizeof *at);
    if (at) {
        names->at = at;
    }
    uint32_t *slots = at ? PyMem_Calloc(4 * (size_t)capacity, sizeof *slots) : NULL;
    if (!slots) {
        PyErr_NoMemory();
        return -1;
    }
    PyMem_Free(names->slots);
    names->slots = slots;
    names->capacity = capacity;
    names->mask = 4 * (size_t)capacity - 1;
    for (uint32_t i = 0; i < names->count; i++) {
        size_t slot = (size_t)names->at[i].hash & names->mask;
        while (slots[slot]) {
            slot = (slot + 1) & names->mask;
        }
        slots[slot] = i + 1;
    }
    return 0;
}

// Two str are equal only if their kinds are: Python stores each in the smallest that fits.
static inline int is_same(const struct name *name, PyObject *key, Py_hash_t hash)
{
    if (name->key == key) {
        return 1;
    }
    const Py_ssize_t length = PyUnicode_GET_LENGTH(key);
    if (name->hash != hash || PyUnicode_GET_LENGTH(name->key) != length ||
        PyUnicode_KIND(name->key) != PyUnicode_KIND(key)) {
        return 0;
    }
    const char *a = PyUnicode_DATA(name->key);
    const char *b = PyUnicode_DATA(key);
    const size_t size = (size_t)length * (size_t)PyUnicode_KIND(key);
    size_t i = 0;
    while (i < size && a[i] == b[i]) { // most names are too short for a call of memcmp
        i++;
    }
    return i == size;
}

// The hash of a str, which a key of a dict has stored.
static inline Py_hash_t hash_of(PyObject *key)
{
    const Py_hash_t hash = ((PyASCIIObject *)key)->hash;
    return hash != -1 ? hash : PyObject_Hash(key);
}

// Finds a name, or adds it; NULL with an exception.
static struct name *names_get(struct names *names, PyObject *key)
{
    const Py_hash_t hash = hash_of(key);
    if (hash == -1 || (names->count == names->capacity && names_grow(names) != 0)) {
        return NULL;
    }
    size_t slot = (size_t)hash & names->mask;
    for (; names->slots[slot]; slot = (slot + 1) & names->mask) {
        struct name *name = &names->at[names->slots[slot] - 1];
        if (is_same(name, key, hash)) {
            return name;
        }
    }
    names->slots[slot] = ++names->count;
    struct name *name = &names->at[names->count - 1];
    *name = (struct name){.key = Py_NewRef(key), .hash = hash, .feature = NO_NUMBER};
    return name;
}

// Names by address: those that `names` owns, so that no address is used again. The table has no
// chains: the name that was looked up last has the slot.
#define SEEN_MIN ((size_t)1 << 11)
#define SEEN_MAX ((size_t)1 << 18) // a larger one does not fit the caches
struct seen {
    PyObject *key; // NULL: none
    uint32_t feature;
    uint32_t place; // in names.at
};

// ---- the type ----

struct label {
    PyObject *object;   // as the user gave it
    PyObject *bytes;    // its text
    const char *text;   // the same
    const char *answer; // the text that the learner gives for it; NULL: not seen yet
};

struct learner_object {
    PyObject_HEAD tlu_learner *learner;
    PyObject *options; // dict of the caller
    int numbered;      // features have fixed numbers (tlu_learner_feature)

    struct names names;
    struct seen *seen; // [seen_mask + 1]
    size_t seen_mask;

    // Rows by number or, if numbers are not fixed, by name.
    size_t capacity;
    uint32_t *features;
    float *values;
    tlu_feature *named;
    PyObject *texts; // list of names KEY=VALUE that `named` points to

    struct label *labels; // [label_count] in the order of arrival
    size_t label_count, label_capacity;
    PyObject *label_places; // dict: object -> place in labels
};

static struct learner_object *own(PyObject *self)
{
    return (struct learner_object *)self;
}

static inline struct seen *seen_slot(const struct learner_object *self, const PyObject *key)
{
    const size_t address = (size_t)key >> 4;
    return &self->seen[(address ^ address >> 11) & self->seen_mask];
}

static void keep_seen(struct learner_object *self, const struct name *name)
{
    *seen_slot(self, name->key) =
        (struct seen){name->key, name->feature, (uint32_t)(name - self->names.at)};
}

// Doubles the table if more than a sixteenth of it is in use, so that names seldom share a slot.
// Without memory it stays as it is.
static void grow_seen(struct learner_object *self)
{
    const size_t count = self->seen_mask + 1;
    if (self->names.count <= count / 16 || count >= SEEN_MAX) {
        return;
    }
    struct seen *seen = PyMem_Calloc(2 * count, sizeof *seen);
    if (!seen) {
        return;
    }
    PyMem_Free(self->seen);
    self->seen = seen;
    self->seen_mask = 2 * count - 1;
    for (uint32_t i = 0; i < self->names.count; i++) {
        keep_seen(self, &self->names.at[i]);
    }
}

static void learner_dealloc(PyObject *object)
{
    struct learner_object *self = own(object);
    tlu_learner_free(self->learner);
    names_free(&self->names);
    PyMem_Free(self->seen);
    PyMem_Free(self->features);
    PyMem_Free(self->values);
    PyMem_Free(self->named);
    for (size_t i = 0; i < self->label_count; i++) {
        Py_DECREF(self->labels[i].object);
        Py_DECREF(self->labels[i].bytes);
    }
    PyMem_Free(self->labels);
    Py_XDECREF(self->label_places);
    Py_XDECREF(self->texts);
    Py_XDECREF(self->options);
    Py_TYPE(object)->tp_free(object);
}

static PyObject *learner_wrap(PyTypeObject *type, tlu_learner *learner, PyObject *options,
                              int numbered)
{
    PyObject *object = type->tp_alloc(type, 0);
    if (!object) {
        tlu_learner_free(learner);
        return NULL;
    }
    struct learner_object *self = own(object);
    self->learner = learner;
    self->numbered = numbered;
    self->options = options && options != Py_None ? PyDict_Copy(options) : PyDict_New();
    self->label_places = PyDict_New();
    self->texts = PyList_New(0);
    self->seen = PyMem_Calloc(SEEN_MIN, sizeof *self->seen);
    self->seen_mask = SEEN_MIN - 1;
    if (!self->options || !self->label_places || !self->texts || !self->seen) {
        Py_CLEAR(object);
        PyErr_NoMemory();
    }
    return object;
}

static int has_numbers(const tlu_options *options)
{
    return strcmp(tlu_options_get(options, "hash"), tlu_option_find("hash")->value) == 0 &&
           strcmp(tlu_options_get(options, "max-features"),
                  tlu_option_find("max-features")->value) == 0;
}

static PyObject *learner_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"options", NULL};
    PyObject *dict = NULL;
    tlu_options *options;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", names, &dict) ||
        options_from_dict(dict, &options) != 0) {
        return NULL;
    }
    tlu_error error;
    tlu_learner *learner;
    const int numbered = has_numbers(options);
    const tlu_status status = tlu_learner_new(options, &learner, &error);
    tlu_options_free(options);
    return status == TLU_OK ? learner_wrap(type, learner, dict, numbered) : raise_error(&error);
}

// ---- labels ----

static struct label *add_label(struct learner_object *self, PyObject *object, PyObject *text)
{
    if (self->label_count == self->label_capacity) {
        const size_t capacity = self->label_capacity ? 2 * self->label_capacity : 8;
        struct label *labels = PyMem_Realloc(self->labels, capacity * sizeof *labels);
        if (!labels) {
            PyErr_NoMemory();
            return NULL;
        }
        self->labels = labels;
        self->label_capacity = capacity;
    }
    struct label label = {.object = object};
    label.bytes = text_bytes(text, &label.text);
    PyObject *place = label.bytes ? PyLong_FromSize_t(self->label_count) : NULL;
    if (!place || PyDict_SetItem(self->label_places, object, place) != 0) {
        Py_XDECREF(label.bytes);
        Py_XDECREF(place);
        return NULL;
    }
    Py_DECREF(place);
    Py_INCREF(object);
    self->labels[self->label_count] = label;
    return &self->labels[self->label_count++];
}

// The label of an object, such as "spam", 1 or True; NULL with an exception.
static struct label *find_label(struct learner_object *self, PyObject *object)
{
    for (size_t i = 0; i < self->label_count && i < 8; i++) {
        if (self->labels[i].object == object) {
            return &self->labels[i];
        }
    }
    PyObject *place = PyDict_GetItemWithError(self->label_places, object);
    if (place) {
        return &self->labels[PyLong_AsSize_t(place)];
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    if (object == Py_None) {
        PyErr_SetString(PyExc_ValueError, "an example to learn from needs a label, not None");
        return NULL;
    }
    PyObject *text = PyObject_Str(object);
    struct label *label = text ? add_label(self, object, text) : NULL;
    Py_XDECREF(text);
    return label;
}

// The object for a label of the learner: the first one that was given for it, or else its text.
static PyObject *label_object(struct learner_object *self, const char *answer)
{
    if (!answer) {
        Py_RETURN_NONE;
    }
    for (size_t i = 0; i < self->label_count; i++) {
        if (self->labels[i].answer == answer) {
            return Py_NewRef(self->labels[i].object);
        }
    }
    for (size_t i = 0; i < self->label_count; i++) {
        if (!self->labels[i].answer && strcmp(self->labels[i].text, answer) == 0) {
            self->labels[i].answer = answer;
            return Py_NewRef(self->labels[i].object);
        }
    }
    return text_new(answer);
}

// ---- rows ----

static int reserve(struct learner_object *self, size_t count)
{
    if (count <= self->capacity) {
        return 0;
    }
    const size_t capacity = 2 * count;
    uint32_t *features = PyMem_Realloc(self->features, capacity * sizeof *features);
    self->features = features ? features : self->features;
    float *values = PyMem_Realloc(self->values, capacity * sizeof *values);
    self->values = values ? values : self->values;
    tlu_feature *named = PyMem_Realloc(self->named, capacity * sizeof *named);
    self->named = named ? named : self->named;
    if (!features || !values || !named) {
        PyErr_NoMemory();
        return -1;
    }
    self->capacity = capacity;
    return 0;
}

static int refuse_value(PyObject *key, PyObject *value)
{
    if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError,
                     "the value of feature %R is not a finite number up to 3.4e38: %R", key, value);
    }
    return -1;
}

// The number of a value that is not a float: 1 if it is one, 0 if it is missing, -1 with an
// exception.
static int other_number(PyObject *key, PyObject *value, double *number)
{
    if (PyLong_Check(value)) { // bool, too
        *number = PyLong_AsDouble(value);
    } else if (value == Py_None) {
        return 0;
    } else {
        *number = PyFloat_AsDouble(value); // NumPy's, Decimal, ...
    }
    if (*number == -1 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError,
                         "the value of feature %R is neither a number nor text: %.200s", key,
                         Py_TYPE(value)->tp_name);
        }
        return -1;
    }
    return 1;
}

// As other_number, of any value but text. NaN is missing.
static inline int take_number(PyObject *key, PyObject *value, double *number)
{
    if (PyFloat_CheckExact(value)) {
        *number = PyFloat_AS_DOUBLE(value);
    } else {
        const int done = other_number(key, value, number);
        if (done <= 0) {
            return done;
        }
    }
    if (fabs(*number) <= (double)FLT_MAX) {
        return 1;
    }
    return isnan(*number) ? 0 : refuse_value(key, value);
}

static PyObject *category_name(PyObject *key, PyObject *value)
{
    return PyUnicode_FromFormat("%S=%U", key, value);
}

static int number_name(struct learner_object *self, PyObject *text, uint32_t *feature)
{
    const char *bytes;
    tlu_error error;
    PyObject *owner = text_bytes(text, &bytes);
    if (!owner) {
        return -1;
    }
    const tlu_status status = tlu_learner_feature(self->learner, bytes, feature, &error);
    Py_DECREF(owner);
    if (status != TLU_OK) {
        raise_error(&error);
        return -1;
    }
    return 0;
}

// The feature of KEY, or KEY=VALUE of a text.
static int find_feature(struct learner_object *self, struct name *name, PyObject *value,
                        uint32_t *feature)
{
    if (!value) {
        *feature = name->feature;
        return *feature != NO_NUMBER                        ? 0
               : number_name(self, name->key, feature) == 0 ? (name->feature = *feature, 0)
                                                            : -1;
    }
    if (!name->values) {
        name->values = PyMem_Calloc(1, sizeof *name->values);
        if (!name->values) {
            PyErr_NoMemory();
            return -1;
        }
    }
    struct name *category = names_get(name->values, value);
    if (category && category->feature == NO_NUMBER) {
        PyObject *text = category_name(name->key, value);
        const int done = text ? number_name(self, text, &category->feature) : -1;
        Py_XDECREF(text);
        if (done != 0) {
            return -1;
        }
    }
    *feature = category ? category->feature : NO_NUMBER;
    return category ? 0 : -1;
}

// Keys that are no texts, such as numbers, have the name that str gives.
static struct name *other_name(struct learner_object *self, PyObject *key)
{
    if (PyUnicode_CheckExact(key)) {
        return names_get(&self->names, key);
    }
    PyObject *text = PyObject_Str(key);
    struct name *name = text ? names_get(&self->names, text) : NULL;
    Py_XDECREF(text);
    return name;
}

// Finds the name of a key, and keeps it by its address; NULL with an exception.
static struct name *look_up(struct learner_object *self, PyObject *key)
{
    struct name *name = other_name(self, key);
    if (name && name->key == key) {
        grow_seen(self);
        keep_seen(self, name);
    }
    return name;
}

// The feature of a key, and for a text that of KEY=VALUE; -1 with an exception.
static int take_feature(struct learner_object *self, PyObject *key, PyObject *text,
                        uint32_t *feature)
{
    struct seen *seen = seen_slot(self, key);
    struct name *name = seen->key == key ? &self->names.at[seen->place] : look_up(self, key);
    if (!name || find_feature(self, name, text, feature) != 0) {
        return -1;
    }
    seen = seen_slot(self, key); // look_up may have made a larger table
    if (seen->key == key) {
        seen->feature = name->feature;
    }
    return 0;
}

// Makes a row of numbers of a dict; -1 with an exception.
static int take_row(struct learner_object *self, PyObject *x, tlu_row *row)
{
    Py_ssize_t place = 0;
    PyObject *key;
    PyObject *value;
    size_t count = 0;
    if (reserve(self, (size_t)PyDict_GET_SIZE(x)) != 0) {
        return -1;
    }
    while (PyDict_Next(x, &place, &key, &value) && count < self->capacity) {
        double number = 1;
        const int is_text = !PyFloat_CheckExact(value) && PyUnicode_Check(value);
        if (!is_text) {
            const int done = take_number(key, value, &number);
            if (done < 0) {
                return -1;
            }
            if (done == 0) {
                continue;
            }
        }
        const struct seen *seen = seen_slot(self, key);
        uint32_t feature = seen->feature;
        if ((seen->key != key || is_text || feature == NO_NUMBER) &&
            take_feature(self, key, is_text ? value : NULL, &feature) != 0) {
            return -1;
        }
        self->features[count] = feature;
        self->values[count++] = (float)number;
    }
    *row = (tlu_row){count, self->features, self->values};
    return 0;
}

// The same with names; returns their number, or -1 with an exception.
static Py_ssize_t take_names(struct learner_object *self, PyObject *x)
{
    Py_ssize_t place = 0;
    PyObject *key;
    PyObject *value;
    size_t count = 0;
    if (PyList_SetSlice(self->texts, 0, PyList_GET_SIZE(self->texts), NULL) != 0) {
        return -1;
    }
    while (PyDict_Next(x, &place, &key, &value)) {
        const int is_text = PyUnicode_Check(value);
        double number = 1;
        const int done = is_text ? 1 : take_number(key, value, &number);
        if (done < 0 || (count == self->capacity && reserve(self, count + 1) != 0)) {
            return -1;
        }
        if (done == 0) {
            continue;
        }
        PyObject *text = is_text ? category_name(key, value) : PyObject_Str(key);
        const char *bytes;
        PyObject *owner = text ? text_bytes(text, &bytes) : NULL;
        Py_XDECREF(text);
        if (!owner || PyList_Append(self->texts, owner) != 0) {
            Py_XDECREF(owner);
            return -1;
        }
        Py_DECREF(owner);
        self->named[count++] = (tlu_feature){bytes, number};
    }
    return (Py_ssize_t)count;
}

// A dict of the argument, which the caller owns; NULL with TypeError.
static PyObject *as_dict(PyObject *x)
{
    if (PyDict_Check(x)) {
        return Py_NewRef(x);
    }
    if (!PyMapping_Check(x) || PyUnicode_Check(x) || PyList_Check(x) || PyTuple_Check(x)) {
        PyErr_Format(PyExc_TypeError, "a row is a dict of features, not %.200s",
                     Py_TYPE(x)->tp_name);
        return NULL;
    }
    return PyObject_CallOneArg((PyObject *)&PyDict_Type, x);
}

// ---- methods ----

static int learn(struct learner_object *self, PyObject *x, PyObject *y, double weight)
{
    const struct label *label = find_label(self, y);
    tlu_error error;
    tlu_status status;
    if (!label) {
        return -1;
    }
    if (self->numbered) {
        tlu_row row;
        if (take_row(self, x, &row) != 0) {
            return -1;
        }
        status = tlu_learner_learn_row(self->learner, &row, label->text, weight, NULL, &error);
    } else {
        const Py_ssize_t count = take_names(self, x);
        if (count < 0) {
            return -1;
        }
        status = tlu_learner_learn(self->learner, self->named, (size_t)count, label->text, weight,
                                   NULL, &error);
    }
    if (status != TLU_OK) {
        raise_error(&error);
        return -1;
    }
    return 0;
}

static PyObject *learn_one(PyObject *object, PyObject *const *arguments, Py_ssize_t count,
                           PyObject *keywords)
{
    static const char *const names[] = {"x", "y", "w"};
    PyObject *given[3] = {NULL};
    if (arguments_take("learn_one", names, 2, 3, arguments, count, keywords, given) != 0) {
        return NULL;
    }
    const double weight = given[2] ? PyFloat_AsDouble(given[2]) : 1;
    if (weight == -1 && PyErr_Occurred()) {
        return NULL;
    }
    PyObject *x = as_dict(given[0]);
    const int done = x ? learn(own(object), x, given[1], weight) : -1;
    Py_XDECREF(x);
    if (done != 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *predict(struct learner_object *self, PyObject *x, double *score)
{
    tlu_error error;
    tlu_status status;
    const char *label;
    if (self->numbered) {
        tlu_row row;
        if (take_row(self, x, &row) != 0) {
            return NULL;
        }
        status = tlu_learner_predict_row(self->learner, &row, &label, score, &error);
    } else {
        const Py_ssize_t count = take_names(self, x);
        if (count < 0) {
            return NULL;
        }
        status =
            tlu_learner_predict(self->learner, self->named, (size_t)count, &label, score, &error);
    }
    return status == TLU_OK ? label_object(self, label) : raise_error(&error);
}

static PyObject *predict_one(PyObject *object, PyObject *given)
{
    PyObject *x = as_dict(given);
    PyObject *result = x ? predict(own(object), x, NULL) : NULL;
    Py_XDECREF(x);
    return result;
}

static PyObject *score_one(PyObject *object, PyObject *given)
{
    double score = 0;
    PyObject *x = as_dict(given);
    PyObject *label = x ? predict(own(object), x, &score) : NULL;
    Py_XDECREF(x);
    return label ? Py_BuildValue("(Nd)", label, label == Py_None ? 0 : score) : NULL;
}

static PyObject *probabilities_dict(struct learner_object *self, const double *probabilities,
                                    size_t classes)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < classes; i++) {
        PyObject *label = label_object(self, tlu_learner_class_label(self->learner, i));
        PyObject *number = PyFloat_FromDouble(probabilities[i]);
        if (!label || !number || PyDict_SetItem(dict, label, number) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(label);
        Py_XDECREF(number);
    }
    return dict;
}

static PyObject *predict_proba_one(PyObject *object, PyObject *given)
{
    struct learner_object *self = own(object);
    const size_t classes = (size_t)tlu_learner_get_stats(self->learner)->classes;
    PyObject *x = as_dict(given);
    const Py_ssize_t count = x ? take_names(self, x) : -1;
    double *probabilities = count >= 0 ? PyMem_Calloc(classes + 1, sizeof *probabilities) : NULL;
    PyObject *dict = NULL;
    tlu_error error;
    if (count >= 0 && !probabilities) {
        PyErr_NoMemory();
    } else if (probabilities && tlu_learner_probabilities(self->learner, self->named, (size_t)count,
                                                          probabilities, &error) == TLU_OK) {
        dict = probabilities_dict(self, probabilities, classes);
    } else if (probabilities) {
        PyErr_SetString(strstr(error.text, "has no probabilities") ? PyExc_NotImplementedError
                                                                   : PyExc_ValueError,
                        error.text);
    }
    PyMem_Free(probabilities);
    Py_XDECREF(x);
    return dict;
}

static PyObject *learner_model(PyObject *object, PyObject *none)
{
    (void)none;
    tlu_model *model;
    tlu_error error;
    return tlu_learner_make_model(own(object)->learner, &model, &error) == TLU_OK
               ? model_wrap(model)
               : raise_error(&error);
}

// Continues a model. `labels` maps texts of labels to the objects that predict_one returns.
static PyObject *learner_resume(PyObject *type, PyObject *arguments)
{
    PyObject *wrapped;
    PyObject *labels = NULL;
    if (!PyArg_ParseTuple(arguments, "O|O!", &wrapped, &PyDict_Type, &labels)) {
        return NULL;
    }
    const tlu_model *model = model_unwrap(wrapped);
    tlu_learner *learner;
    tlu_error error;
    if (!model) {
        return NULL;
    }
    if (tlu_learner_resume(model, &learner, &error) != TLU_OK) {
        return raise_error(&error);
    }
    PyObject *options = options_to_dict(tlu_model_options(model), 0);
    PyObject *object = options ? learner_wrap((PyTypeObject *)type, learner, options,
                                              has_numbers(tlu_model_options(model)))
                               : (tlu_learner_free(learner), NULL);
    Py_ssize_t place = 0;
    PyObject *text;
    PyObject *label;
    while (object && labels && PyDict_Next(labels, &place, &text, &label)) {
        if (!add_label(own(object), label, text)) {
            Py_CLEAR(object);
        }
    }
    Py_XDECREF(options);
    return object;
}

static PyObject *label_texts(struct learner_object *self)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < self->label_count; i++) {
        PyObject *text = text_new(self->labels[i].text);
        if (!text || PyDict_SetItem(dict, text, self->labels[i].object) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(text);
    }
    return dict;
}

static PyObject *learner_reduce(PyObject *object, PyObject *none)
{
    struct learner_object *self = own(object);
    if (tlu_learner_get_stats(self->learner)->examples == 0) {
        return Py_BuildValue("O(O)", Py_TYPE(object), self->options);
    }
    PyObject *resume = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "resume");
    PyObject *model = resume ? learner_model(object, none) : NULL;
    PyObject *labels = model ? label_texts(self) : NULL;
    PyObject *result = labels ? Py_BuildValue("O(OO)", resume, model, labels) : NULL;
    Py_XDECREF(labels);
    Py_XDECREF(model);
    Py_XDECREF(resume);
    return result;
}

static PyObject *learner_stats(PyObject *object, void *unused)
{
    (void)unused;
    const tlu_learner_stats *stats = tlu_learner_get_stats(own(object)->learner);
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K}", "examples", (unsigned long long)stats->examples,
                         "mistakes", (unsigned long long)stats->mistakes, "updates",
                         (unsigned long long)stats->updates, "features",
                         (unsigned long long)stats->features, "classes",
                         (unsigned long long)stats->classes);
}

static PyObject *learner_options(PyObject *object, void *unused)
{
    (void)unused;
    return PyDict_Copy(own(object)->options);
}

static PyMethodDef methods[] = {
    {"learn_one", (PyCFunction)(void (*)(void))learn_one, METH_FASTCALL | METH_KEYWORDS,
     "learn_one(x, y, w=1.0)\n--\n\n"
     "Learn from one example: a dict of features, its label, and its weight."},
    {"predict_one", predict_one, METH_O,
     "predict_one(x)\n--\n\nThe label of a dict of features; None before the first example."},
    {"score_one", score_one, METH_O,
     "score_one(x)\n--\n\nThe label of a dict of features, and its score."},
    {"predict_proba_one", predict_proba_one, METH_O,
     "predict_proba_one(x)\n--\n\nThe probability of each label, as a dict."},
    {"model", learner_model, METH_NOARGS, "model()\n--\n\nA Model of the current state."},
    {"resume", learner_resume, METH_VARARGS | METH_CLASS,
     "resume(model, labels={})\n--\n\n"
     "A learner that continues a model. `labels` maps texts of labels to objects."},
    {"__reduce__", learner_reduce, METH_NOARGS, NULL},
    {NULL},
};

static PyGetSetDef attributes[] = {
    {"stats", learner_stats, NULL,
     "Numbers of examples, mistakes, updates, features and classes, as a dict.", NULL},
    {"options", learner_options, NULL, "The options that were given, as a dict.", NULL},
    {NULL},
};

static PyTypeObject learner_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tlu._tlu.Learner",
    .tp_doc = "Learner(options={})\n--\n\nLearns from one example at a time.",
    .tp_basicsize = sizeof(struct learner_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = learner_new,
    .tp_dealloc = learner_dealloc,
    .tp_methods = methods,
    .tp_getset = attributes,
};

int add_learner(PyObject *module)
{
    return PyModule_AddType(module, &learner_type);
}
