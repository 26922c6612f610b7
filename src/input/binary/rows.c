// Rows of a binary data file. For training, a block is lent as a batch and its names and labels are
// added to the schema. For a model, its features and labels are translated to those of the model.
#include "input/binary/internal.h"

#include "base/crc.h"
#include "base/memory.h"
#include "data/hash.h"
#include "input/binary/binary.h"
#include "input/csv/csv.h"

#include <assert.h>
#include <float.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- names and labels of the file in a model ----

static bool numbers_add(struct numbers *numbers, uint32_t number)
{
    uint32_t **segment = &numbers->segments[numbers->count / NUMBERS_SEGMENT % 32768];
    if (numbers->count >= BATCH_LOCAL)
        return false;
    if (!*segment)
        *segment = memory_resize(NULL, NUMBERS_SEGMENT, sizeof **segment);
    if (!*segment)
        return false;
    (*segment)[numbers->count++ % NUMBERS_SEGMENT] = number;
    return true;
}

static void numbers_free(struct numbers *numbers)
{
    for (size_t i = 0; numbers && i < 32768 && numbers->segments[i]; i++)
        memory_free(numbers->segments[i]);
    memory_free(numbers);
}

uint32_t binary_column_of(const struct schema *schema, const struct table *columns,
                          const char *name, size_t length, size_t *value)
{
    for (size_t at = 0; at < length; at++) {
        if (name[at] != '=' && name[at] != ':')
            continue;
        uint32_t place = table_find(columns, name, at);
        if (place == TABLE_NONE)
            continue;
        *value = at + 1;
        enum column_kind kind = schema->columns[place].kind;
        bool missing = length - *value == strlen(MISSING_VALUE) &&
                       memcmp(name + *value, MISSING_VALUE, strlen(MISSING_VALUE)) == 0;
        if (name[at] == ':' ? kind == COLUMN_TEXT
                            : kind == COLUMN_CATEGORICAL || (kind == COLUMN_NUMERIC && missing))
            return place;
    }
    return SCHEMA_NONE;
}

// Whether the file's column can be used as the model's.
static tlu_status match_column(struct binary_names *names, const struct column *file,
                               const struct column *model, const char *path, tlu_error *error)
{
    static const char *const what[] = {"numbers", "categories", "labels", "nothing", "texts"};
    static const char *const how[] = {"numeric", "categorical", "label", "ignore", "text"};
    if (model->kind == COLUMN_IGNORED || file->kind == model->kind)
        return TLU_OK;
    if (model->kind == COLUMN_LABEL && file->kind == COLUMN_IGNORED) {
        names->labels_differ = true;
        return TLU_OK;
    }
    return error_at(error, path, 0, 0,
                    "column '%.80s' was converted as %s, and the model takes it as %s; convert the "
                    "data again with --%s %.80s",
                    file->name, what[file->kind], what[model->kind], how[model->kind], file->name);
}

tlu_status binary_match_columns(struct binary_names *names, const struct schema *model,
                                const char *path, tlu_error *error)
{
    const struct schema *file = &names->file;
    bool by_name = model->header && file->header && csv_names_features(model, &names->columns);
    bool labelled = false;
    names->place = memory_new(file->column_count, sizeof *names->place);
    TRY(enough_memory(names->place, error));
    for (size_t i = 0; i < file->column_count; i++)
        names->place[i] = SCHEMA_NONE;
    if (!by_name && file->column_count != model->column_count)
        return error_at(error, path, 0, 0, "expected %zu columns as in training, found %zu",
                        model->column_count, file->column_count);
    for (size_t i = 0; i < model->column_count; i++) {
        const struct column *column = &model->columns[i];
        uint32_t place =
            by_name ? table_find(&names->columns, column->name, strlen(column->name)) : (uint32_t)i;
        if (place == TABLE_NONE && column_has_features(column->kind))
            return error_at(
                error, path, 0, 0,
                "lacks the column '%.80s' that the model was trained on; convert data that has it",
                column->name);
        if (place == TABLE_NONE)
            continue;
        TRY(match_column(names, &file->columns[place], column, path, error));
        labelled |= column->kind == COLUMN_LABEL;
        names->place[place] = (uint32_t)i;
    }
    names->labels_differ |= !labelled;
    return TLU_OK;
}

