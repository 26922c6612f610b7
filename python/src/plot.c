// The type Picture, and the function that draws one of any kind.

#include <string.h>

#include <tlu_plot.h>

#include "tlu_python.h"

struct picture_object {
    PyObject_HEAD tlu_picture *picture;
};

static tlu_picture *own(PyObject *self)
{
    return ((struct picture_object *)self)->picture;
}

static void picture_dealloc(PyObject *self)
{
    tlu_picture_free(own(self));
    Py_TYPE(self)->tp_free(self);
}

static PyObject *picture_save(PyObject *self, PyObject *path)
{
    const char *name;
    tlu_error error;
    PyObject *owner = path_bytes(path, &name);
    if (!owner) {
        return NULL;
    }
    const tlu_status status = tlu_picture_save(own(self), name, &error);
    Py_DECREF(owner);
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    Py_RETURN_NONE;
}

static PyObject *picture_to_bytes(PyObject *self, PyObject *arguments)
{
    const char *format;
    void *bytes;
    size_t size;
    tlu_error error;
    if (!PyArg_ParseTuple(arguments, "s", &format)) {
        return NULL;
    }
    if (tlu_picture_save_bytes(own(self), format, &bytes, &size, &error) != TLU_OK) {
        return raise_error(&error);
    }
    PyObject *result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    tlu_bytes_free(bytes);
    return result;
}

static PyObject *picture_text(PyObject *self, void *closure)
{
    const char *(*text)(const tlu_picture *) = closure ? tlu_picture_caption : tlu_picture_title;
    return text_new(text(own(self)));
}

static PyObject *picture_frames(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(tlu_picture_frames(own(self)));
}

