#include "data/schema.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/near.h"
#include "data/hash.h"
#include "data/large.h"
#include "numeric/number.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MARKS_AHEAD 16

void schema_init(struct schema *schema)
{
    memset(schema, 0, sizeof *schema);
    schema->direct = NO_INDICES;
    schema->words.ngrams = 1;
    schema->separator[0] = ',';
    table_draw_key(&schema->names);
}

void schema_free(struct schema *schema)
{
    for (uint32_t i = 0; i < schema->labels.count; i++)
        memory_free(schema->spelled[i]);
    for (size_t i = 0; i < schema->column_count; i++)
        column_free(&schema->columns[i]);
    memory_free(schema->spelled);
    memory_free(schema->columns);
    memory_free(schema->ids);
    memory_free(schema->rank);
    memory_free(schema->slots.marks);
    memory_free(schema->slots.met);
    memory_free(schema->slots.kept);
    memory_free(schema->slots.before);
    table_free(&schema->names);
    table_free(&schema->stop_words);
    indices_free(&schema->large);
    table_free(&schema->labels);
    schema_init(schema);
}

void column_free(struct column *column)
{
    memory_free(column->name);
    memory_free(column->fill.text);
}

bool column_copy(struct column *to, const struct column *from)
{
    *to = *from;
    to->name = memory_copy_text(from->name, strlen(from->name));
    to->fill.text =
        from->fill.text ? memory_copy_text(from->fill.text, strlen(from->fill.text)) : NULL;
    if (to->name && (to->fill.text || !from->fill.text))
        return true;
    column_free(to);
    return false;
}

tlu_status separator_of(const tlu_options *options, char separator[SEPARATOR_SIZE],
                        tlu_error *error)
{
    const char *text = options_text(options, OPTION_LABEL_SEPARATOR);
    size_t length = strlen(text);
    char quoted[48];
    if (length == 0 || length >= SEPARATOR_SIZE || strpbrk(text, "\"\r\n"))
        return error_input(error,
                           "--label-separator is 1 to %d bytes without a quote or the end of a "
                           "line, not '%s'",
                           SEPARATOR_SIZE - 1, error_quote(quoted, sizeof quoted, text, length));
    memset(separator, 0, SEPARATOR_SIZE);
    memcpy(separator, text, length);
    return TLU_OK;
}

tlu_status schema_set_labels(struct schema *schema, const tlu_options *options, tlu_error *error)
{
    schema->multilabel = options_flag(options, OPTION_MULTILABEL);
    return separator_of(options, schema->separator, error);
}

size_t schema_features(const struct schema *schema)
{
    if (schema->frozen)
        return (size_t)schema->numbered + schema_names(schema);
    if (schema->slots.bits)
        return (size_t)1 << schema->slots.bits;
    if (schema_names(schema))
        return (size_t)schema->base + schema_names(schema);
    return schema->direct.lowest > schema->direct.highest ? 0 : (size_t)schema->direct.highest + 1;
}

size_t schema_next_slot(const struct schema *schema, size_t number)
{
    const uint64_t *met = schema->slots.met;
    size_t words = ((size_t)1 << schema->slots.bits) / 64, word = number / 64;
    if (word >= words)
        return number;
    uint64_t bits = met[word] & ~(uint64_t)0 << number % 64;
    while (!bits && ++word < words)
        bits = met[word];
    return word * 64 + (bits ? (size_t)__builtin_ctzll(bits) : 0);
}

size_t schema_gaps(const struct schema *schema)
{
    if (schema->slots.bits)
        return schema_features(schema);
    return schema_names(schema) ? schema->base : schema->base ? schema_features(schema) : 0;
}

uint64_t schema_columns(const struct schema *schema)
{
    const struct index_range *direct = &schema->direct;
    if (schema->slots.bits && !schema->frozen)
        return schema->slots.used;
    uint64_t numbered = schema->numbered;
    if (!schema->frozen)
        numbered = direct->lowest > direct->highest
                       ? 0
                       : (uint64_t)direct->highest + (direct->lowest == 0);
    return numbered + schema_names(schema);
}

