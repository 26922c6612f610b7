// An index of the rows of a file, for copying them in a second pass: how many bytes each has, its
// class and its group. It takes a few bytes per row, whatever the rows have.
#ifndef TLU_MODEL_SPLIT_ROW_INDEX_H
#define TLU_MODEL_SPLIT_ROW_INDEX_H

#include "input/csv/csv.h"
#include "input/ids.h"
#include "input/reader.h"

struct indexed_row {
    uint64_t gap;         // bytes between the row before and this one: empty lines, malformed rows
    uint64_t size;        // bytes of the row with its newline
    uint32_t class_index; // of `labels`; SCHEMA_NONE: the row has no label
    uint32_t group;       // of `groups`
};

struct row_index {
    uint64_t head;               // bytes before the first row: comments, the header
    enum json_rows rows_of_json; // unless rows are lines, the index has objects without newlines
    uint64_t rows;
    uint64_t unlabelled;  // of these
    uint64_t skipped;     // malformed rows, which are not in the index
    struct table labels;  // the first label of each row
    uint32_t no_labels;   // the number of "", for rows whose set of labels is empty
    uint64_t *class_rows; // [labels.count]
    struct table groups;
    uint64_t *group_rows; // [groups.count]

    const struct reader *reader;
    const struct schema *schema;
    bool needs_label, skip_bad;
    struct id_source group_source; // name NULL: there are no groups
    struct csv_plan plan;          // of the group
    struct ids group;              // of one row
    uint64_t gap;                  // bytes since the end of the last row
    uint32_t *label_of;            // [label_count] of a class of the schema
    size_t label_count, label_capacity, class_capacity, group_capacity;
    unsigned char *bytes; // [size] numbers with 7 bits per byte, the lowest bits first
    size_t size, capacity;
    size_t at; // the next to be read
};

// For a reader with labels_only and texts, which returned no batch yet. `group` is the column of
// --group or NULL. Rows without a group and, if they need one, without a label are malformed. Free
// the index also after an error.
tlu_status row_index_open(struct row_index *index, const struct reader *reader,
                          const struct schema *schema, const char *path, const char *group,
                          bool needs_label, bool skip_bad, tlu_error *error);
// Adds the rows of the reader's next batch.
tlu_status row_index_add(struct row_index *index, const struct batch *batch, tlu_error *error);
// The next row; false after the last.
bool row_index_next(struct row_index *index, struct indexed_row *row);
bool row_index_has_more(const struct row_index *index);
void row_index_free(struct row_index *index);

#endif
