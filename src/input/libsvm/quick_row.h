// What the fast paths for plain rows share (quick.h): the row being read.
#ifndef TLU_INPUT_LIBSVM_QUICK_ROW_H
#define TLU_INPUT_LIBSVM_QUICK_ROW_H

#include "base/memory.h"
#include "data/large.h"
#include "input/bytes.h"
#include "input/libsvm/quick.h"
#include "input/numbers.h"
#include "numeric/number.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define REACH 64 // bytes around an entry that may be looked at

// The row that is being read; it may be read in parts.
struct quick_row {
    size_t from;     // where it starts
    size_t count;    // entries of the batch, those of this row included
    int32_t lowest;  // index of the row; -1: no entry so far
    int32_t highest; // so far
    uint32_t entries, blanks;
    bool lost;  // an entry is of a feature that the model does not know
    bool other; // a value is not 1
    bool zero;  // a value is 0
    bool query; // "qid:" and a number are before its entries
};

// Not the first byte of a byte order mark: the rules know what to say about it.
static inline bool is_label_byte(char c)
{
    return (unsigned char)c > ' ' && (unsigned char)c != 0xEF;
}

static bool is_stop(char c)
{
    return c == ' ' || c == '\n' || c == '\r';
}

struct quick_entry {
    int32_t index;
    float value;
    bool there;       // the value is not 0
    const char *stop; // after it
};

// After "qid:" and a number at `text`; NULL if that is not there.
static const char *query_end(const char *text)
{
    uint64_t number = 0;
    if (memcmp(text, "qid:", 4) != 0)
        return NULL;
    const char *end = append_digits(text + 4, &number);
    return end - text > 4 && end - text < 20 && is_stop(*end) ? end : NULL;
}

// A value that is not plain. False if `text` is not a number.
static bool value_slowly(const char *text, const char *limit, struct quick_entry *entry)
{
    if (!quick_float(text, &entry->value, &entry->stop)) {
        double number = 0;
        if (number_parse(text, limit, &number, &entry->stop) != NUMBER_OK)
            return false;
        entry->value = (float)number;
    }
    entry->there = entry->value != 0;
    return entry->stop < limit && is_stop(*entry->stop) && !isinf(entry->value);
}

// Entries to the batch, with numbers of the model's if it is frozen; those that are 0 or that
// the model does not know are left out.
static void copy_some(struct quick_row *row, const struct schema *schema, struct batch *batch,
                      const int32_t *indices, const float *values, size_t count)
{
    bool looks_up = schema_looks_up(schema), large = looks_up && schema->large.count > 0;
    struct index_view view = {0};
    if (large)
        view = indices_view(&schema->large);
    for (size_t i = 0; large && i < count && i < INDICES_AHEAD; i++)
        index_expect(&view, (uint32_t)indices[i]);
    for (size_t i = 0; i < count; i++) {
        uint32_t index = (uint32_t)indices[i];
        if (large && i + INDICES_AHEAD < count)
            index_expect(&view, (uint32_t)indices[i + INDICES_AHEAD]);
        if (looks_up && index >= SCHEMA_DIRECT)
            index = large_find(schema, index);
        else if (looks_up)
            index = index < schema->rank_count ? schema->rank[index] : SCHEMA_NONE;
        batch->indices[row->count] = index;
        batch->values[row->count] = values[i];
        bool known = index != SCHEMA_NONE, there = values[i] != 0;
        row->lost |= there & !known;
        row->other |= there & known & (values[i] != 1);
        row->count += there & known;
    }
}

// Whether the row may be plain with entries up to this index, some of which are 0. A large index is
// known from then on even if its value is 0: that is for the rules.
static bool may_be_plain(struct quick_row *row, const struct schema *schema, int32_t highest,
                         bool zero)
{
    row->zero |= zero;
    return highest < (int32_t)SCHEMA_DIRECT || !row->zero || schema_looks_up(schema);
}

// The highest index of the row below SCHEMA_DIRECT, of which there is one.
static uint32_t highest_direct(const struct batch *batch, const struct quick_row *row)
{
    uint32_t highest = (uint32_t)row->highest;
    for (size_t at = row->count; highest >= SCHEMA_DIRECT && at > batch_nonzeros(batch); at--)
        highest = batch->indices[at - 1];
    return highest;
}

// The label or labels of a row. PARSE_BAD: the rules have to look at them.
static enum parse_result label_by_rules(const struct parser *parser, struct batch *batch,
                                        const char *label, size_t length)
{
    struct bad_row ignored;
    if (parser->schema->multilabel)
        return row_label_list(parser, batch, label, length, ",", &ignored, 0);
    return is_number_list(label, length) ? PARSE_BAD : row_label(parser, batch, label, length);
}

// The same, which is asked once for each short label.
static enum parse_result set_label(const struct parser *parser, struct batch *batch,
                                   struct known_labels *known, const char *label, size_t length)
{
    uint32_t *class_of_row = &batch->labels[batch->rows];
    if (length > 8)
        return label_by_rules(parser, batch, label, length);
    uint64_t bytes = load_word(label) & UINT64_MAX >> (64 - 8 * length);
    size_t slot = bytes * 0x9E3779B97F4A7C15u >> 32 & (KNOWN_LABELS - 1);
    if (known->labels[slot] == bytes) {
        *class_of_row = known->classes[slot];
        return PARSE_OK;
    }
    uint64_t unknown = batch->counts.unknown_labels;
    TRY_PARSE(label_by_rules(parser, batch, label, length));
    if (batch->counts.unknown_labels == unknown) { // else it is to be counted again
        known->labels[slot] = bytes;
        known->classes[slot] = *class_of_row;
    }
    return PARSE_OK;
}

// The numbers of a row that has its label go into the batch, whose entries are there already.
static void close_row(struct batch *batch, const struct quick_row *row)
{
    batch->scratch.large |= row->highest >= (int32_t)SCHEMA_DIRECT;
    if (row->lowest >= 0 && row->lowest < (int32_t)SCHEMA_DIRECT) {
        index_range_add(&batch->direct, (uint32_t)row->lowest);
        index_range_add(&batch->direct, highest_direct(batch, row));
    }
    batch->ones &= !row->other;
    batch->counts.qid_fields += row->query;
    batch->counts.unknown_rows += row->lost && row->count == batch_nonzeros(batch);
    row_close(batch, row->count, ++batch->place.lines);
}

static void start_row(struct quick_row *row, const struct batch *batch, size_t from)
{
    *row = (struct quick_row){
        .from = from, .count = batch_nonzeros(batch), .lowest = -1, .highest = -1};
}

#endif