uint32_t schema_find(const struct schema *schema, const char *name, size_t length)
{
    uint64_t index;
    if (schema->slots.bits) {
        uint32_t slot = hash_slot(hash_name(name, length), schema->slots.bits);
        return schema->frozen ? schema_slot_feature(schema, slot) : slot;
    }
    if (number_index(name, length, &index) && index < SCHEMA_DIRECT) {
        if (!schema->frozen && schema->base > index)
            return (uint32_t)index;
        if (schema->frozen && index < schema->rank_count && schema->rank[index] != SCHEMA_NONE)
            return schema->rank[index];
    }
    if (large_is(schema, name, length, &index))
        return large_find(schema, index);
    uint32_t number = table_find(&schema->names, name, length);
    if (number == TABLE_NONE)
        return SCHEMA_NONE;
    return number + (schema->frozen ? schema->numbered : schema->base);
}

uint32_t schema_add(struct schema *schema, const char *name, size_t length)
{
    uint64_t index;
    if (schema->slots.bits) {
        uint64_t hash = hash_name(name, length);
        uint32_t slot = hash_slot(hash, schema->slots.bits);
        schema_note(schema, slot, hash_mark(hash));
        return slot;
    }
    if (schema->base && number_index(name, length, &index) && index < schema->base) {
        index_range_add(&schema->direct, (uint32_t)index);
        return (uint32_t)index;
    }
    if (large_is(schema, name, length, &index))
        return large_add(schema, index);
    if (schema->large.count && !large_to_texts(schema))
        return SCHEMA_NONE;
    uint32_t number = table_add(&schema->names, name, length);
    if (number == TABLE_NONE || number >= BATCH_LOCAL - schema->base)
        return SCHEMA_NONE;
    return schema->base + number;
}

// ---- columns ----

static size_t count_kind(const struct schema *schema, enum column_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < schema->column_count; i++)
        count += schema->columns[i].kind == kind;
    return count;
}

bool schema_is_records(const struct schema *schema)
{
    return schema_has_members(schema) && count_kind(schema, COLUMN_LABEL) > 0;
}

bool schema_columns_fit(const struct schema *schema)
{
    bool text = schema->column_count == 1 && schema->columns[0].kind == COLUMN_TEXT &&
                strcmp(schema->columns[0].name, "text") == 0;
    return count_kind(schema, COLUMN_LABEL) == 1 || (schema_has_members(schema) && text);
}

// ---- what a feature is ----

bool schema_has_texts(const struct schema *schema)
{
    enum format_words words = format_table[schema->format].words;
    bool texts = words == WORDS_ALL || (words == WORDS_SOME && schema->column_count == 0) ||
                 schema->numbered_words;
    return texts || count_kind(schema, COLUMN_TEXT) > 0;
}

const struct column *schema_text_column(const struct schema *schema)
{
    const struct column *text = NULL;
    for (size_t i = 0; schema_is_table(schema) && i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        if (!column_has_features(column->kind))
            continue;
        if (text || column->kind != COLUMN_TEXT)
            return NULL;
        text = column;
    }
    return text;
}

bool schema_is_word(const struct schema *schema, uint32_t feature)
{
    char digits[LARGE_SCRATCH];
    uint32_t first_name = schema->frozen ? schema->numbered : schema->base;
    if (schema->column_count == 0)
        return schema->numbered_words || format_table[schema->format].words != WORDS_NONE;
    if (schema->slots.bits || feature < first_name)
        return false;
    size_t length;
    const char *name = schema_name_at(schema, feature - first_name, digits, &length);
    for (size_t i = 0; i < schema->column_count; i++) {
        size_t n = strlen(schema->columns[i].name);
        if (schema->columns[i].kind == COLUMN_TEXT && length > n && name[n] == ':' &&
            memcmp(name, schema->columns[i].name, n) == 0)
            return true;
    }
    return false;
}

bool schema_is_number(const struct schema *schema, uint32_t feature)
{
    char digits[LARGE_SCRATCH];
    uint32_t first_name = schema->frozen ? schema->numbered : schema->base;
    for (size_t i = 0; schema_is_csv(schema) && i < schema->column_count; i++)
        if (schema->columns[i].kind == COLUMN_NUMERIC && schema->columns[i].feature == feature)
            return true;
    if (schema_is_csv(schema) || schema_is_word(schema, feature))
        return false;
    if (schema->column_count == 0 || schema->slots.bits || feature < first_name)
        return true;
    size_t length;
    const char *name = schema_name_at(schema, feature - first_name, digits, &length);
    return !memchr(name, '=', length); // else a category of JSON
}

