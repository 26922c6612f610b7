// JSON records: objects whose members are the columns of a table.
//
// Rows are not records if one of them has a member "features", or if they have no members but
// "label", "text", "features" and "weight". The first rows decide. Then they decide what the
// members are: the label, texts and identifiers as in CSV (input/columns.h). Other members, and
// those that come later, are what their JSON type says.
//
// If there is a member "features", "text" is a column of its own, so that its words have a prefix
// that tells them from features.
#ifndef TLU_INPUT_JSON_MEMBERS_H
#define TLU_INPUT_JSON_MEMBERS_H

#include "base/options.h"
#include "input/parse.h"

struct json_member {
    enum column_kind kind;
    bool by_type;
    const char *name; // belongs to the schema
    size_t length;
    char *prefix; // of a text: the name and a colon, before each word
    size_t prefix_length;
    const struct fill *fill;
};

// How records are read.
struct json_plan {
    struct table names;          // numbered like the members
    struct json_member *members; // [count]
    size_t count;
    size_t prefix_max; // the longest prefix
    const char *label; // name; NULL: these are objects with "features"
};

// Sets the columns of a schema to train on, from the first rows; none if these have only "label",
// "text" and "weight". In a stream, options may name members that the first rows lack.
tlu_status json_columns(struct schema *schema, const tlu_options *options, const char *file,
                        enum json_rows rows, const char *bytes, size_t size, bool stream,
                        tlu_error *error);
// Adds the features of numeric columns; false: out of memory.
bool json_add_features(struct schema *schema);

// The plan for records of a schema; false: out of memory.
bool json_plan_make(struct json_plan *plan, const struct schema *schema);
void json_plan_free(struct json_plan *plan);

// Whether the first rows, read by a model of records, have a member "features" that it does not
// know. False: out of memory.
bool json_find_features(const struct schema *schema, enum json_rows rows, const char *bytes,
                        size_t size, bool *found);

#endif
