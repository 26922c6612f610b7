// Writes a model: header, sections, checksum (docs/model-format.md).
//
// A section's length stands before it. So every section is put twice: once into nothing, to count
// its bytes, and once into the file. That needs no memory, however large the model.
#include "base/crc.h"
#include "base/file.h"
#include "model/file/pack.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Parts -----------------------------------------------------------------------------------

void put_bytes(struct out *out, const void *bytes, size_t size)
{
    out->size += size;
    if (!out->file)
        return;
    out->crc = crc32_add(out->crc, bytes, size);
    file_put(out->file, bytes, size);
}

void put_fixed(struct out *out, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> 8 * i & 255);
    put_bytes(out, bytes, size);
}

void put_count(struct out *out, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        put_fixed(out, (value & 127) | 128, 1);
    put_fixed(out, value, 1);
}

// A step from one number to another, forwards or back.
static void put_move(struct out *out, uint64_t from, uint64_t to)
{
    uint64_t step = to - from;
    put_count(out, step >> 63 ? ~step << 1 | 1 : step << 1);
}

static void put_text_of(struct out *out, const char *text, size_t length)
{
    put_count(out, length);
    put_bytes(out, text, length);
}

static void put_text(struct out *out, const char *text)
{
    put_text_of(out, text ? text : "", text ? strlen(text) : 0);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void put_double(struct out *out, double value)
{
    out->infinite |= !isfinite(value);
    put_fixed(out, bits_of(value), 8);
}

static enum number_code code_of(double value)
{
    if (bits_of(value) == 0)
        return CODE_ZERO;
    if (value >= INT16_MIN && value <= INT16_MAX && value != 0 && value == (int16_t)value)
        return CODE_SHORT;
    if (fabs(value) <= FLT_MAX && value == (double)(float)value) // -0 is one of these
        return CODE_SINGLE;
    return CODE_DOUBLE;
}

static void put_single(struct out *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_fixed(out, bits, 4);
}

static void put_number(struct out *out, double number, enum number_code code)
{
    switch (code) {
    case CODE_ZERO:
        break;
    case CODE_SHORT:
        put_fixed(out, (uint64_t)(int64_t)number, 2);
        break;
    case CODE_SINGLE:
        put_single(out, (float)number);
        break;
    case CODE_DOUBLE:
        put_double(out, number);
        break;
    }
}

// The codes of numbers, four a byte.
struct codes {
    unsigned byte;
    size_t count;
};

static void put_code(struct out *out, struct codes *codes, double number)
{
    codes->byte |= (unsigned)code_of(number) << 2 * (codes->count % 4);
    if (++codes->count % 4 == 0) {
        put_fixed(out, codes->byte, 1);
        codes->byte = 0;
    }
}

static void end_codes(struct out *out, const struct codes *codes)
{
    if (codes->count % 4 != 0)
        put_fixed(out, codes->byte, 1);
}

#define ZEROS 512 // numbers at once; whole bytes of codes

// Where most numbers are 0, and that is so of many classes, they are passed over in blocks.
static bool zeros_at(const double *numbers, size_t count, size_t i)
{
    return i % ZEROS == 0 && count - i >= ZEROS && weights_are_zero(numbers + i, ZEROS);
}

void put_numbers(struct out *out, const double *numbers, size_t count)
{
    static const unsigned char none[ZEROS / 4];
    struct codes codes = {0};
    for (size_t i = 0; i < count; i++) {
        if (zeros_at(numbers, count, i)) {
            put_bytes(out, none, sizeof none);
            codes.count += ZEROS;
            i += ZEROS - 1;
        } else {
            put_code(out, &codes, numbers[i]);
        }
    }
    end_codes(out, &codes);
    for (size_t i = 0; i < count; i++) {
        if (zeros_at(numbers, count, i))
            i += ZEROS - 1;
        else
            put_number(out, numbers[i], code_of(numbers[i]));
    }
}

static void put_singles(struct out *out, const float *numbers, size_t count)
{
    struct codes codes = {0};
    for (size_t i = 0; i < count; i++)
        put_code(out, &codes, (double)numbers[i]);
    end_codes(out, &codes);
    for (size_t i = 0; i < count; i++)
        put_number(out, (double)numbers[i], code_of((double)numbers[i]));
}

// ---- Sections: one that puts nothing is left out ---------------------------------------------

static void put_version(struct out *out, const tlu_model *model)
{
    put_text(out, model->version);
}

// An option that came after the first models is kept where the learner takes it, so that models
// that have nothing to do with it are the same as before.
static bool option_is_kept(const tlu_options *options, enum option option)
{
    const tlu_learner_info *learner =
        tlu_learner_at((size_t)options_choice(options, OPTION_LEARNER));
    if (option == OPTION_DIAGONAL && !strstr(learner->options, "diagonal"))
        return false;
    return !option_is_technical(option) &&
           (options_is_set(options, option) || options_text(options, option)[0] != '\0');
}

// Defaults are written too, for they may change from version to version.
static void put_options(struct out *out, const tlu_model *model)
{
    uint64_t count = 0;
    for (enum option i = 0; i < OPTION_COUNT; i++)
        count += option_is_kept(model->options, i);
    put_count(out, count);
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        if (!option_is_kept(model->options, i))
            continue;
        put_text(out, tlu_option_at(i)->name);
        put_text(out, options_text(model->options, i));
        put_fixed(out, options_is_set(model->options, i), 1);
    }
}