bool schema_find_value(const struct schema *schema, const struct column *column, const char *value,
                       uint32_t *feature)
{
    size_t length = strlen(column->name), more = strlen(value);
    char few[256], *name = few;
    *feature = SCHEMA_NONE;
    if (length + 1 + more > sizeof few)
        name = memory_new(length + 1 + more, 1);
    if (!name)
        return false;
    memcpy(name, column->name, length);
    name[length] = '=';
    memcpy(name + length + 1, value, more);
    *feature = schema_find(schema, name, length + 1 + more);
    if (name != few)
        memory_free(name);
    return true;
}

uint32_t schema_marked_column(const struct schema *schema, const char *name, size_t length)
{
    static const char marker[] = "=" MISSING_VALUE;
    size_t size = sizeof marker - 1;
    if (length <= size || memcmp(name + length - size, marker, size) != 0)
        return SCHEMA_NONE;
    for (uint32_t c = 0; c < schema->column_count; c++)
        if (strlen(schema->columns[c].name) == length - size &&
            memcmp(schema->columns[c].name, name, length - size) == 0)
            return c;
    return SCHEMA_NONE;
}

// ---- names ----

size_t schema_name(const struct schema *schema, uint32_t feature, char *out, size_t size)
{
    uint32_t first_name = schema->frozen ? schema->numbered : schema->base;
    int length;
    char scratch[LARGE_SCRATCH];
    size_t bytes;
    if (schema->slots.bits)
        length = snprintf(out, size, "#%u", schema->frozen ? schema->ids[feature] : feature);
    else if (feature >= first_name)
        length = snprintf(out, size, "%s",
                          schema_name_at(schema, feature - first_name, scratch, &bytes));
    else
        length = snprintf(out, size, "%u", schema->frozen ? schema->ids[feature] : feature);
    return length > 0 ? (size_t)length : 0;
}

bool schema_hash(struct schema *schema, uint32_t bits)
{
    schema->base = 0;
    schema->slots.bits = bits;
    if (!schema->slots.marks)
        schema->slots.marks = memory_new((size_t)1 << bits, sizeof *schema->slots.marks);
    if (!schema->slots.met)
        schema->slots.met = memory_new(((size_t)1 << bits) / 64, sizeof *schema->slots.met);
    return schema->slots.marks && schema->slots.met;
}

void schema_note(struct schema *schema, uint32_t slot, uint32_t mark)
{
    struct slots *slots = &schema->slots;
    uint32_t *held = &slots->marks[slot];
    if (*held == 0) {
        *held = mark;
        slots->used++;
        schema_meet(schema, slot);
    } else if ((*held | 1) != (mark | 1) && !(*held & 1)) {
        *held |= 1;
        slots->shared++;
    }
}

// Cuts a whole number down to its shortest form.
const char *schema_compared_form(const char *label, size_t *length)
{
    const char *text = label, *end = label + *length;
    if (text < end && *text == '+')
        text++;
    const char *digits = text < end && *text == '-' ? text + 1 : text;
    const char *cursor = digits;
    while (cursor < end && *cursor >= '0' && *cursor <= '9')
        cursor++;
    const char *whole = cursor;
    if (whole == digits || (*digits == '0' && whole > digits + 1) ||
        (digits > label + 1)) // "007" and "+-1" are texts
        return label;
    if (cursor < end && *cursor == '.')
        for (cursor++; cursor < end && *cursor == '0';)
            cursor++;
    if (cursor != end)
        return label;
    *length = (size_t)(whole - text);
    return text;
}

uint32_t schema_class_find(const struct schema *schema, const char *label, size_t length)
{
    label = schema_compared_form(label, &length);
    return table_find(&schema->labels, label, length);
}

uint32_t schema_class_add(struct schema *schema, const char *label, size_t length)
{
    size_t compared_length = length;
    const char *compared = schema_compared_form(label, &compared_length);
    uint32_t known = table_find(&schema->labels, compared, compared_length);
    if (known != TABLE_NONE)
        return known;
    char *spelled = memory_copy_text(label, length);
    if (!spelled || !memory_reserve(&schema->spelled, &schema->spelled_capacity,
                                    (size_t)schema->labels.count + 1, sizeof *schema->spelled)) {
        memory_free(spelled);
        return SCHEMA_NONE;
    }
    uint32_t number = table_add(&schema->labels, compared, compared_length);
    if (number == TABLE_NONE)
        memory_free(spelled);
    else
        schema->spelled[number] = spelled;
    return number;
}