static PyObject *picture_figures(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *dict = PyDict_New();
    const char *name;
    double value;
    for (size_t i = 0; dict && (name = tlu_picture_figure(own(self), i, &value)) != NULL; i++) {
        PyObject *number = PyFloat_FromDouble(value);
        if (!number || PyDict_SetItemString(dict, name, number) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(number);
    }
    return dict;
}

static PyObject *picture_notices(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *list = PyList_New(0);
    const char *notice;
    for (size_t i = 0; list && (notice = tlu_picture_notice(own(self), i)) != NULL; i++) {
        PyObject *text = text_new(notice);
        if (!text || PyList_Append(list, text) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(text);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"save", picture_save, METH_O,
     "save(path)\n--\n\nSave as .svg, .png, .pdf or .gif: the ending selects the format."},
    {"to_bytes", picture_to_bytes, METH_VARARGS,
     "to_bytes(format)\n--\n\nThe bytes of a file of this format: 'svg', 'png', 'pdf' or 'gif'."},
    {NULL},
};

static char is_caption[] = "caption";

static PyGetSetDef attributes[] = {
    {"title", picture_text, NULL, "The title.", NULL},
    {"caption", picture_text, NULL, "Describes the picture in sentences.", is_caption},
    {"frames", picture_frames, NULL, "Number of frames; 1 unless it is an animation.", NULL},
    {"figures", picture_figures, NULL, "The numbers that the picture shows, by name.", NULL},
    {"notices", picture_notices, NULL, "Notices of trainings for the picture.", NULL},
    {NULL},
};

static PyTypeObject picture_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tlu._tlu.Picture",
    .tp_doc = "A picture, which can be saved in several formats.",
    .tp_basicsize = sizeof(struct picture_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_dealloc = picture_dealloc,
    .tp_methods = methods,
    .tp_getset = attributes,
};

// ---- drawing ----

// What all kinds take. `settings` is a dict; `used` counts those of its items that the kind has
// read, since an item that no one reads is an error.
struct request {
    const char *path; // NULL: none
    const tlu_model *model;
    const tlu_options *options;
    tlu_picture_style style;
    PyObject *settings;
    Py_ssize_t used;
};

static PyObject *setting(struct request *request, const char *name)
{
    PyObject *value =
        request->settings ? PyDict_GetItemString(request->settings, name) : NULL; // borrowed
    request->used += value != NULL;
    return value == Py_None ? NULL : value;
}

// These leave an exception for the caller to find, and return 0 or NULL then.
static const char *text_setting(struct request *request, const char *name)
{
    PyObject *value = setting(request, name);
    return value ? PyUnicode_AsUTF8(value) : NULL;
}

static int flag_setting(struct request *request, const char *name)
{
    PyObject *value = setting(request, name);
    return value ? PyObject_IsTrue(value) == 1 : 0;
}

static uint64_t count_setting(struct request *request, const char *name)
{
    PyObject *value = setting(request, name);
    return value ? PyLong_AsUnsignedLongLong(value) : 0;
}

static double number_setting(struct request *request, const char *name)
{
    PyObject *value = setting(request, name);
    return value ? PyFloat_AsDouble(value) : 0;
}

typedef tlu_status draw_function(struct request *request, tlu_picture **picture, tlu_error *error);

static tlu_status draw_data(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const tlu_plot_data_settings settings = {.size = sizeof settings,
                                             .path = request->path,
                                             .model = request->model,
                                             .points_only = flag_setting(request, "points_only"),
                                             .x = text_setting(request, "x"),
                                             .y = text_setting(request, "y"),
                                             .lines = flag_setting(request, "lines")};
    return tlu_plot_data(&settings, request->options, &request->style, picture, error);
}

static tlu_status draw_sphere(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const tlu_plot_data_settings settings = {.size = sizeof settings,
                                             .path = request->path,
                                             .model = request->model,
                                             .x = text_setting(request, "x"),
                                             .y = text_setting(request, "y")};
    return tlu_plot_sphere(&settings, request->options, &request->style, picture, error);
}

static tlu_status draw_run(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const tlu_plot_run_settings settings = {.size = sizeof settings,
                                            .path = request->path,
                                            .strip = !flag_setting(request, "animation"),
                                            .x = text_setting(request, "x"),
                                            .y = text_setting(request, "y"),
                                            .frames = count_setting(request, "frames"),
                                            .fps = number_setting(request, "fps")};
    return tlu_plot_run(&settings, request->options, &request->style, picture, error);
}

static tlu_status draw_bounds(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_bounds(request->path, request->options, &request->style, picture, error);
}

static tlu_status draw_game(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const tlu_plot_game_settings settings = {.size = sizeof settings,
                                             .path = request->path,
                                             .gamma = number_setting(request, "gamma"),
                                             .squared_radius =
                                                 number_setting(request, "squared_radius"),
                                             .animation = flag_setting(request, "animation"),
                                             .strip = flag_setting(request, "strip"),
                                             .frames = count_setting(request, "frames"),
                                             .fps = number_setting(request, "fps")};
    return tlu_plot_game(&settings, request->options, &request->style, picture, error);
}

static tlu_status draw_weight_space(struct request *request, tlu_picture **picture,
                                    tlu_error *error)
{
    const tlu_plot_weight_space_settings settings = {.size = sizeof settings,
                                                     .path = request->path,
                                                     .animation =
                                                         flag_setting(request, "animation"),
                                                     .strip = flag_setting(request, "strip"),
                                                     .frames = count_setting(request, "frames"),
                                                     .fps = number_setting(request, "fps")};
    return tlu_plot_weight_space(&settings, request->options, &request->style, picture, error);
}

static tlu_status draw_growth(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_growth(request->path, request->options, &request->style, picture, error);
}

static tlu_status draw_centroids(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_centroids(request->path, request->options, &request->style, picture, error);
}

static tlu_status draw_truth(struct request *request, tlu_picture **picture, tlu_error *error)
{
    tlu_recipe recipe = {.size = sizeof recipe, .kind = text_setting(request, "data")};
    recipe.rows = count_setting(request, "rows");
    recipe.noise = number_setting(request, "noise");
    const tlu_plot_truth_settings settings = {
        .size = sizeof settings, .recipe = &recipe, .seeds = count_setting(request, "seeds")};
    return tlu_plot_truth(&settings, request->options, &request->style, picture, error);
}

static tlu_status draw_curve(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const tlu_plot_learning_curve_settings settings = {.size = sizeof settings,
                                                       .path = request->path,
                                                       .learners =
                                                           text_setting(request, "learners")};
    return tlu_plot_learning_curve(&settings, request->options, &request->style, picture, error);
}

static tlu_status draw_progress(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_progress(request->path, &request->style, picture, error);
}

#define MODEL_KIND(kind)                                                                           \
    static tlu_status draw_##kind(struct request *request, tlu_picture **picture,                  \
                                  tlu_error *error)                                                \
    {                                                                                              \
        return tlu_plot_##kind(request->model, request->path, request->options, &request->style,   \
                               picture, error);                                                    \
    }
MODEL_KIND(roc)
MODEL_KIND(precision_recall)
MODEL_KIND(confusion)
MODEL_KIND(calibration)

static tlu_status draw_weights(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_weights(request->model, (size_t)count_setting(request, "top"), &request->style,
                            picture, error);
}

static tlu_status draw_net(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_net(request->model, &request->style, picture, error);
}

static tlu_status draw_image(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_weight_image(request->model, (size_t)count_setting(request, "columns"),
                                 (size_t)count_setting(request, "rows"), &request->style, picture,
                                 error);
}

static tlu_status draw_approximation(struct request *request, tlu_picture **picture,
                                     tlu_error *error)
{
    tlu_approximation *approximation;
    const tlu_approximate_settings settings = {.size = sizeof settings,
                                               .formula = text_setting(request, "formula"),
                                               .activation = text_setting(request, "activation")};
    tlu_status status = tlu_approximate(&settings, &approximation, error);
    if (status == TLU_OK) {
        status = tlu_plot_approximation(approximation, &request->style, picture, error);
        tlu_approximation_free(approximation);
    }
    return status;
}

