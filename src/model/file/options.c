// VERS, OPTS: the version and the options that made the model.
#include "base/memory.h"
#include "model/file/sections.h"

#include <stdio.h>
#include <string.h>

void put_version(struct packer *out, const tlu_model *model)
{
    put_text(out, model->recorded.version);
}

void unpack_version(struct unpack *in)
{
    in->model->recorded.version = unpack_copy_text(in);
}

// ---- OPTS ----

// A learner for which versions that did not know --stop and --tie-update did something else than
// the defaults of today.
static bool counts_passes(const tlu_options *options)
{
    return learner_kind_of(options)->traits & LEARNER_ALL_PASSES;
}

// An option that was added after the first version is stored only if the learner uses it and it is
// set, so that other models stay byte-identical.
static bool option_is_kept(const tlu_options *options, enum option option)
{
    const tlu_learner_info *learner = &learner_kind_of(options)->info;
    if (strcmp(tlu_option_at(option)->group, "measuring") == 0 && !options_is_set(options, option))
        return false;
    bool of_tables = option == OPTION_DECIMAL || option == OPTION_TEXT || option == OPTION_CHARS ||
                     (option >= OPTION_STOP_WORDS && option <= OPTION_NORMALIZE);
    if (of_tables && !options_is_set(options, option))
        return false;
    bool later = option == OPTION_DIAGONAL || (option >= OPTION_HIDDEN && option <= OPTION_GAP);
    if (option == OPTION_SOLVER && options_choice(options, option) == SOLVER_ONLINE)
        return false;
    if ((option == OPTION_STOP || option == OPTION_TIE_UPDATE) && !counts_passes(options) &&
        !options_is_set(options, option))
        return false;
    if (later && !strstr(learner->options, tlu_option_at(option)->name))
        return false;
    if ((option == OPTION_MULTILABEL || option == OPTION_LABEL_SEPARATOR) &&
        !options_flag(options, OPTION_MULTILABEL))
        return false;
    if (option == OPTION_CALIBRATE && options_choice(options, option) == CALIBRATE_NONE)
        return false;
    return !option_is_technical(option) &&
           (options_is_set(options, option) || options_text(options, option)[0] != '\0');
}

// Defaults are written too, because they may change from version to version.
void put_options(struct packer *out, const tlu_model *model)
{
    uint64_t count = 0;
    for (enum option i = 0; i < OPTION_COUNT; i++)
        count += option_is_kept(model->state.options, i);
    put_count(out, count);
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        if (!option_is_kept(model->state.options, i))
            continue;
        put_text(out, option_stored_name(i));
        put_text(out, options_text(model->state.options, i));
        put_fixed(out, options_is_set(model->state.options, i), 1);
    }
}

// Options without which the weights cannot be interpreted.
static bool is_essential(enum option option)
{
    return option == OPTION_LEARNER || option == OPTION_DECIDE || option == OPTION_MULTICLASS ||
           option == OPTION_KERNEL || option == OPTION_SCHEDULE || option == OPTION_HIDDEN ||
           option == OPTION_ACTIVATION || option == OPTION_OPTIMIZER || option == OPTION_MULTILABEL;
}

static void refuse_value(struct unpack *in, const char *name, const char *value)
{
    char quoted[80];
    in->at = in->end;
    snprintf(in->wrong, sizeof in->wrong,
             "the model was trained with --%s %s, which tlu %s does not know", name,
             error_quote(quoted, sizeof quoted, value, strlen(value)), TLU_VERSION);
}

// Options of newer versions: an unknown name is ignored, and so is an unknown value, unless the
// option is essential.
static void set_option(struct unpack *in, tlu_options *options, const tlu_option_info *info,
                       const char *value)
{
    enum option option = (enum option)(info - tlu_option_at(0));
    if (options_is_set(options, option)) {
        unpack_damaged(in, "option %s is there twice", info->name);
        return;
    }
    if (option_is_technical(option))
        return;
    tlu_error error;
    tlu_status status = tlu_options_set(options, info->name, value, &error);
    if (status == TLU_ERROR_SYSTEM) {
        unpack_checked(in, NULL);
    } else if (status != TLU_OK && is_essential(option)) {
        refuse_value(in, info->name, value);
    }
}

// A value that was the default when the model was made, and is not now, counts as given. The
// learner comes first, because it determines the defaults of other options.
static void keep_old_defaults(struct unpack *in, const tlu_options *unset)
{
    tlu_options *options = in->model->state.options;
    if (!options_is_set(unset, OPTION_LEARNER) && !options_is_set(options, OPTION_LEARNER))
        set_option(in, options, tlu_option_at(OPTION_LEARNER), "perceptron");
    for (size_t i = 0; i <= OPTION_COUNT && !unpack_failed(in); i++) {
        enum option option = i ? (enum option)(i - 1) : OPTION_LEARNER;
        const tlu_option_info *info = tlu_option_at(option);
        char usual[64];
        if (!options_is_set(unset, option) || options_is_set(options, option))
            continue;
        tlu_options_default(options, info->name, usual, sizeof usual);
        // Without a default, it matters whether the option is given, and it is not.
        if (usual[0] && strcmp(usual, options_text(unset, option)) != 0)
            set_option(in, options, info, options_text(unset, option));
    }
}

void unpack_options(struct unpack *in)
{
    tlu_model *model = in->model;
    tlu_options *unset = unpack_checked(in, options_copy(NULL));
    if (!model->state.options)
        model->state.options = unpack_checked(in, options_copy(NULL));
    uint64_t count = unpack_length(in, 3, "options");
    for (uint64_t i = 0; i < count && !unpack_failed(in); i++) {
        char name[64];
        size_t length;
        const char *text = unpack_text(in, &length);
        size_t kept = length < sizeof name ? length : 0; // no option's name is that long
        memcpy(name, text, kept);
        name[kept] = '\0';
        char *value = unpack_copy_text(in);
        bool by_user = unpack_choice(in, 1, "a flag") != 0;
        const tlu_option_info *info = tlu_option_find(option_name_of_stored(name));
        if (info && !unpack_failed(in))
            set_option(in, by_user ? model->state.options : unset, info, value);
        memory_free(value);
    }
    if (!unpack_failed(in))
        keep_old_defaults(in, unset);
    if (!unpack_failed(in) && counts_passes(model->state.options) &&
        !options_is_set(unset, OPTION_STOP) && !options_is_set(model->state.options, OPTION_STOP)) {
        set_option(in, model->state.options, tlu_option_at(OPTION_STOP), "converged");
        set_option(in, model->state.options, tlu_option_at(OPTION_TIE_UPDATE), "label");
    }
    tlu_options_free(unset);
    if (unpack_failed(in))
        return;
    if (options_is_auto(model->state.options, OPTION_LEARNER))
        unpack_damaged(in, "the learner is left open");
    if (options_choice(model->state.options, OPTION_MULTICLASS) == MULTICLASS_AUTO)
        unpack_damaged(in, "the scheme for several classes is left open");
    const char *kernel = options_text(model->state.options, OPTION_KERNEL);
    model->state.decision.kind = options_choice(model->state.options, OPTION_DECIDE);
    if (!decision_new_parts(&model->state.decision))
        unpack_checked(in, NULL);
    if (kernel_parse(&model->state.kernel, kernel, NULL) != TLU_OK)
        refuse_value(in, "kernel", kernel);
}
