#include "train/unite.h"

#include "base/memory.h"
#include "data/large.h"
#include "input/text/words.h"

#include <string.h>

// ---- packing ----

// One text per column: its kind, and its name.
static void pack_columns(struct packet *packet, const struct schema *schema)
{
    packet_put_count(packet, schema->column_count);
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        packet_put_count(packet, column_code(column));
        packet_put_text(packet, column->name, strlen(column->name));
    }
}

static void pack_slots(struct packet *packet, const struct schema *schema)
{
    const struct slots *slots = &schema->slots;
    uint64_t count = 0;
    if (schema->frozen) {
        packet_put_count(packet, schema->numbered);
        for (uint32_t i = 0; i < schema->numbered; i++) {
            packet_put_count(packet, schema->ids[i]);
            packet_put_count(packet, 0);
        }
        return;
    }
    size_t end = (size_t)1 << slots->bits;
    for (size_t f = schema_next(schema, 0); f < end; f = schema_next(schema, f + 1))
        count++;
    packet_put_count(packet, count);
    for (size_t f = schema_next(schema, 0); f < end; f = schema_next(schema, f + 1)) {
        packet_put_count(packet, f);
        packet_put_count(packet, slots->marks[f]);
    }
}

// Names, or indices as texts, from SCHEMA_DIRECT on. Indices below are a range.
static void pack_names(struct packet *packet, const struct schema *schema)
{
    struct index_range direct = schema->direct;
    packet_put(packet, &direct, sizeof direct);
    packet_put_count(packet, schema_names(schema));
    for (uint32_t i = 0; i < schema_names(schema); i++) {
        char scratch[LARGE_SCRATCH];
        size_t length;
        const char *name = schema_name_at(schema, i, scratch, &length);
        packet_put_text(packet, name, length);
    }
}

void unite_pack(struct packet *packet, const struct schema *schema, const uint32_t *order)
{
    packet_put_count(packet, schema_is_indexed(schema));
    packet_put_count(packet, schema->slots.bits);
    pack_columns(packet, schema);
    packet_put_count(packet, schema_classes(schema));
    for (uint32_t i = 0; i < schema_classes(schema); i++) {
        const char *label = schema->spelled[order ? order[i] : i];
        packet_put_text(packet, label, strlen(label));
    }
    if (schema->slots.bits)
        pack_slots(packet, schema);
    else
        pack_names(packet, schema);
}

// ---- unpacking ----

static tlu_status refuse(const struct training *t, const char *what, tlu_error *error)
{
    return error_at(error, t->rows.path, 0, 0, "is not like the other data of the model: %s", what);
}

static tlu_status check_columns(const struct training *t, struct packet_reader *in,
                                tlu_error *error)
{
    const struct schema *schema = &t->learner.state.schema;
    uint64_t count = packet_get_count(in);
    if (count != schema->column_count)
        return refuse(t, "it has another number of columns", error);
    for (size_t i = 0; i < count; i++) {
        const struct column *column = &schema->columns[i];
        uint64_t code = packet_get_count(in);
        size_t length;
        const char *name = packet_get_text(in, &length);
        if (strlen(column->name) != length || memcmp(column->name, name, length) != 0)
            return error_at(error, t->rows.path, 0, 0,
                            "is not like the other data of the model: its column %zu is '%.80s', "
                            "and was '%.*s' there",
                            i + 1, column->name, (int)(length < 80 ? length : 80), name);
        if (code != column_code(column))
            return error_at(error, t->rows.path, 0, 0,
                            "is not like the other data of the model: its column '%.80s' is "
                            "of another kind; say which it is with --numeric, --categorical or "
                            "--text",
                            column->name);
    }
    return TLU_OK;
}