// The model's feature for COLUMN=VALUE or a numeric COLUMN of the file. If columns go
// by place, the model's may have other names.
static uint32_t translate_csv(struct binary_names *names, const struct schema *model,
                              const char *name, size_t length, bool *memory_out)
{
    size_t value = 0;
    uint32_t place = names->feature->count < names->file.names.count
                         ? table_find(&names->columns, name, length)
                         : binary_column_of(&names->file, &names->columns, name, length, &value);
    uint32_t to = place < names->file.column_count ? names->place[place] : SCHEMA_NONE;
    if (to == SCHEMA_NONE || !column_has_features(model->columns[to].kind))
        return BINARY_IGNORED;
    if (value == 0)
        return model->columns[to].feature;
    size_t column = strlen(model->columns[to].name);
    char *own = memory_resize(NULL, column + 1 + length - value + 1, 1);
    *memory_out = !own;
    if (!own)
        return BINARY_NONE;
    memcpy(own, model->columns[to].name, column);
    own[column] = name[value - 1];
    memcpy(own + column + 1, name + value, length - value);
    uint32_t feature = schema_find(model, own, column + 1 + length - value);
    memory_free(own);
    if (feature == SCHEMA_NONE && model->columns[to].kind == COLUMN_NUMERIC)
        return BINARY_IGNORED; // a missing value that the model does not mark
    return feature;
}

// The model's column if the name is COLUMN=(missing) and the model has a value to put there.
static uint32_t marked_column(const struct binary_names *names, const struct schema *model,
                              const char *name, size_t length)
{
    static const char marker[] = "=" MISSING_VALUE;
    size_t end = length - (sizeof marker - 1), value;
    if (length < sizeof marker || memcmp(name + end, marker, sizeof marker - 1) != 0)
        return SCHEMA_NONE;
    for (uint32_t c = 0; !schema_is_csv(model) && c < model->column_count; c++)
        if (strlen(model->columns[c].name) == end && memcmp(model->columns[c].name, name, end) == 0)
            return model->columns[c].fill.known ? c : SCHEMA_NONE;
    if (!schema_is_csv(model))
        return SCHEMA_NONE;
    uint32_t place = binary_column_of(&names->file, &names->columns, name, length, &value);
    uint32_t to =
        place < names->file.column_count && value == end + 1 ? names->place[place] : SCHEMA_NONE;
    return to != SCHEMA_NONE && model->columns[to].fill.known ? to : SCHEMA_NONE;
}

bool binary_add_name(struct binary_names *names, const struct schema *model, const char *name,
                     size_t length)
{
    bool memory_out = false;
    bool of_row = !schema_is_csv(model) || names->feature->count >= names->file.names.count;
    uint32_t column = of_row ? marked_column(names, model, name, length) : SCHEMA_NONE;
    if (column != SCHEMA_NONE) {
        names->markers = true;
        return numbers_add(names->feature, BINARY_MARKER + column);
    }
    uint32_t feature = schema_is_csv(model) ? translate_csv(names, model, name, length, &memory_out)
                                            : schema_find(model, name, length);
    return !memory_out && numbers_add(names->feature, feature);
}

bool binary_add_label(struct binary_names *names, const struct schema *model, const char *label,
                      size_t length)
{
    uint32_t class_index =
        names->labels_differ ? TLU_NO_LABEL : schema_class_find(model, label, length);
    if (class_index == SCHEMA_NONE && !names->labels_differ)
        class_index = TLU_UNKNOWN_LABEL;
    return numbers_add(names->class_of, class_index);
}

void binary_names_free(struct binary_names *names)
{
    schema_free(&names->file);
    table_free(&names->columns);
    memory_free(names->place);
    numbers_free(names->feature);
    numbers_free(names->class_of);
}

// ---- from a block to a batch ----

struct arrays {
    uint32_t *offsets, *indices;
    float *values; // NULL if all are 1
    uint32_t *labels, *line;
    float *weights; // NULL if all are 1
    uint32_t *sets; // [set_cells]
    size_t set_cells;
};

