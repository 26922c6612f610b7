// SUPP: the rows of the training that a model keeps.
#include "base/memory.h"
#include "model/file/sections.h"
#include "space/panel.h"

// The rows of supports: not kept, or with values 1 alone, or with others.
enum { ROWS_NONE, ROWS_ONES, ROWS_VALUES };

// A kernel needs the rows, and so does the replay of a run. The largest margin tells of its rows,
// but needs them no more.
static bool needs_rows(const struct tlu_model *model)
{
    return model->kernel.kind || model_replays(model);
}

// In the order of the row's features, which is that of the sums over them.
static void put_rows(struct out *out, const struct supports *supports, bool ones)
{
    for (size_t i = 0; i < supports->count; i++)
        put_count(out, supports->row[i].count);
    for (size_t i = 0; i < supports->count; i++) {
        const tlu_row *row = &supports->row[i];
        for (size_t k = 0; k < row->count; k++)
            put_move(out, k ? row->features[k - 1] : 0, row->features[k]);
    }
    if (!ones)
        put_singles(out, supports->values, supports->nonzeros);
}

void put_supports(struct out *out, const tlu_model *model)
{
    const struct supports *supports = &model->supports;
    bool rows = needs_rows(model), ones = true;
    if (supports->count == 0)
        return;
    for (size_t i = 0; i < supports->nonzeros && ones; i++)
        ones = supports->values[i] == 1;
    put_count(out, supports->count);
    put_fixed(out, !rows ? ROWS_NONE : ones ? ROWS_ONES : ROWS_VALUES, 1);
    if (rows)
        put_count(out, supports->nonzeros);
    for (size_t i = 0; i < supports->count; i++)
        put_move(out, i ? supports->line[i - 1] : 0, supports->line[i]);
    for (size_t i = 0; i < supports->count; i++)
        put_count(out, supports->classes[i]);
    put_numbers(out, supports->alpha, supports->count);
    if (rows)
        put_rows(out, supports, ones);
}

static bool may_keep_supports(const tlu_model *model)
{
    const struct learner_kind *kind =
        learner_kind_at((size_t)options_choice(model->options, OPTION_LEARNER));
    return needs_rows(model) || kind->traits & LEARNER_BATCH;
}

static void get_lines(struct unpack *in, struct supports *supports)
{
    uint64_t line = 0;
    for (size_t i = 0; i < supports->count && !unpack_failed(in); i++)
        supports->line[i] = line = unpack_moved(in, line);
    uint32_t classes = schema_classes(&in->model->schema);
    for (size_t i = 0; i < supports->count && !unpack_failed(in); i++) {
        uint64_t class_index = unpack_count(in);
        if (class_index >= classes)
            unpack_damaged(in, "a row is of class %llu, which is not there",
                           (unsigned long long)class_index);
        else
            supports->classes[i] = (uint32_t)class_index;
    }
    unpack_numbers(in, supports->alpha, supports->count);
    for (size_t i = 0; i < supports->count && !unpack_failed(in); i++)
        if (supports->alpha[i] < 0)
            unpack_damaged(in, "an alpha is negative");
}

// Where the entries of each row are, one row after the other.
static void get_row_counts(struct unpack *in, struct supports *supports)
{
    uint64_t start = 0;
    for (size_t i = 0; i < supports->count && !unpack_failed(in); i++) {
        uint64_t count = unpack_count(in);
        if (count > supports->nonzeros - start) {
            unpack_damaged(in, "the rows have more entries than were announced");
            return;
        }
        supports->row[i] =
            (tlu_row){(size_t)count, supports->features + start, supports->values + start};
        start += count;
    }
    if (start != supports->nonzeros)
        unpack_damaged(in, "the rows have fewer entries than were announced");
}

// The features of a row; met[feature] is the last row that had it, counted from 1.
static void get_row(struct unpack *in, struct supports *supports, uint32_t i, uint32_t *met)
{
    size_t features = schema_features(&in->model->schema);
    uint32_t *to = supports->features + (supports->row[i].features - supports->features);
    uint64_t feature = 0;
    for (size_t k = 0; k < supports->row[i].count && !unpack_failed(in); k++) {
        feature = unpack_moved(in, feature);
        if (feature >= features) {
            unpack_damaged(in, "a row has feature %llu, which is not there",
                           (unsigned long long)feature);
        } else if (met[feature] == i + 1) {
            unpack_damaged(in, "a row has feature %llu twice", (unsigned long long)feature);
        } else {
            met[feature] = i + 1;
            to[k] = (uint32_t)feature;
        }
    }
}

static void get_rows(struct unpack *in, struct supports *supports, bool ones)
{
    uint32_t *met =
        unpack_checked(in, memory_new(schema_features(&in->model->schema), sizeof *met));
    get_row_counts(in, supports);
    for (uint32_t i = 0; i < supports->count && !unpack_failed(in); i++)
        get_row(in, supports, i, met);
    memory_free(met);
    for (size_t k = 0; ones && k < supports->nonzeros; k++)
        supports->values[k] = 1;
    if (!ones)
        unpack_singles(in, supports->values, supports->nonzeros);
    for (size_t i = 0; i < supports->count && !unpack_failed(in); i++)
        supports->norm[i] = panel_norm(&supports->row[i]);
}

void unpack_supports(struct unpack *in)
{
    struct supports *supports = &in->model->supports;
    if (!may_keep_supports(in->model))
        unpack_damaged(in, "rows should not be there");
    uint64_t count = unpack_length(in, 2, "rows");
    if (count == 0 || count >= BATCH_LOCAL)
        unpack_damaged(in, "a model cannot keep %llu rows", (unsigned long long)count);
    unsigned kind = unpack_choice(in, ROWS_VALUES, "the kind of rows");
    if ((kind != ROWS_NONE) != needs_rows(in->model))
        unpack_damaged(in, "the rows %s", kind ? "should not be there" : "are missing");
    uint64_t nonzeros = kind == ROWS_NONE ? 0 : unpack_length(in, 1, "entries of rows");
    if (unpack_failed(in))
        return;
    if (!supports_new(supports, (size_t)count, (size_t)nonzeros))
        unpack_checked(in, NULL);
    else
        get_lines(in, supports);
    if (kind != ROWS_NONE && !unpack_failed(in))
        get_rows(in, supports, kind == ROWS_ONES);
}
