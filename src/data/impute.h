// Missing values of a table: what they are replaced by, fitted to the training rows and kept in the
// columns of the schema (struct fill).
//
// The parser of a growing schema puts a feature COLUMN=(missing) with the value 1, the marker, in
// place of a missing value. When all rows are known, --missing auto, mean, median and most-frequent
// add the value of the column to each row with a marker; all but auto remove the marker of a
// number. most-frequent replaces the marker of a category by its most frequent value. A frozen
// schema has the values, so its parser needs no markers.
#ifndef TLU_DATA_IMPUTE_H
#define TLU_DATA_IMPUTE_H

#include "base/options.h"
#include "data/schema.h"

// Whether missing values are replaced by a value that is fitted.
static inline bool impute_fits(int missing)
{
    return missing != MISSING_INDICATOR && missing != MISSING_ZERO && missing != MISSING_REFUSE;
}

// Fits the values to the rows that are not held out, and replaces the markers of all rows.
tlu_status impute_rows(struct schema *schema, int missing, struct batch *const *batches,
                       size_t batch_count, tlu_error *error);

// auto and mean, if no value is missing: adds the numbers of a batch to the means. False: out of
// memory.
bool impute_count(struct schema *schema, const struct batch *batch);

// Sets the mean of the values so far.
static inline void fill_set_mean(struct fill *fill)
{
    fill->known = true;
    fill->value = fill->count ? fill->sum / (double)fill->count : 0;
}

#endif