static struct arrays arrays_of(const struct binary_block *block)
{
    const struct binary_block_header *header = &block->header;
    struct arrays arrays = {0};
    char *at = (char *)block->bytes + header->head; // the mapping may be written to
    assert((uintptr_t)at % sizeof(uint32_t) == 0);
    arrays.offsets = (uint32_t *)(void *)at;
    at += binary_padded(4 * (header->rows + 1));
    arrays.indices = (uint32_t *)(void *)at;
    at += binary_padded(4 * header->nonzeros);
    if (!(header->flags & BINARY_ONES)) {
        arrays.values = (float *)(void *)at;
        at += binary_padded(4 * header->nonzeros);
    }
    arrays.labels = (uint32_t *)(void *)at;
    at += binary_padded(4 * header->rows);
    arrays.line = (uint32_t *)(void *)at;
    at += binary_padded(4 * header->rows);
    if (header->flags & BINARY_WEIGHTED) {
        arrays.weights = (float *)(void *)at;
        at += binary_padded(4 * header->rows);
    }
    arrays.sets = (uint32_t *)(void *)at;
    arrays.set_cells = (size_t)header->set_cells;
    return arrays;
}

// Whether every number is in its range. The loops never end early, so that they can be done in
// vectors.
static const char *find_fault(const struct binary *binary, const struct binary_block *block,
                              const struct arrays *arrays)
{
    const struct binary_block_header *header = &block->header;
    size_t rows = (size_t)header->rows, nonzeros = (size_t)header->nonzeros;
    uint32_t labels = block->labels_before + header->labels;
    uint32_t names = block->names_before + header->names;
    bool bad = arrays->offsets[0] != 0;
    for (size_t i = 0; i < rows; i++)
        bad |= arrays->offsets[i] > arrays->offsets[i + 1];
    if (bad || arrays->offsets[rows] != nonzeros)
        return "the offsets of its rows do not ascend";
    uint32_t base = binary_base(binary), lowest = header->lowest;
    uint32_t span = lowest <= header->highest ? header->highest - lowest + 1 : 0;
    for (size_t i = 0; i < nonzeros; i++)
        bad |= (arrays->indices[i] - lowest >= span) & (arrays->indices[i] - base >= names);
    if (bad)
        return "it has a feature that is not there";
    for (size_t i = 0; arrays->values && i < nonzeros; i++) {
        uint32_t bits;
        memcpy(&bits, &arrays->values[i], sizeof bits);
        bad |= (bits & 0x7FFFFFFFu) - 1 >= 0x7F800000u - 1; // 0, infinite or no number
    }
    if (bad)
        return "it has a value that is 0 or not finite";
    for (size_t i = 0; arrays->weights && i < rows; i++)
        bad |= !(arrays->weights[i] >= 0 && arrays->weights[i] <= FLT_MAX);
    if (bad)
        return "it has a weight that is negative or not finite";
    for (size_t i = 0; !binary->sets && i < rows; i++)
        bad |= (arrays->labels[i] >= labels) & (arrays->labels[i] != TLU_NO_LABEL);
    return bad ? "it has a label that is not there" : NULL;
}

// Whether every set has known labels, each once, and every row has a set; false if it is not so.
// starts[set_cells] becomes true where a set begins.
static bool sets_are_fine(const struct arrays *arrays, size_t rows, uint32_t labels, bool *starts)
{
    const uint32_t *sets = arrays->sets;
    for (size_t at = 0; at < arrays->set_cells; at += 1 + sets[at]) {
        starts[at] = true;
        if (sets[at] >= arrays->set_cells - at)
            return false;
        for (uint32_t k = 1; k <= sets[at]; k++)
            if (sets[at + k] >= labels || (k > 1 && sets[at + k] <= sets[at + k - 1]))
                return false;
    }
    for (size_t i = 0; i < rows; i++)
        if (arrays->labels[i] != TLU_NO_LABEL &&
            (arrays->labels[i] >= arrays->set_cells || !starts[arrays->labels[i]]))
            return false;
    return true;
}

static tlu_status check_sets(const struct binary *binary, const struct binary_block *block,
                             const struct arrays *arrays, tlu_error *error)
{
    if (!binary->sets)
        return TLU_OK;
    bool *starts = memory_new(arrays->set_cells, sizeof *starts);
    TRY(enough_memory(starts != NULL, error));
    bool fine = sets_are_fine(arrays, (size_t)block->header.rows,
                              block->labels_before + block->header.labels, starts);
    memory_free(starts);
    return fine ? TLU_OK
                : binary_damaged(binary, error, "block %llu: its sets of labels are malformed",
                                 (unsigned long long)block->number + 1);
}