int schema_label_compare(const char *a, const char *b)
{
    double x, y;
    bool a_number = number_whole(a, strlen(a), &x), b_number = number_whole(b, strlen(b), &y);
    if (a_number != b_number)
        return a_number ? -1 : 1;
    if (a_number && x != y)
        return x < y ? -1 : 1;
    return strcmp(a, b);
}

// Adds the texts of a table to the schema; numbers[i] is the number of text i.
static bool find_numbers(struct schema *schema, const struct table *table,
                         uint32_t (*add)(struct schema *, const char *, size_t), uint32_t *numbers)
{
    for (uint32_t i = 0; i < table->count; i++) {
        numbers[i] = add(schema, table_text(table, i), table_length(table, i));
        if (numbers[i] == SCHEMA_NONE)
            return false;
    }
    return true;
}

static bool find_names(struct schema *schema, const struct table *names, uint32_t *numbers)
{
    if (schema->base || schema_is_indexed(schema)) // a name may be an index
        return find_numbers(schema, names, schema_add, numbers);
    return table_add_all(&schema->names, names, numbers) && schema->names.count < BATCH_LOCAL;
}

// Most names have their final numbers already (input/named.h): eight such indices are skipped at
// once.
static void replace_local(uint32_t *indices, size_t count, const uint32_t *features)
{
    for (size_t i = 0; i < count;) {
        uint64_t pairs[4];
        if (count - i >= 8) {
            memcpy(pairs, indices + i, sizeof pairs);
            uint64_t any = pairs[0] | pairs[1] | pairs[2] | pairs[3];
            if (!(any & (BATCH_LOCAL | (uint64_t)BATCH_LOCAL << 32))) {
                i += 8;
                continue;
            }
        }
        for (size_t end = count - i > 8 ? i + 8 : count; i < end; i++)
            if (indices[i] & BATCH_LOCAL)
                indices[i] = features[indices[i] & ~BATCH_LOCAL];
    }
}

// Marks are scattered in memory: some are prefetched.
static void note_hashed(struct schema *schema, const struct hashed_names *hashed)
{
    for (size_t i = 0; i < hashed->count; i++) {
        if (hashed->count - i > MARKS_AHEAD)
            __builtin_prefetch(&schema->slots.marks[hashed->items[i + MARKS_AHEAD].feature]);
        schema_note(schema, hashed->items[i].feature, hashed->items[i].mark);
    }
}

bool schema_merge(struct schema *schema, struct batch *batch)
{
    assert(!schema->frozen);
    if (batch->classes.count) {
        uint32_t *classes = memory_new(batch->classes.count, sizeof *classes);
        if (!classes || !find_numbers(schema, &batch->classes, schema_class_add, classes)) {
            memory_free(classes);
            return false;
        }
        size_t rows = batch->set_cells ? 0 : batch->rows;
        for (size_t i = 0; i < rows; i++)
            if (batch->labels[i] != TLU_NO_LABEL)
                batch->labels[i] = classes[batch->labels[i]];
        batch_renumber_sets(batch, classes);
        memory_free(classes);
    }
    if (schema->slots.bits) {
        note_hashed(schema, &batch->hashed);
        return true;
    }
    if (batch_names(batch)) {
        uint32_t *features = batch->large.count ? large_merge(schema, &batch->large)
                                                : memory_new(batch->names.count, sizeof *features);
        if (!features || (!batch->large.count && !find_names(schema, &batch->names, features))) {
            memory_free(features);
            return false;
        }
        replace_local(batch->indices, batch_nonzeros(batch), features);
        memory_free(features);
    }
    if (schema_is_indexed(schema) && batch->direct.lowest <= batch->direct.highest) {
        index_range_add(&schema->direct, batch->direct.lowest);
        index_range_add(&schema->direct, batch->direct.highest);
    }
    return true;
}