static const struct kind {
    const char *name;
    draw_function *draw;
    const char *needs; // "data", "model", "model data", ""
} kinds[] = {
    {"data", draw_data, "data"},
    {"sphere", draw_sphere, "data"},
    {"run", draw_run, "data"},
    {"bounds", draw_bounds, "data"},
    {"game", draw_game, ""},
    {"weight-space", draw_weight_space, "data"},
    {"growth", draw_growth, "data"},
    {"centroids", draw_centroids, "data"},
    {"truth", draw_truth, ""},
    {"curve", draw_curve, "data"},
    {"progress", draw_progress, "data"},
    {"roc", draw_roc, "model data"},
    {"precision-recall", draw_precision_recall, "model data"},
    {"confusion", draw_confusion, "model data"},
    {"calibration", draw_calibration, "model data"},
    {"weights", draw_weights, "model"},
    {"net", draw_net, "model"},
    {"image", draw_image, "model"},
    {"approximation", draw_approximation, ""},
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    PyErr_Format(PyExc_ValueError, "there is no picture '%s': see tlu.PLOTS", name);
    return NULL;
}

static int check_needs(const struct kind *kind, const struct request *request)
{
    if (strstr(kind->needs, "model") && !request->model) {
        PyErr_Format(PyExc_ValueError, "the picture '%s' needs a model", kind->name);
    } else if (strstr(kind->needs, "data") && !request->path) {
        PyErr_Format(PyExc_ValueError, "the picture '%s' needs data", kind->name);
    }
    return PyErr_Occurred() ? -1 : 0;
}

// The style takes what is left of the settings: width, height, scale, theme, title.
static void take_style(struct request *request)
{
    request->style = (tlu_picture_style){.size = sizeof request->style,
                                         .width = number_setting(request, "width"),
                                         .height = number_setting(request, "height"),
                                         .scale = number_setting(request, "scale"),
                                         .theme = text_setting(request, "theme"),
                                         .title = text_setting(request, "title")};
}

static PyObject *draw(const struct kind *kind, struct request *request)
{
    tlu_error error = {.text = ""};
    tlu_picture *picture = NULL;
    take_style(request);
    if (PyErr_Occurred() || check_needs(kind, request) != 0) {
        return NULL;
    }
    const tlu_status status = kind->draw(request, &picture, &error);
    if (PyErr_Occurred()) { // a setting of a wrong type
        tlu_picture_free(status == TLU_OK ? picture : NULL);
        return NULL;
    }
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    if (request->settings && request->used < PyDict_GET_SIZE(request->settings)) {
        tlu_picture_free(picture);
        PyErr_Format(PyExc_TypeError, "the picture '%s' does not take all of these settings: %R",
                     kind->name, request->settings);
        return NULL;
    }
    PyObject *self = picture_type.tp_alloc(&picture_type, 0);
    if (!self) {
        tlu_picture_free(picture);
        return NULL;
    }
    ((struct picture_object *)self)->picture = picture;
    return self;
}

static PyObject *plot(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"kind", "path", "model", "options", "settings", NULL};
    (void)module;
    const char *name;
    PyObject *path = Py_None;
    PyObject *model = Py_None;
    PyObject *dict = NULL;
    struct request request = {0};
    struct source source;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "s|OOOO!", names, &name, &path, &model,
                                     &dict, &PyDict_Type, &request.settings) ||
        (model != Py_None && !(request.model = model_unwrap(model)))) {
        return NULL;
    }
    const struct kind *kind = find_kind(name);
    if (!kind || source_begin(&source, path, dict) != 0) {
        return NULL;
    }
    request.path = source.path;
    request.options = source.options;
    PyObject *result = draw(kind, &request);
    source_end(&source);
    return result;
}

static PyMethodDef functions[] = {
    {"plot", (PyCFunction)(void (*)(void))plot, METH_VARARGS | METH_KEYWORDS,
     "plot(kind, path=None, model=None, options=None, settings={})"},
    {NULL},
};

int add_plot(PyObject *module)
{
    PyObject *table = PyDict_New();
    for (size_t i = 0; table && i < sizeof kinds / sizeof kinds[0]; i++) {
        PyObject *needs = text_new(kinds[i].needs);
        if (!needs || PyDict_SetItemString(table, kinds[i].name, needs) != 0) {
            Py_CLEAR(table);
        }
        Py_XDECREF(needs);
    }
    const int done = table && PyModule_AddObjectRef(module, "PLOTS", table) == 0 &&
                             PyModule_AddFunctions(module, functions) == 0
                         ? PyModule_AddType(module, &picture_type)
                         : -1;
    Py_XDECREF(table);
    return done;
}