// The arrays stay where they are.
static struct batch *lend(struct binary_block *block, const struct arrays *arrays)
{
    struct batch *batch = memory_new(1, sizeof *batch);
    if (!batch)
        return NULL;
    batch->rows = (size_t)block->header.rows;
    batch->offsets = arrays->offsets;
    batch->indices = arrays->indices;
    batch->values = arrays->values;
    batch->labels = arrays->labels;
    batch->sets = arrays->sets;
    batch->set_cells = arrays->set_cells;
    batch->line = arrays->line;
    batch->weights = arrays->weights;
    batch->weighted = arrays->weights != NULL;
    batch->memory.lent_entries = batch->memory.lent_rows = true;
    batch->memory.block = block->owned;
    batch->memory.block_size = block->owned ? (size_t)block->header.size : 0;
    block->owned = NULL;
    batch->direct.lowest = block->header.lowest;
    batch->direct.highest = block->header.highest;
    return batch;
}

static void name_unknown(const struct binary *binary, struct batch *batch, uint32_t label)
{
    struct binary *own = (struct binary *)binary; // only the lock changes
    pthread_mutex_lock(&own->text_lock);
    error_quote(batch->counts.unknown_label, sizeof batch->counts.unknown_label,
                table_text(&binary->label_texts, label), table_length(&binary->label_texts, label));
    pthread_mutex_unlock(&own->text_lock);
}

// The model's feature of the file's; BINARY_NONE or BINARY_IGNORED.
static inline uint32_t translate(const struct binary *binary, bool indexed, uint32_t index)
{
    const struct schema *model = binary->schema;
    if (!indexed)
        return numbers_at(binary->names.feature, index);
    if (index < SCHEMA_DIRECT && model->slots.bits)
        return hash_index_find(model, index);
    if (index < SCHEMA_DIRECT)
        return index < model->rank_count ? model->rank[index] : BINARY_NONE;
    return numbers_at(binary->names.feature, index - SCHEMA_DIRECT);
}

// The labels of a row in the model's numbers. False: out of memory.
static bool translate_labels(const struct binary *binary, const struct arrays *arrays, size_t i,
                             struct batch *batch)
{
    const uint32_t *set =
        binary->sets && arrays->labels[i] != TLU_NO_LABEL ? arrays->sets + arrays->labels[i] : NULL;
    const uint32_t *labels = set ? set + 1 : &arrays->labels[i];
    uint32_t count = set ? set[0] : arrays->labels[i] != TLU_NO_LABEL;
    uint64_t unknown = 0;
    batch->labels[i] = TLU_NO_LABEL;
    if (binary->names.labels_differ || (!set && count == 0))
        return true;
    if (binary->schema->multilabel && row_set_begin(batch) != PARSE_OK)
        return false;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t to = numbers_at(binary->names.class_of, labels[k]);
        if (to == TLU_UNKNOWN_LABEL && unknown++ == 0 && batch->counts.unknown_labels == 0)
            name_unknown(binary, batch, labels[k]);
        if (!binary->schema->multilabel)
            batch->labels[i] = to;
        else if (!row_set_put(batch, to))
            return false;
    }
    if (binary->schema->multilabel)
        batch_sort_set(batch->sets + batch->labels[i]);
    batch->counts.unknown_labels += unknown > 0;
    return true;
}

static void put_entry(struct batch *batch, size_t *count, uint32_t feature, float value)
{
    batch->indices[*count] = feature;
    batch->values[(*count)++] = value;
    batch->ones &= value == 1;
}

// What the parsers of text do with a missing value: at most two entries. False: out of memory.
static bool put_missing(const struct binary *binary, const struct column *column,
                        struct batch *batch, size_t *count)
{
    const struct schema *model = binary->schema;
    bool numeric = column->kind == COLUMN_NUMERIC, indicated = binary->missing == MISSING_INDICATOR;
    float value = (float)column->fill.value;
    uint32_t feature;
    if (binary->missing == MISSING_ZERO)
        return true;
    if (numeric && !indicated && value != 0) {
        feature = schema_find(model, column->name, strlen(column->name));
        if (feature != SCHEMA_NONE)
            put_entry(batch, count, feature, value);
    }
    if (numeric && !indicated && binary->missing != MISSING_AUTO)
        return true;
    bool filled = binary->missing == MISSING_MODE && column->fill.text;
    if (!schema_find_value(model, column, filled ? column->fill.text : MISSING_VALUE, &feature))
        return false;
    if (feature != SCHEMA_NONE)
        put_entry(batch, count, feature, 1);
    return true;
}

