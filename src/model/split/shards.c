// Splits a data set whose rows are spread over several processes. Every process knows the classes
// of all rows, so it computes the same parts as a single process with all rows would.
#include "base/memory.h"
#include "model/split/split.h"
#include "train/team.h"

#include <string.h>

static bool pack_classes(struct packet *packet, const struct schema *schema,
                         const struct row_classes *rows)
{
    uint32_t classes = schema_classes(schema);
    packet_put_count(packet, classes);
    for (uint32_t c = 0; c < classes; c++)
        packet_put_text(packet, schema->spelled[c], strlen(schema->spelled[c]));
    packet_put_count(packet, rows->count);
    packet_put(packet, rows->of, rows->count * sizeof *rows->of);
    return !packet->no_memory;
}

// Appends the classes of one process's rows, with the class numbers of `all`.
static tlu_status add_classes(struct row_classes *rows, size_t *capacity, struct schema *all,
                              struct packet_reader *in, tlu_error *error)
{
    uint64_t classes = packet_get_count(in);
    uint32_t *numbers = memory_new(classes, sizeof *numbers);
    TRY(enough_memory(numbers != NULL, error));
    bool fine = true;
    for (uint64_t c = 0; c < classes && fine; c++) {
        size_t length;
        const char *label = packet_get_text(in, &length);
        numbers[c] = schema_class_add(all, label, length);
        fine = numbers[c] != SCHEMA_NONE;
    }
    uint64_t count = packet_get_count(in);
    fine = fine && memory_reserve(&rows->of, capacity, rows->count + count, sizeof *rows->of);
    if (fine)
        packet_get(in, rows->of + rows->count, count * sizeof *rows->of);
    for (uint64_t i = rows->count; fine && i < rows->count + count; i++)
        if (rows->of[i] < classes)
            rows->of[i] = numbers[rows->of[i]];
    rows->count += fine ? count : 0;
    memory_free(numbers);
    if (fine && in->bad)
        return error_system(error, "a message of another process is damaged");
    return enough_memory(fine, error);
}

tlu_status shards_gather(struct team *team, const struct schema *schema, struct row_classes *rows,
                         uint32_t *classes, uint64_t *first, tlu_error *error)
{
    struct row_classes whole = {0};
    struct schema all;
    size_t capacity = 0;
    struct packet_reader *received = memory_new(team->ranks, sizeof *received);
    TRY(enough_memory(received != NULL, error));
    schema_init(&all);
    team_begin_packets(team);
    tlu_status status = enough_memory(pack_classes(&team->send[0], schema, rows), error);
    if (status == TLU_OK)
        status = team_gather(team, received, error);
    for (size_t i = 0; status == TLU_OK && i < team->ranks; i++) {
        if (i == team->rank)
            *first = whole.count;
        status = add_classes(&whole, &capacity, &all, &received[i], error);
    }
    *classes = schema_classes(&all);
    memory_free(received);
    schema_free(&all);
    memory_free(rows->of);
    *rows = whole;
    return status;
}

// Block b of SUBSET_BLOCK rows belongs to process b modulo the number of processes.
bool shards_deal(const struct team *team, const uint32_t *part, uint64_t rows, uint32_t **own,
                 uint64_t *own_rows)
{
    uint64_t cycle = SUBSET_BLOCK * (uint64_t)team->ranks, count = 0;
    if (!*own)
        *own = memory_new(rows / cycle * SUBSET_BLOCK + SUBSET_BLOCK, sizeof **own);
    for (uint64_t block = SUBSET_BLOCK * (uint64_t)team->rank; *own && block < rows; block += cycle)
        for (uint64_t i = block; i < rows && i < block + SUBSET_BLOCK; i++)
            (*own)[count++] = part[i];
    *own_rows = count;
    return *own != NULL;
}
