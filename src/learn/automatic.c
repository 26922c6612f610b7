#include "learn/automatic.h"

#include "base/memory.h"
#include "data/batch.h"
#include "input/text/words.h"
#include "learn/learner.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// ---- the rule ----

enum rows_kind { ROWS_TEXTS, ROWS_TABLE, ROWS_SPARSE, ROWS_OTHER, ROWS_KINDS };

// The options are set unless the user has set them.
static const struct {
    const char *reason, *learner;
    struct {
        enum option option;
        const char *value; // NULL: no more
    } options[4];
} rule[ROWS_KINDS] = {
    [ROWS_TEXTS] = {"for texts",
                    "hinge",
                    {{OPTION_LOWERCASE, "yes"}, {OPTION_TFIDF, "yes"}, {OPTION_NORMALIZE, "yes"}}},
    [ROWS_TABLE] = {"for a table of numbers", "alma", {{0, NULL}}},
    [ROWS_SPARSE] = {"for sparse rows", "logistic", {{OPTION_EPOCHS, "5"}}},
    [ROWS_OTHER] = {"for categories, flags or pixels", "alma", {{0, NULL}}},
};

// If the learner of the rule does not accept the user's options: the first of these that does.
static const char *const others[] = {"alma", "hinge", "logistic"};
#define OTHERS (sizeof others / sizeof others[0])

#define SPARSE_SHARE 20 // rows are sparse if they have less than one in so many of the features

// Rows are texts if each of their features is a word.
static bool are_texts(const struct schema *schema)
{
    bool words = false;
    if (!schema_has_texts(schema) || (schema_has_members(schema) && !schema_is_records(schema)))
        return false;
    for (size_t i = 0; i < schema->column_count; i++) {
        words |= schema->columns[i].kind == COLUMN_TEXT;
        if (column_has_features(schema->columns[i].kind) && schema->columns[i].kind != COLUMN_TEXT)
            return false;
    }
    return words || schema->column_count == 0;
}

static bool mark(uint8_t *bits, uint32_t feature)
{
    uint8_t bit = (uint8_t)(1u << feature % 8), old = bits[feature / 8];
    bits[feature / 8] = old | bit;
    return !(old & bit);
}

tlu_status automatic_find_sparse(const struct schema *schema, struct batch *const *batches,
                                 size_t batch_count, uint64_t most, bool *sparse, tlu_error *error)
{
    uint64_t rows = 0, entries = 0, features = 0;
    uint8_t *met = memory_new(schema_features(schema) / 8 + 1, sizeof *met);
    TRY(enough_memory(met != NULL, error));
    for (size_t b = 0; b < batch_count; b++)
        for (size_t r = 0; r < batches[b]->rows && rows < most; r++, rows++) {
            tlu_row row = batch_row(batches[b], r);
            entries += row.count;
            for (size_t i = 0; i < row.count; i++)
                features += mark(met, row_feature(&row, i));
        }
    memory_free(met);
    *sparse = entries * SPARSE_SHARE < features * rows;
    return TLU_OK;
}

// ---- before the data is known ----

static tlu_status set_learner(tlu_options *options, const char *name, tlu_error *error)
{
    return tlu_options_set(options, tlu_option_at(OPTION_LEARNER)->name, name, error);
}

// The first of the others that accepts the options.
static tlu_status set_other(tlu_options *options, tlu_error *error)
{
    tlu_error refused, first;
    for (size_t i = 0; i < OTHERS; i++) {
        TRY(set_learner(options, others[i], error));
        if (learner_accepts(options, i ? &refused : &first) == TLU_OK)
            return TLU_OK;
    }
    return error_input(error, "%s; name a learner with --learner", first.text);
}

tlu_status automatic_begin(struct automatic *automatic, tlu_options *options, tlu_error *error)
{
    *automatic = (struct automatic){.on = options_choice(options, OPTION_LEARNER) == LEARNER_AUTO};
    return automatic->on ? set_other(options, error) : TLU_OK;
}

bool automatic_takes(enum option option)
{
    for (size_t i = 0; i < OTHERS; i++)
        if (learner_has_option(others[i], option))
            return true;
    return false;
}