// A batch of its own, in the model's numbers.
static bool translate_rows(const struct binary *binary, const struct binary_block *block,
                           const struct arrays *arrays, struct batch *batch)
{
    bool csv = schema_is_csv(binary->schema), indexed = schema_is_indexed(binary->schema);
    size_t count = 0;
    batch_clear(batch);
    if (!batch_reserve(batch, (size_t)block->header.rows,
                       (size_t)block->header.nonzeros * (binary->names.markers ? 2 : 1)))
        return false;
    for (size_t i = 0; i < block->header.rows; i++) {
        size_t before = count;
        bool lost = false;
        for (uint32_t k = arrays->offsets[i]; k < arrays->offsets[i + 1]; k++) {
            uint32_t feature = translate(binary, indexed, arrays->indices[k]);
            if (feature >= BINARY_IGNORED) {
                batch->counts.unknown_values += csv && feature == BINARY_NONE;
                lost = true;
                continue;
            }
            if (feature < BINARY_MARKER)
                put_entry(batch, &count, feature, arrays->values ? arrays->values[k] : 1);
            else if (!put_missing(binary, &binary->schema->columns[feature - BINARY_MARKER], batch,
                                  &count))
                return false;
        }
        batch->counts.unknown_rows += !csv && lost && count == before;
        if (!translate_labels(binary, arrays, i, batch) ||
            !row_weight(batch, arrays->weights ? arrays->weights[i] : 1))
            return false;
        row_close(batch, count, arrays->line[i]);
    }
    return !binary->schema->slots.bits || hash_fold(batch);
}

tlu_status binary_batch(const struct binary *binary, struct binary_block *block,
                        struct batch **batch, tlu_error *error)
{
    const struct binary_block_header *header = &block->header;
    struct arrays arrays = arrays_of(block);
    const char *fault = NULL;
    if (crc32_add(0, block->bytes + header->head, (size_t)(header->size - header->head)) !=
        header->arrays_crc)
        fault = "its checksum is wrong";
    else
        fault = find_fault(binary, block, &arrays);
    if (fault)
        return binary_damaged(binary, error, "block %llu: %s",
                              (unsigned long long)block->number + 1, fault);
    TRY(check_sets(binary, block, &arrays, error));
    for (size_t i = 0; binary->labelled && i < header->rows; i++)
        if (arrays.labels[i] == TLU_NO_LABEL)
            return error_at(error, binary->path, 0, 0,
                            "the row of line %llu of the text has no label; add one",
                            (unsigned long long)(header->first_line + arrays.line[i]));
    bool fine;
    if (binary->schema->frozen) {
        if (!*batch)
            *batch = batch_new();
        fine = *batch && translate_rows(binary, block, &arrays, *batch);
    } else {
        batch_free(*batch);
        *batch = lend(block, &arrays);
        fine = *batch != NULL;
    }
    TRY(enough_memory(fine, error));
    (*batch)->ones = binary->schema->frozen ? (*batch)->ones : header->flags & BINARY_ONES;
    (*batch)->place.lines = header->lines;
    (*batch)->counts.skipped_rows = header->skipped;
    (*batch)->counts.qid_fields = header->queries;
    (*batch)->counts.multi_label_rows = header->more_labels;
    (*batch)->place.bytes = block->position;
    return TLU_OK;
}

void binary_forget(const struct binary *binary, const struct batch *batch)
{
    if (!binary->input.map || !binary->input.pages || !batch->memory.lent_entries ||
        !batch->memory.lent_rows)
        return;
    // Whole pages alone; what other blocks have on them stays.
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)batch->offsets + page - 1) / page * page;
    uintptr_t end = (uintptr_t)(batch->line + batch->rows) / page * page;
    if (start < end)
        madvise((void *)start, end - start, MADV_DONTNEED);
}