static void put_table(struct out *out, const struct table *table)
{
    put_count(out, table->count);
    for (uint32_t i = 0; i < table->count; i++)
        put_text_of(out, table_text(table, i), table_length(table, i));
}

static void put_features(struct out *out, const tlu_model *model)
{
    const struct schema *schema = &model->schema;
    put_fixed(out, schema->format | (schema->slots.bits ? FORMAT_HASHED : 0u), 1);
    put_count(out, schema->numbered);
    uint32_t next = 0; // the lowest index that can come: most often it does
    for (uint32_t i = 0; i < schema->numbered; i++) {
        put_count(out, schema->ids[i] - next);
        next = schema->ids[i] + 1;
    }
    put_table(out, &schema->names);
}

static void put_columns(struct out *out, const tlu_model *model)
{
    const struct schema *schema = &model->schema;
    if (!schema_is_csv(schema))
        return;
    put_fixed(out, (unsigned char)schema->delimiter, 1);
    put_fixed(out, schema->header, 1);
    put_count(out, schema->column_count);
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        put_text(out, column->name);
        put_fixed(out, column->kind, 1);
        if (column->kind == COLUMN_NUMERIC)
            put_count(out, column->feature);
    }
}

static void put_classes(struct out *out, const tlu_model *model)
{
    const struct schema *schema = &model->schema;
    put_count(out, schema_classes(schema));
    if (schema_classes(schema) == 2)
        put_fixed(out, model->positive, 1);
    for (uint32_t i = 0; i < schema_classes(schema); i++) {
        put_text_of(out, table_text(&schema->labels, i), table_length(&schema->labels, i));
        put_text(out, schema->spelled[i]);
        put_count(out, model->class_examples[i]);
    }
}

