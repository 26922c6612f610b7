// What was assumed about data: which column is the label and why, which columns are texts or left
// out, what became of missing values. Every verb that reads a table reports it.
#ifndef TLU_DATA_FACTS_H
#define TLU_DATA_FACTS_H

#include "data/schema.h"

struct data_facts {
    tlu_data_facts view; // of what follows
    char *label;
    char **notices; // [view.notices]
    size_t capacity;
};

// The facts of data that was read with a growing schema: `rows` rows of `classes` classes.
// `missing`: MISSING_... The caller frees the facts, also after an error.
tlu_status data_facts_make(struct data_facts *facts, const struct schema *schema, int missing,
                           uint64_t rows, uint32_t classes, tlu_error *error);
void data_facts_free(struct data_facts *facts);

// Whether there are so many labels that they are more likely quantities or names.
bool labels_look_wrong(uint64_t rows, uint32_t classes);
// Whether the labels are numbers that look like amounts: many have a decimal fraction, or there are
// few rows of each.
bool labels_look_like_amounts(const struct schema *schema, uint64_t rows);
// The name of the reason in tlu_data_facts; NULL: unknown.
const char *label_reason_name(enum label_reason reason);
// The label column of a table; NULL: none.
const struct column *schema_label_column(const struct schema *schema);

#endif