static bool add_slots(struct schema *to, struct packet_reader *in)
{
    uint64_t count = packet_get_count(in), end = (uint64_t)1 << to->slots.bits;
    for (uint64_t i = 0; i < count && !in->bad; i++) {
        uint64_t slot = packet_get_count(in), mark = packet_get_count(in);
        if (slot < end && mark)
            schema_note(to, (uint32_t)slot, (uint32_t)mark & ~1u);
        if (slot < end && mark & 1)
            schema_note(to, (uint32_t)slot, (uint32_t)mark ^ 2); // another name
        if (slot < end)
            schema_meet(to, (uint32_t)slot);
    }
    return true;
}

static bool add_names(struct schema *to, struct packet_reader *in)
{
    struct index_range direct;
    packet_get(in, &direct, sizeof direct);
    if (direct.lowest <= direct.highest) {
        index_range_add(&to->direct, direct.lowest);
        index_range_add(&to->direct, direct.highest);
    }
    uint64_t names = packet_get_count(in);
    for (uint64_t i = 0; i < names && !in->bad; i++) {
        size_t length;
        const char *name = packet_get_text(in, &length);
        if (schema_add(to, name, length) == SCHEMA_NONE)
            return false;
    }
    return true;
}

static tlu_status add_packet(const struct training *t, struct schema *to,
                             const struct packet *packet, tlu_error *error)
{
    const struct schema *own = &t->learner.state.schema;
    struct packet_reader in = {packet->bytes, packet->bytes + packet->size, false};
    bool indexed = packet_get_count(&in) != 0;
    uint64_t bits = packet_get_count(&in);
    if (indexed != schema_is_indexed(own) || bits != own->slots.bits)
        return refuse(t, "its format names features in another way", error);
    TRY(check_columns(t, &in, error));
    uint64_t classes = packet_get_count(&in);
    for (uint64_t c = 0; c < classes && !in.bad; c++) {
        size_t length;
        const char *label = packet_get_text(&in, &length);
        TRY(enough_memory(schema_class_add(to, label, length) != SCHEMA_NONE, error));
    }
    TRY(enough_memory(bits ? add_slots(to, &in) : add_names(to, &in), error));
    return in.bad ? refuse(t, "its names are damaged", error) : TLU_OK;
}

// ---- new numbers for what was read ----

struct united_numbers {
    uint32_t *classes, *names; // [classes], [names] of the schema: their new numbers
    bool same_classes, same_names;
};

static bool number_all(struct united_numbers *numbers, const struct schema *from, struct schema *to)
{
    uint32_t classes = schema_classes(from), names = from->slots.bits ? 0 : schema_names(from);
    numbers->classes = memory_new(classes, sizeof *numbers->classes);
    numbers->names = memory_new(names, sizeof *numbers->names);
    if (!numbers->classes || !numbers->names)
        return false;
    numbers->same_classes = numbers->same_names = true;
    for (uint32_t c = 0; c < classes; c++) {
        const char *label = from->spelled[c];
        numbers->classes[c] = schema_class_add(to, label, strlen(label));
        numbers->same_classes &= numbers->classes[c] == c;
        if (numbers->classes[c] == SCHEMA_NONE)
            return false;
    }
    for (uint32_t i = 0; i < names; i++) {
        char scratch[LARGE_SCRATCH];
        size_t length;
        const char *name = schema_name_at(from, i, scratch, &length);
        numbers->names[i] = schema_add(to, name, length);
        numbers->same_names &= numbers->names[i] == from->base + i;
        if (numbers->names[i] == SCHEMA_NONE)
            return false;
    }
    return true;
}

static uint32_t new_number(const struct united_numbers *numbers, uint32_t base, uint32_t feature)
{
    return feature < base ? feature : numbers->names[feature - base];
}

