// Numbers of named features as they are written. A number goes to the exact values of the batch
// alone, and its entry has the float 0 from it; what words add to the entry are floats, counts that
// are exact. At the end of the row both are added up.
#include "base/memory.h"
#include "input/named.h"

#define TOO_MANY "has more than 18 digits, with what it is added to or multiplied with"

enum parse_result named_decimal(struct named_row *row, const char *text, const char *end,
                                const struct decimal *factor, struct decimal *out)
{
    struct decimal number;
    if (decimal_parse(text, end, &number) != DECIMAL_OK || !decimal_times(&number, factor, out))
        return bad_row_set(row->bad, named_column(row, text),
                           "the value " TOO_MANY ": proofs need LIBSVM or CSV for that");
    return PARSE_OK;
}

// All entries of the row have exact values; those that are new are 0.
static bool extend(struct named_row *row)
{
    struct batch_exact *exact = &row->batch->scratch.exact;
    if (!memory_reserve(&exact->values, &exact->capacity, row->count + 1, sizeof *exact->values))
        return false;
    for (; exact->known < row->count; exact->known++)
        exact->values[exact->known] = (struct decimal){0, 0, 0};
    return true;
}

// The entry of a feature that the row has.
static uint32_t entry_of(const struct named_row *row, const char *name, size_t length)
{
    const struct batch *batch = row->batch;
    uint32_t own = table_find(&batch->names, name, length);
    uint32_t shared = table_find(row->table, name, length);
    for (uint32_t k = row->count; k-- > row->start;)
        if ((own != TABLE_NONE && batch->indices[k] == (own | BATCH_LOCAL)) ||
            (row->table != &batch->names && batch->indices[k] == shared))
            return k;
    return row->start;
}

enum parse_result named_add_exact(struct named_row *row, const char *name, size_t length,
                                  struct decimal value)
{
    struct batch_exact *exact = &row->batch->scratch.exact;
    if (value.digits == 0)
        return PARSE_OK;
    if (length == 0)
        return bad_row_set(row->bad, named_column(row, row->cursor), "a feature without a name");
    TRY_PARSE(named_settle(row));
    TRY_PARSE(named_wait(row, table_key(row->table, name, length), 0));
    TRY_PARSE(named_settle(row));
    if (!extend(row))
        return PARSE_MEMORY;
    struct decimal *sum = &exact->values[entry_of(row, name, length)];
    if (!decimal_plus(sum, &value, sum))
        return bad_row_set(row->bad, named_column(row, row->cursor),
                           "a value " TOO_MANY ": proofs need LIBSVM or CSV for that");
    return PARSE_OK;
}

enum parse_result named_total(struct named_row *row)
{
    struct batch *batch = row->batch;
    if (!extend(row))
        return PARSE_MEMORY;
    for (uint32_t k = row->start; k < row->count; k++) {
        struct decimal *value = &batch->scratch.exact.values[k];
        struct decimal words = decimal_of_float(batch->values[k]);
        if (!decimal_plus(value, &words, value))
            return bad_row_set(row->bad, 1, "a value " TOO_MANY);
        batch->values[k] = value->digits != 0; // that it is not 0 is all that matters
        row->zeroed |= value->digits == 0;
    }
    return PARSE_OK;
}