static void put_scaling(struct out *out, const tlu_model *model)
{
    const struct scaling *scaling = &model->scaling;
    if (scaling->kind == SCALE_NONE)
        return;
    put_fixed(out, (uint64_t)scaling->kind, 1);
    put_numbers(out, scaling->factor, scaling->features);
    put_numbers(out, scaling->shift, scaling->features);
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

static void put_supports(struct out *out, const tlu_model *model)
{
    const struct supports *supports = &model->supports;
    bool rows = format_needs_rows(model), ones = true;
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

static void put_weights(struct out *out, const tlu_model *model)
{
    const struct weights *weights = &model->weights;
    size_t count = weights->features * weights->columns;
    put_fixed(out, weights->u != NULL, 1);
    put_fixed(out, weights->state != NULL, 1);
    put_double(out, weights->steps);
    if (weights->state)
        put_double(out, weights->state_start);
    put_numbers(out, weights->bias, weights->columns);
    put_numbers(out, weights->w, count);
    if (weights->u) {
        put_numbers(out, weights->u_bias, weights->columns);
        put_numbers(out, weights->u, count);
    }
    if (weights->state) {
        put_numbers(out, weights->state_bias, weights->columns);
        put_numbers(out, weights->state, count);
    }
}

static unsigned sign_code(int8_t sign)
{
    return sign > 0 ? SIGN_PLUS : sign < 0 ? SIGN_MINUS : SIGN_NONE;
}

// Most steps add the same amount as the step before, and none has to tell the amount or the
// factor 1.
static void put_step(struct out *out, const tlu_model *model, const struct replay_step *step,
                     const struct replay_step *before)
{
    bool same = bits_of(step->amount) == bits_of(before->amount);
    unsigned code = same ? STEP_SAME : (unsigned)code_of(step->amount);
    bool factor = bits_of(step->factor) != bits_of(1);
    put_fixed(out,
              sign_code(step->sign[0]) << STEP_SIGNS |
                  sign_code(step->sign[1]) << (STEP_SIGNS + 2) | (unsigned)factor << STEP_FACTOR |
                  code << STEP_AMOUNT,
              1);
    put_count(out, step->time - before->time);
    put_move(out, before->support, step->support);
    if (model->scheme != SCHEME_WTA && model->scheme != SCHEME_TWO)
        put_count(out, step->group); // and the column of its one part
    for (int p = 0; p < 2 && model->scheme == SCHEME_WTA; p++)
        if (step->sign[p])
            put_count(out, step->column[p]);
    if (!same)
        put_number(out, step->amount, (enum number_code)code);
    if (factor)
        put_double(out, step->factor);
}

static void put_replay(struct out *out, const tlu_model *model)
{
    const struct replay *replay = &model->replay;
    if (replay->count == 0)
        return;
    put_count(out, replay->count);
    struct replay_step start = {0};
    for (size_t n = 0; n < replay->count; n++)
        put_step(out, model, &replay->steps[n], n ? &replay->steps[n - 1] : &start);
}

static void put_random(struct out *out, const tlu_model *model)
{
    for (int i = 0; i < 4; i++)
        put_fixed(out, model->random.state[i], 8);
}

static void put_report(struct out *out, const tlu_model *model)
{
    const tlu_report *report = &model->report;
    put_count(out, report->examples);
    put_count(out, report->held_out);
    put_count(out, report->nonzeros);
    put_count(out, report->features);
    put_count(out, report->updates);
    put_count(out, report->skipped);
    put_fixed(out, report->converged != 0, 1);
    put_text(out, report->stopped);
    put_text(out, report->data);
    put_text(out, report->format);
    put_count(out, report->best_epoch);
    put_count(out, report->epochs);
    for (uint64_t i = 0; i < report->epochs; i++)
        put_count(out, report->mistakes[i]);
    put_fixed(out,
              !report->held_out_accuracy      ? HELD_NONE
              : model->recorded.held_by_class ? HELD_BY_CLASS
                                              : HELD_BY_ROW,
              1);
    if (report->held_out_accuracy)
        put_numbers(out, report->held_out_accuracy, (size_t)report->epochs);
    put_count(out, report->cycle);
    put_numbers(out, model->recorded.figures, 3);
}

static void put_live(struct out *out, const tlu_model *model)
{
    const struct stream_state *stream = &model->stream;
    size_t columns = model->weights.columns,
           count = model->weights.features * stream->unsettled.columns;
    uint32_t classes = schema_classes(&model->schema),
             groups = scheme_groups(model->scheme, classes);
    unsigned parts =
        (stream->order ? LIVE_ORDER : 0u) | (stream->indices.kept ? LIVE_INDICES : 0u) |
        (stream->groups.norm ? LIVE_GROUPS : 0u) | (stream->unsettled.scale ? LIVE_SCALES : 0u) |
        (stream->written.count ? LIVE_WRITTEN : 0u);
    if (!parts)
        return;
    put_fixed(out, parts, 1);
    for (uint32_t i = 0; stream->order && i < classes; i++)
        put_count(out, stream->order[i]);
    if (stream->indices.kept) {
        bool met = stream->indices.lowest <= stream->indices.highest;
        put_count(out, met ? stream->indices.highest + 1 : 0);
        if (met)
            put_count(out, stream->indices.lowest);
    }
    if (stream->groups.norm)
        put_numbers(out, stream->groups.norm, groups);
    for (uint32_t g = 0; stream->groups.norm && g < groups; g++)
        put_count(out, stream->groups.updates[g]);
    if (stream->unsettled.scale) {
        put_numbers(out, stream->unsettled.scale, columns);
        put_numbers(out, stream->unsettled.sum, columns);
        put_numbers(out, stream->unsettled.sum_at, columns);
        put_numbers(out, stream->unsettled.w, count);
        if (stream->unsettled.u)
            put_numbers(out, stream->unsettled.u, count);
    }
    if (stream->written.count)
        put_count(out, stream->written.count);
    for (size_t i = 0; i < stream->written.count; i++)
        put_count(out, i ? stream->written.cells[i] - stream->written.cells[i - 1] - 1
                         : stream->written.cells[0]);
}

// ---- The file --------------------------------------------------------------------------------

static const char tags[SECTION_COUNT][FORMAT_TAG_SIZE + 1] = {FORMAT_TAGS};

static void (*const put_section[SECTION_COUNT])(struct out *, const tlu_model *) = {
    [SECTION_VERSION] = put_version,   [SECTION_OPTIONS] = put_options,
    [SECTION_FEATURES] = put_features, [SECTION_COLUMNS] = put_columns,
    [SECTION_CLASSES] = put_classes,   [SECTION_SCALING] = put_scaling,
    [SECTION_SUPPORTS] = put_supports, [SECTION_WEIGHTS] = put_weights,
    [SECTION_REPLAY] = put_replay,     [SECTION_RANDOM] = put_random,
    [SECTION_REPORT] = put_report,     [SECTION_LIVE] = put_live,
    [SECTION_ADAPTIVE] = put_adaptive, [SECTION_UNITS] = put_units,
    [SECTION_RUN] = put_run,
};

static void put_all(struct out *out, const tlu_model *model, const uint64_t *sizes, uint64_t size)
{
    put_bytes(out, FORMAT_MAGIC, FORMAT_MAGIC_SIZE);
    put_fixed(out, FORMAT_VERSION, 4);
    put_fixed(out, size, 8);
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (sizes[i] == 0)
            continue;
        put_bytes(out, tags[i], FORMAT_TAG_SIZE);
        put_fixed(out, sizes[i], 8);
        put_section[i](out, model);
    }
    put_fixed(out, out->crc, FORMAT_CHECKSUM_SIZE);
}

tlu_status tlu_model_save(const tlu_model *model, const char *path, tlu_error *error)
{
    size_t rows = model->kernel.kind ? model->supports.count : schema_features(&model->schema);
    if (!model->schema.frozen || model->weights.features != rows)
        return error_system(error, "%s: not saved: the model is not complete", path);
    uint64_t sizes[SECTION_COUNT];
    uint64_t size = FORMAT_HEADER_SIZE + FORMAT_CHECKSUM_SIZE;
    for (int i = 0; i < SECTION_COUNT; i++) {
        struct out counted = {0};
        put_section[i](&counted, model);
        if (counted.infinite) // the loader would refuse it
            return error_input(error, "%s: not saved: a weight is not a finite number", path);
        sizes[i] = counted.size;
        size += counted.size ? FORMAT_SECTION_SIZE + counted.size : 0;
    }
    struct out out = {0};
    tlu_status status = file_begin(&out.file, path, error);
    if (status != TLU_OK)
        return status;
    put_all(&out, model, sizes, size);
    return file_commit(out.file, error);
}