// ---- adding the names and labels of a block to a growing schema ----

static tlu_status twice(const struct binary *binary, tlu_error *error)
{
    return binary_damaged(binary, error, "a name or label is there twice");
}

typedef uint32_t add_function(struct schema *schema, const char *text, size_t length);

// Adds the next `count` texts of a block, the first of which gets the number `first`.
static tlu_status add_texts(struct binary *binary, struct binary_texts *texts, uint32_t count,
                            add_function *add, uint32_t first, tlu_error *error)
{
    const char *text;
    size_t length;
    for (uint32_t i = 0; i < count && binary_next_text(texts, &text, &length); i++) {
        uint32_t number = add(binary->schema, text, length);
        TRY(enough_memory(number != SCHEMA_NONE, error));
        if (number != first + i)
            return twice(binary, error);
    }
    return TLU_OK;
}

static bool remember(struct merged_texts *merged, const char *text, size_t length)
{
    uint32_t number = table_add(&merged->texts, text, length);
    if (number == TABLE_NONE ||
        !memory_reserve(&merged->to, &merged->capacity, (size_t)number + 1, sizeof *merged->to))
        return false;
    merged->to[number] = SCHEMA_NONE;
    return true;
}

// The first names are those of the numeric columns.
static bool remember_columns(struct binary *binary)
{
    for (size_t i = 0; i < binary->schema->column_count; i++) {
        const struct column *column = &binary->schema->columns[i];
        if (column->kind != COLUMN_NUMERIC)
            continue;
        if (!remember(&binary->merged.names, column->name, strlen(column->name)))
            return false;
        binary->merged.names.to[column->feature] = column->feature;
    }
    return true;
}

bool binary_hash(struct binary *binary, uint32_t bits)
{
    struct schema *schema = binary->schema;
    binary->merged.slot_of = memory_new(SCHEMA_DIRECT, sizeof *binary->merged.slot_of);
    if (!binary->merged.slot_of || !remember_columns(binary) || !schema_hash(schema, bits))
        return false;
    memset(binary->merged.slot_of, 0xFF, SCHEMA_DIRECT * sizeof *binary->merged.slot_of);
    table_free(&schema->names);
    for (size_t i = 0; i < schema->column_count; i++) {
        struct column *column = &schema->columns[i];
        if (column->kind != COLUMN_NUMERIC)
            continue;
        uint32_t slot = schema_add(schema, column->name, strlen(column->name));
        binary->merged.names.to[column->feature] = slot;
        column->feature = slot;
    }
    return true;
}

// Remembers the block's texts: a later block may be the first that tells the schema of them.
static bool remember_texts(struct binary *binary, const struct binary_block *block)
{
    struct binary_merged *merged = &binary->merged;
    struct binary_texts texts = binary_texts(block);
    uint64_t labels = block->header.labels, count = labels + block->header.names;
    const char *text;
    size_t length;
    bool fine = merged->names.texts.count > 0 || merged->slot_of || remember_columns(binary);
    for (uint64_t i = 0; fine && i < count && binary_next_text(&texts, &text, &length); i++)
        fine = remember(i < labels ? &merged->labels : &merged->names, text, length);
    return fine;
}

// The schema's number for the file's, which is added if it is new; SCHEMA_NONE without memory.
static uint32_t told(struct schema *schema, struct merged_texts *merged, uint32_t number,
                     add_function *add)
{
    uint32_t *to = &merged->to[number];
    if (*to == SCHEMA_NONE)
        *to = add(schema, table_text(&merged->texts, number), table_length(&merged->texts, number));
    return *to;
}

static uint32_t told_index(struct binary *binary, uint32_t index, struct batch *to)
{
    uint32_t *slot = binary->merged.slot_of ? &binary->merged.slot_of[index] : NULL;
    if (!slot) {
        index_range_add(&to->direct, index);
        return index;
    }
    if (*slot == SCHEMA_NONE)
        *slot = hash_index_add(binary->schema, index);
    return *slot;
}

static bool copy_set(struct binary *binary, const uint32_t *set, struct batch *to)
{
    if (row_set_begin(to) != PARSE_OK)
        return false;
    for (uint32_t k = 1; k <= set[0]; k++) {
        uint32_t label = told(binary->schema, &binary->merged.labels, set[k], schema_class_add);
        if (label == SCHEMA_NONE || !row_set_put(to, label))
            return false;
    }
    batch_sort_set(to->sets + to->labels[to->rows]);
    return true;
}