static bool renumber_features(struct batch *batch, const struct united_numbers *numbers,
                              uint32_t base)
{
    size_t count = batch->alike ? (batch->rows ? batch->offsets[1] : 0) : batch_nonzeros(batch);
    if (!batch->indices && count) { // 0, 1, 2...
        batch->indices = memory_resize(NULL, count, sizeof *batch->indices);
        if (!batch->indices)
            return false;
        batch->memory.indices_capacity = count;
        for (size_t i = 0; i < count; i++)
            batch->indices[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++)
        batch->indices[i] = new_number(numbers, base, batch->indices[i]);
    return true;
}

static bool renumber_rows(struct training *t, const struct united_numbers *numbers, uint32_t base)
{
    for (size_t b = 0; b < t->rows.batch_count; b++) {
        struct batch *batch = t->rows.batches[b];
        for (size_t i = 0; !numbers->same_classes && !batch->set_cells && i < batch->rows; i++)
            if (batch->labels[i] < TLU_UNKNOWN_LABEL)
                batch->labels[i] = numbers->classes[batch->labels[i]];
        if (!numbers->same_classes)
            batch_renumber_sets(batch, numbers->classes);
        if (!numbers->same_names && !renumber_features(batch, numbers, base))
            return false;
    }
    return true;
}

static bool renumber_counts(struct scheme *scheme, const struct united_numbers *numbers,
                            uint32_t own, uint32_t classes)
{
    uint64_t *counts = memory_new(classes, sizeof *counts);
    for (uint32_t c = 0; counts && c < own && c < scheme->class_examples_count; c++)
        counts[numbers->classes[c]] = scheme->class_examples[c];
    if (!counts)
        return false;
    memory_free(scheme->class_examples);
    scheme->class_examples = counts;
    scheme->class_examples_count = classes;
    return true;
}

static void swap_tables(struct schema *own, struct schema *united)
{
    struct schema old = *own;
    own->names = united->names;
    own->large = united->large;
    own->labels = united->labels;
    own->spelled = united->spelled;
    own->spelled_capacity = united->spelled_capacity;
    own->direct = united->direct;
    united->names = old.names;
    united->large = old.large;
    united->labels = old.labels;
    united->spelled = old.spelled;
    united->spelled_capacity = old.spelled_capacity;
    if (own->slots.bits) {
        own->slots = united->slots;
        united->slots = old.slots;
    }
}

static tlu_status renumber(struct training *t, struct schema *united,
                           struct united_numbers *numbers, tlu_error *error)
{
    struct schema *own = &t->learner.state.schema;
    uint32_t classes = schema_classes(own);
    TRY(enough_memory(number_all(numbers, own, united), error));
    TRY(enough_memory(renumber_rows(t, numbers, own->base), error));
    for (size_t i = 0; i < own->column_count && !own->slots.bits; i++)
        if (own->columns[i].feature != SCHEMA_NONE)
            own->columns[i].feature = new_number(numbers, own->base, own->columns[i].feature);
    TRY(enough_memory(
        renumber_counts(&t->learner.state.scheme, numbers, classes, schema_classes(united)),
        error));
    if (t->rows.counts.last_class < classes)
        t->rows.counts.last_class = numbers->classes[t->rows.counts.last_class];
    swap_tables(own, united);
    return enough_memory(t->learner.state.kernel.kind || learner_reserve(&t->learner), error);
}

tlu_status unite_schemas(struct training *t, const struct packet *packets, size_t count,
                         tlu_error *error)
{
    struct schema *own = &t->learner.state.schema, united;
    struct united_numbers numbers = {0};
    schema_init(&united);
    united.format = own->format;
    united.base = own->base;
    united.direct = own->direct;
    united.multilabel = own->multilabel;
    bool fine = !own->slots.bits || schema_hash(&united, own->slots.bits);
    tlu_status status = enough_memory(fine, error);
    for (size_t i = 0; status == TLU_OK && i < count; i++)
        status = add_packet(t, &united, &packets[i], error);
    if (status == TLU_OK && own->slots.bits) { // those of its own
        struct packet slots = {0};
        pack_slots(&slots, own);
        struct packet_reader in = {slots.bytes, slots.bytes + slots.size, false};
        status = enough_memory(!slots.no_memory && add_slots(&united, &in), error);
        packet_free(&slots);
    }
    if (status == TLU_OK)
        status = renumber(t, &united, &numbers, error);
    memory_free(numbers.classes);
    memory_free(numbers.names);
    schema_free(&united);
    return status;
}
