// The library's tables: options, learners, metrics, version.

#include "tlu_python.h"

static const char *const type_names[] = {
    [TLU_OPTION_FLAG] = "flag",   [TLU_OPTION_COUNT] = "count",   [TLU_OPTION_NUMBER] = "number",
    [TLU_OPTION_RANGE] = "range", [TLU_OPTION_CHOICE] = "choice", [TLU_OPTION_TEXT] = "text",
    [TLU_OPTION_LIST] = "list",   [TLU_OPTION_SIZE] = "size",
};

static PyObject *option_dict(const tlu_option_info *info)
{
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:z,s:d,s:d,s:s}", "name", info->name, "group",
                         info->group, "type", type_names[info->type], "default", info->value,
                         "choices", info->choices, "min", info->min, "max", info->max, "help",
                         info->help);
}

static PyObject *learner_dict(const tlu_learner_info *info)
{
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:i}", "name", info->name, "summary",
                         info->summary, "reference", info->reference, "options", info->options,
                         "defaults", info->defaults, "decisions", info->decisions, "spaces",
                         info->spaces, "schemes", info->schemes, "complexity", info->complexity);
}

static PyObject *append(PyObject *list, PyObject *item) // takes both; NULL: an exception is set
{
    if (list && (!item || PyList_Append(list, item) != 0)) {
        Py_CLEAR(list);
    }
    Py_XDECREF(item);
    return list;
}

int add_tables(PyObject *module)
{
    PyObject *options = PyList_New(0);
    const tlu_option_info *option;
    for (size_t i = 0; options && (option = tlu_option_at(i)) != NULL; i++) {
        options = append(options, option_dict(option));
    }
    PyObject *learners = PyList_New(0);
    const tlu_learner_info *learner;
    for (size_t i = 0; learners && (learner = tlu_learner_at(i)) != NULL; i++) {
        learners = append(learners, learner_dict(learner));
    }
    int done = -1;
    if (options && learners && PyModule_AddObjectRef(module, "OPTIONS", options) == 0 &&
        PyModule_AddObjectRef(module, "LEARNERS", learners) == 0 &&
        PyModule_AddStringConstant(module, "__version__", tlu_version()) == 0 &&
        PyModule_AddStringConstant(module, "BUILT_WITH", tlu_built_with()) == 0 &&
        PyModule_AddStringConstant(module, "INSTRUCTION_SET", tlu_instruction_set()) == 0) {
        done = 0;
    }
    Py_XDECREF(options);
    Py_XDECREF(learners);
    return done;
}