// ---- before the first row is parsed ----

// Whether the options allow this one. Rows of a kernel stay as they are; --max-features learns
// while it reads, and --scale online changes rows after they would be normalised; hashed words in a
// table cannot be told from other features.
static bool is_allowed(const struct tlu_learner *learner, enum option option)
{
    const tlu_options *options = learner->state.options;
    bool hashed_table = options_flag(options, OPTION_HASH) && learner->state.schema.column_count;
    if (options_is_set(options, option) || options_text(options, OPTION_KERNEL)[0])
        return false;
    if (option == OPTION_LOWERCASE || option == OPTION_EPOCHS)
        return true;
    return !options_flag(options, OPTION_MAX_FEATURES) &&
           options_choice(options, OPTION_SCALE) != SCALE_ONLINE &&
           !(option == OPTION_TFIDF && hashed_table);
}

// Sets the options of the rule, and the reason: "for texts, with --tfidf". `parsed`: the words are
// what they are.
static tlu_status set_options(struct tlu_learner *learner, enum rows_kind kind, bool parsed,
                              tlu_error *error)
{
    char *reason = learner->automatic.reason;
    size_t size = sizeof learner->automatic.reason;
    const char *joint = ", with";
    size_t used = (size_t)snprintf(reason, size, "%s", rule[kind].reason);
    for (size_t i = 0; i < 4 && rule[kind].options[i].value; i++) {
        const tlu_option_info *info = tlu_option_at(rule[kind].options[i].option);
        const char *value = rule[kind].options[i].value;
        bool flag = info->type == TLU_OPTION_FLAG;
        if (!is_allowed(learner, rule[kind].options[i].option) ||
            (parsed && rule[kind].options[i].option == OPTION_LOWERCASE))
            continue;
        TRY(tlu_options_set(learner->state.options, info->name, value, error));
        used += (size_t)snprintf(reason + used, size - used, "%s --%s%s%s", joint, info->name,
                                 flag ? "" : " ", flag ? "" : value);
        joint = "";
    }
    assert(used < size);
    return TLU_OK;
}

tlu_status automatic_read(struct tlu_learner *learner, bool parsed, tlu_error *error)
{
    struct learner_state *state = &learner->state;
    if (!learner->automatic.on || !are_texts(&state->schema))
        return TLU_OK;
    TRY(set_options(learner, ROWS_TEXTS, parsed, error));
    return parsed ? TLU_OK : words_set_rule(&state->schema, state->options, error);
}

// ---- before the first example ----

// The learner of the rule, unless it does not accept the user's options.
static tlu_status choose(struct tlu_learner *learner, tlu_options *options, enum rows_kind kind,
                         tlu_error *error)
{
    tlu_error refused;
    TRY(set_learner(options, rule[kind].learner, error));
    if (options_text(options, OPTION_KERNEL)[0] || learner_accepts(options, &refused) != TLU_OK)
        return set_other(options, error);
    return kind == ROWS_TEXTS ? TLU_OK : set_options(learner, kind, false, error);
}

bool automatic_has_texts(const struct automatic *automatic)
{
    return automatic->reason[0];
}

tlu_status automatic_choose(struct tlu_learner *learner, const tlu_options *given, bool table,
                            bool sparse, tlu_error *error)
{
    struct automatic *automatic = &learner->automatic;
    bool texts = automatic_has_texts(automatic);
    if (!automatic->on)
        return TLU_OK;
    enum rows_kind kind = texts    ? ROWS_TEXTS
                          : table  ? ROWS_TABLE
                          : sparse ? ROWS_SPARSE
                                   : ROWS_OTHER;
    snprintf(automatic->reason, texts ? 0 : sizeof automatic->reason, "which takes the options");
    tlu_options *options = options_copy(given);
    TRY(enough_memory(options, error));
    tlu_status status = choose(learner, options, kind, error);
    const char *name = options_text(options, OPTION_LEARNER);
    if (status == TLU_OK && strcmp(name, learner->rule.kind->info.name) != 0)
        status = learner_replace(learner, name, given, error);
    tlu_options_free(options);
    return status;
}
