// Which arguments and options go with which kind of picture.
#include "plot.h"
#include "text.h"

#include <string.h>

struct kind {
    const char *name; // the option that asks for it; "data" has none
    bool data, model; // takes it
    const char *own;  // its options, those that all kinds take left out
    const char *used; // of the library: groups and names
    const char *why;  // the rest is not
};

#define READS "reading"
#define LEARNS "reading data learning"
#define JUDGES "the model is there already"

static const struct kind kinds[] = {
    {"data", true, true, "points x y", LEARNS, ""},
    {"run", true, false, "x y frames fps", LEARNS, ""},
    {"truth", false, false, "rows noise seeds", "learning scale", "its rows are generated"},
    {"curve", true, false, "learners", LEARNS, ""},
    {"progress", true, false, "", "", "the log is drawn as it is"},
    {"roc", true, true, "", READS, JUDGES},
    {"pr", true, true, "", READS, JUDGES},
    {"confusion", true, true, "", READS, JUDGES},
    {"calibration", true, true, "", READS, JUDGES},
    {"weights", false, true, "top", "", JUDGES},
    {"image", false, true, "", "", JUDGES},
    {"bounds", true, false, "", LEARNS, ""},
};

// Options that some kinds take alone.
static const char *const particular[] = {"points", "x",    "y",     "learners", "frames",
                                         "fps",    "rows", "noise", "seeds",    "top"};
// How it is done, whatever is done.
static const char always[] = "threads memory";

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, word, length) == 0)
            return true;
    return false;
}

static const struct kind *kind_named(const char *name)
{
    size_t i = 0;
    while (strcmp(kinds[i].name, name) != 0)
        i++;
    return &kinds[i];
}

// "--run"; "a picture of data" is asked for by no option.
#define SHOWN_SIZE 40
static const char *show_kind(char out[SHOWN_SIZE], const char *name)
{
    bool data = strcmp(name, "data") == 0;
    snprintf(out, SHOWN_SIZE, "%s%.20s", data ? "a picture of " : "--", name);
    return out;
}

// ---- the kind

static bool is_asked_for(const struct arguments *arguments, const char *name)
{
    if (strcmp(name, "truth") == 0 || strcmp(name, "image") == 0)
        return arguments_given(arguments, name);
    return strcmp(name, "data") != 0 && arguments_flag(arguments, name);
}

tlu_status plot_find_kind(const struct arguments *arguments, const char **kind, tlu_error *error)
{
    *kind = NULL;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!is_asked_for(arguments, kinds[i].name))
            continue;
        if (*kind)
            return fail(error, TLU_ERROR_INPUT,
                        "--%s and --%s are pictures of their own: expected one of them", *kind,
                        kinds[i].name);
        *kind = kinds[i].name;
    }
    if (!*kind)
        *kind = "data";
    return TLU_OK;
}

// ---- options

static tlu_status refuse_own(const char *option, const char *kind, tlu_error *error)
{
    char shown[SHOWN_SIZE], takes[SHOWN_SIZE], others[4 * SHOWN_SIZE] = "";
    size_t used = 0;
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (has_word(kinds[i].own, option) && used < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s",
                                     used ? " or " : "", show_kind(takes, kinds[i].name));
    return fail(error, TLU_ERROR_INPUT, "--%s goes with %s, not with %s", option, others,
                show_kind(shown, kind));
}

static tlu_status check_own(const struct arguments *arguments, const struct kind *kind,
                            tlu_error *error)
{
    for (size_t i = 0; i < COUNT(particular); i++)
        if (arguments_given(arguments, particular[i]) && !has_word(kind->own, particular[i]))
            return refuse_own(particular[i], kind->name, error);
    return TLU_OK;
}

static tlu_status check_library(const struct arguments *arguments, const char *used,
                                const char *what, const char *why, tlu_error *error)
{
    const tlu_option_info *info;
    for (size_t i = 0; (info = tlu_option_at(i)) != NULL; i++)
        if (option_is_given(arguments->library, info->name) && !has_word(used, info->group) &&
            !has_word(used, info->name) && !has_word(always, info->name))
            return fail(error, TLU_ERROR_INPUT, "--%s does not go with %s: %s", info->name, what,
                        why);
    return TLU_OK;
}

static tlu_status check_options(const struct arguments *arguments, const struct kind *kind,
                                const char *model, tlu_error *error)
{
    char shown[SHOWN_SIZE];
    bool data = strcmp(kind->name, "data") == 0, points = arguments_flag(arguments, "points");
    tlu_status status = check_own(arguments, kind, error);
    if (status != TLU_OK)
        return status;
    if (data && points && model)
        return fail(error, TLU_ERROR_INPUT,
                    "--points draws without a model: leave '%.200s' out, or --points", model);
    if (data && points)
        return check_library(arguments, "reading data", "--points", "nothing is learned", error);
    if (data && model)
        return check_library(arguments, READS, "MODEL", JUDGES, error);
    return check_library(arguments, kind->used, show_kind(shown, kind->name), kind->why, error);
}

// ---- arguments

static tlu_status check_arguments(const struct arguments *arguments, const struct kind *kind,
                                  tlu_error *error)
{
    size_t count = arguments->positional_count, most = (size_t)kind->data + kind->model;
    const char *extra = count > most ? arguments->positional[most] : "";
    char shown[80], name[SHOWN_SIZE];
    text_show(shown, sizeof shown, extra, 60);
    show_kind(name, kind->name);
    if (count > most && most == 0)
        return fail(error, TLU_ERROR_INPUT, "%s makes its rows itself, and takes no DATA: '%s'",
                    name, shown);
    if (count > most && kind->model)
        return fail(error, TLU_ERROR_INPUT, "%s takes MODEL alone, without DATA: '%s' is too many",
                    name, shown);
    if (count > most)
        return fail(error, TLU_ERROR_INPUT, "%s takes %s alone, without MODEL: '%s' is too many",
                    name, strcmp(kind->name, "progress") == 0 ? "a log" : "DATA", shown);
    if (kind->model && count == 0)
        return fail(error, TLU_ERROR_INPUT, "%s needs %s; see tlu plot --help", name,
                    !kind->data                       ? "MODEL"
                    : strcmp(kind->name, "data") == 0 ? "DATA (or --truth KIND)"
                                                      : "DATA and MODEL");
    if (kind->data && count == 0)
        return fail(error, TLU_ERROR_INPUT, "%s needs data: %s; see tlu plot --help", name,
                    strcmp(kind->name, "progress") == 0 ? "the log of tlu stream --log" : "DATA");
    if (kind->data && kind->model && count == 1 && strcmp(kind->name, "data") != 0)
        return fail(error, TLU_ERROR_INPUT,
                    "%s is about what a model says: %s DATA MODEL, and tlu train DATA -o MODEL "
                    "makes one",
                    name, name);
    return TLU_OK;
}

tlu_status plot_sort_arguments(const struct arguments *arguments, const char *name,
                               const char **data, const char **model, tlu_error *error)
{
    const struct kind *kind = kind_named(name);
    *data = *model = NULL;
    tlu_status status = check_arguments(arguments, kind, error);
    if (status != TLU_OK)
        return status;
    size_t next = 0;
    if (kind->data && next < arguments->positional_count)
        *data = arguments->positional[next++];
    if (kind->model && next < arguments->positional_count)
        *model = arguments->positional[next++];
    return check_options(arguments, kind, *model, error);
}
