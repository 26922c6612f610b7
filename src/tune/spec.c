#include "tune/spec.h"

#include "base/call/fp_env.h"
#include "base/foreign_names.h"
#include "base/memory.h"

#include <string.h>

static tlu_status check_learner(const char *name, tlu_error *error)
{
    for (size_t i = 0; tlu_learner_at(i); i++)
        if (strcmp(tlu_learner_at(i)->name, name) == 0)
            return TLU_OK;
    return unknown_learner(name, error);
}

// "r=0.1", or a flag without a value.
static tlu_status set_one(tlu_options *options, char *text, const tlu_options *given,
                          enum option *overruled, tlu_error *error)
{
    char *equals = strchr(text, '=');
    const char *value = equals ? equals + 1 : "yes";
    if (equals)
        *equals = '\0';
    const tlu_option_info *info = tlu_option_find(text);
    char quoted[80];
    if (!info || strcmp(info->group, "reading") == 0 || strcmp(text, "learner") == 0)
        return error_input(error, "a learner's options are those of tlu train, and '%s' is not one",
                           error_quote(quoted, sizeof quoted, text, strlen(text)));
    for (size_t i = 0; given && i < OPTION_COUNT; i++)
        if (tlu_option_at(i) == info && options_is_set(given, (enum option)i)) {
            *overruled = (enum option)i;
            return TLU_OK;
        }
    return tlu_options_set(options, text, value, error);
}

// An option ends at a colon that is followed by another option. "kernel=poly:3" is one option,
// because "3" does not start one.
static char *option_end(char *text)
{
    char *colon = strchr(text, ':');
    while (colon) {
        size_t length = strcspn(colon + 1, ":=");
        char name[32] = "";
        if (length < sizeof name)
            memcpy(name, colon + 1, length);
        if (colon[1 + length] == '=' || tlu_option_find(name) || !strchr(text, '='))
            return colon;
        colon = strchr(colon + 1, ':');
    }
    return NULL;
}

static tlu_status set_all(tlu_options *options, char *text, const tlu_options *given,
                          enum option *overruled, tlu_error *error)
{
    char *rest = strchr(text, ':');
    if (rest)
        *rest++ = '\0';
    TRY(check_learner(text, error));
    TRY(tlu_options_set(options, "learner", text, error));
    while (rest) {
        char *next = option_end(rest);
        if (next)
            *next++ = '\0';
        TRY(set_one(options, rest, given, overruled, error));
        rest = next;
    }
    return TLU_OK;
}

tlu_status spec_set(tlu_options *options, const char *spec, size_t length, const tlu_options *given,
                    enum option *overruled, tlu_error *error)
{
    *overruled = OPTION_COUNT;
    char *text = memory_copy_text(spec, length);
    TRY(enough_memory(text != NULL, error));
    tlu_status status = set_all(options, text, given, overruled, error);
    memory_free(text);
    return status;
}

tlu_status tlu_options_set_learner(tlu_options *options, const char *spec, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    enum option overruled;
    TRY(check_given(spec != NULL, "learner", error));
    return spec_set(options, spec, strlen(spec), NULL, &overruled, error);
}