static bool copy_labels(struct binary *binary, const struct batch *from, size_t row,
                        struct batch *to)
{
    uint32_t label = from->labels[row];
    if (label != TLU_NO_LABEL && binary->sets)
        return copy_set(binary, batch_set(from, row), to);
    if (label != TLU_NO_LABEL)
        label = told(binary->schema, &binary->merged.labels, label, schema_class_add);
    to->labels[to->rows] = label;
    return label != SCHEMA_NONE || from->labels[row] == TLU_NO_LABEL;
}

static bool copy_row(struct binary *binary, const struct batch *from, size_t row, struct batch *to)
{
    struct schema *schema = binary->schema;
    size_t count = batch_nonzeros(to);
    uint32_t base = binary_base(binary);
    if (!copy_labels(binary, from, row, to))
        return false;
    for (uint32_t k = from->offsets[row]; k < from->offsets[row + 1]; k++, count++) {
        uint32_t index = from->indices[k];
        if (index >= base)
            index = told(schema, &binary->merged.names, index - base, schema_add);
        else
            index = told_index(binary, index, to);
        if (index == SCHEMA_NONE)
            return false;
        to->indices[count] = index;
        to->values[count] = from->ones ? 1 : from->values[k];
        to->ones &= to->values[count] == 1;
    }
    if (!row_weight(to, batch_weight(from, row)))
        return false;
    row_close(to, count, from->line[row]);
    return true;
}

// As text would: what has a name is told to the schema even if all of its values are 0.
static bool tell_all(struct binary *binary, const struct binary_block *block)
{
    struct schema *schema = binary->schema;
    bool fine = true;
    for (uint32_t i = 0; fine && i < block->header.labels; i++)
        fine = told(schema, &binary->merged.labels, block->labels_before + i, schema_class_add) !=
               SCHEMA_NONE;
    for (uint32_t i = 0; fine && i < block->header.names; i++)
        fine =
            told(schema, &binary->merged.names, block->names_before + i, schema_add) != SCHEMA_NONE;
    return fine;
}

static tlu_status merge_some(struct binary *binary, const struct binary_block *block,
                             struct batch **batch, const struct subset *subset, uint64_t first,
                             tlu_error *error)
{
    struct batch *from = *batch, *to = batch_new();
    bool fine =
        to && remember_texts(binary, block) && batch_reserve(to, from->rows, batch_nonzeros(from));
    if (fine && (binary->merged.labels.texts.count != block->labels_before + block->header.labels ||
                 binary->merged.names.texts.count != block->names_before + block->header.names)) {
        batch_free(to);
        return twice(binary, error);
    }
    if (fine && subset_is_all(subset))
        fine = tell_all(binary, block);
    for (size_t i = 0; fine && i < from->rows; i++)
        if (subset_has(subset, first + i))
            fine = copy_row(binary, from, i, to);
    if (!fine || (binary->merged.slot_of && !hash_fold(to))) {
        batch_free(to);
        return error_memory(error);
    }
    to->place = from->place;
    to->counts = from->counts;
    binary_forget(binary, from);
    batch_free(from);
    *batch = to;
    return TLU_OK;
}

tlu_status binary_merge(struct binary *binary, const struct binary_block *block,
                        struct batch **batch, const struct subset *subset, uint64_t first,
                        tlu_error *error)
{
    struct schema *schema = binary->schema;
    if (!subset_is_all(subset) || binary->merged.slot_of) {
        TRY(merge_some(binary, block, batch, subset, first, error));
    } else { // the file numbers its texts as the schema does: in the order of their first use
        struct binary_texts texts = binary_texts(block);
        TRY(add_texts(binary, &texts, block->header.labels, schema_class_add, block->labels_before,
                      error));
        TRY(add_texts(binary, &texts, block->header.names, schema_add,
                      schema->base + block->names_before, error));
    }
    if ((*batch)->direct.lowest <= (*batch)->direct.highest) {
        index_range_add(&schema->direct, (*batch)->direct.lowest);
        index_range_add(&schema->direct, (*batch)->direct.highest);
    }
    return TLU_OK;
}