// The LIBSVM index below SCHEMA_DIRECT that a name spells; SCHEMA_NONE if it spells none.
static uint32_t index_of_name(const struct schema *schema, uint32_t name)
{
    const char *text = table_text(&schema->names, name);
    uint64_t index;
    if (!number_index(text, table_length(&schema->names, name), &index))
        return SCHEMA_NONE;
    return index < SCHEMA_DIRECT ? (uint32_t)index : SCHEMA_NONE;
}

static bool rank_slots(struct schema *schema)
{
    struct slots *slots = &schema->slots;
    size_t words = ((size_t)1 << slots->bits) / 64;
    slots->kept = memory_new(words, sizeof *slots->kept);
    slots->before = memory_new(words, sizeof *slots->before);
    if (!slots->kept || !slots->before)
        return false;
    for (uint32_t i = 0; i < schema->numbered; i++) {
        size_t word = schema->ids[i] / 64;
        if (!slots->kept[word])
            slots->before[word] = i;
        slots->kept[word] |= (uint64_t)1 << schema->ids[i] % 64;
    }
    return true;
}

bool schema_rank(struct schema *schema)
{
    for (uint32_t i = 1; i < schema->numbered; i++)
        assert(schema->ids[i - 1] < schema->ids[i]);
    if (schema->slots.bits)
        return rank_slots(schema);
    schema->rank_count = schema->numbered ? schema->ids[schema->numbered - 1] + 1 : 0;
    const uint32_t names = schema_is_indexed(schema) ? schema->names.count : 0;
    for (uint32_t i = 0; i < names; i++) {
        uint32_t index = index_of_name(schema, i);
        if (index != SCHEMA_NONE && index >= schema->rank_count)
            schema->rank_count = index + 1;
    }
    schema->rank = memory_resize(NULL, schema->rank_count, sizeof *schema->rank);
    if (!schema->rank)
        return false;
    static_assert(SCHEMA_NONE == UINT32_MAX, "all bytes are 0xFF");
    memset(schema->rank, 0xFF, schema->rank_count * sizeof *schema->rank);
    for (uint32_t i = 0; i < names; i++) {
        uint32_t index = index_of_name(schema, i);
        if (index != SCHEMA_NONE)
            schema->rank[index] = schema->numbered + i;
    }
    for (uint32_t i = 0; i < schema->numbered; i++)
        schema->rank[schema->ids[i]] = i;
    return true;
}

// ---- labels in messages ----

#define LABELS_SHOWN 8

// Orders classes by their distance to a label, then by schema_label_compare.
static bool is_before(const struct schema *schema, const char *label, uint32_t a, uint32_t b)
{
    size_t x = tlu_text_distance(schema->spelled[a], label);
    size_t y = tlu_text_distance(schema->spelled[b], label);
    return x != y ? x < y : schema_label_compare(schema->spelled[a], schema->spelled[b]) < 0;
}

const char *schema_near_label(const struct schema *schema, const char *label)
{
    uint32_t nearest = 0;
    if (schema_classes(schema) == 0)
        return NULL;
    for (uint32_t c = 1; c < schema_classes(schema); c++)
        if (is_before(schema, label, c, nearest))
            nearest = c;
    size_t distance = tlu_text_distance(schema->spelled[nearest], label);
    return near_enough(distance, strlen(label)) ? schema->spelled[nearest] : NULL;
}

const char *schema_list_labels(const struct schema *schema, const char *label, char *out,
                               size_t size)
{
    uint32_t shown[LABELS_SHOWN], count = 0, classes = schema_classes(schema);
    for (uint32_t c = 0; c < classes; c++) { // those nearest so far, in order
        uint32_t at = count < LABELS_SHOWN ? count++ : LABELS_SHOWN;
        for (; at > 0 && is_before(schema, label, c, shown[at - 1]); at--)
            if (at < LABELS_SHOWN)
                shown[at] = shown[at - 1];
        if (at < LABELS_SHOWN)
            shown[at] = c;
    }
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < count && used < size; i++) {
        char quoted[48];
        const char *text = schema->spelled[shown[i]];
        used += (size_t)snprintf(out + used, size - used, "%s'%s'", i ? ", " : "",
                                 error_quote(quoted, sizeof quoted, text, strlen(text)));
    }
    if (count < classes && used < size)
        snprintf(out + used, size - used, " and %u more", classes - count);
    return out;
}
