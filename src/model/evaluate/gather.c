// Evaluation in several processes: each predicts its part of the rows, and process 0 adds the
// answers in the order of the data, so that sums have the bits of one process.
#include "model/evaluate/internal.h"

#include "base/memory.h"
#include "train/team.h"

#include <string.h>

#define SEND_BYTES ((size_t)16 << 20) // about; of one exchange

// Rows are sent batch by batch, each with its size in bytes before it.

void gather_put(struct packet *packet, const struct metrics *metrics, const tlu_model *model,
                const uint32_t *labels, const tlu_predictions *predictions)
{
    uint64_t rows = predictions->rows;
    uint64_t wide = predictions->scores ? tlu_model_score_count(model) : 0;
    uint64_t items = metrics->measure.keeps & KEEP_SETS && rows ? metrics->labels.offsets[rows] : 0;
    size_t start = packet->size;
    uint64_t header[] = {0, rows, wide, items};
    packet_put(packet, header, sizeof header);
    packet_put(packet, labels, rows * sizeof *labels);
    packet_put(packet, predictions->classes, rows * sizeof *predictions->classes);
    packet_put(packet, predictions->ambiguous, rows);
    packet_put(packet, predictions->scores, rows * wide * sizeof(double));
    if (metrics->weighted)
        packet_put(packet, metrics->weights, rows * sizeof(double));
    if (metrics->measure.keeps & KEEP_SETS && rows) {
        packet_put(packet, metrics->labels.offsets, (rows + 1) * sizeof(uint64_t));
        packet_put(packet, metrics->labels.items, items * sizeof(uint32_t));
    }
    if (packet->no_memory)
        return;
    header[0] = packet->size - start;
    memcpy(packet->bytes + start, header, sizeof *header);
}

// A batch that was received, in memory that is aligned.
struct received {
    uint32_t *labels, *classes;
    char *ambiguous;
    double *scores;
    size_t labels_capacity, classes_capacity, ambiguous_capacity, scores_capacity;
};

static bool reserve(struct received *received, struct metrics *metrics, uint64_t rows,
                    uint64_t wide, uint64_t items)
{
    struct row_sets *sets = &metrics->labels;
    return memory_reserve(&received->labels, &received->labels_capacity, rows, sizeof(uint32_t)) &&
           memory_reserve(&received->classes, &received->classes_capacity, rows,
                          sizeof(uint32_t)) &&
           memory_reserve(&received->ambiguous, &received->ambiguous_capacity, rows, 1) &&
           memory_reserve(&received->scores, &received->scores_capacity, rows * wide,
                          sizeof(double)) &&
           memory_reserve(&metrics->weights, &metrics->weights_capacity, rows, sizeof(double)) &&
           memory_reserve(&sets->offsets, &sets->offsets_capacity, rows + 1, sizeof(uint64_t)) &&
           memory_reserve(&sets->items, &sets->items_capacity, items, sizeof(uint32_t));
}

static tlu_status add_batch(struct received *received, struct metrics *metrics,
                            struct packet_reader *in, gather_function *add, void *context,
                            tlu_error *error)
{
    uint64_t header[4];
    packet_get(in, header, sizeof header);
    uint64_t rows = header[1], wide = header[2], items = header[3];
    TRY(enough_memory(reserve(received, metrics, rows, wide, items), error));
    packet_get(in, received->labels, rows * sizeof(uint32_t));
    packet_get(in, received->classes, rows * sizeof(uint32_t));
    packet_get(in, received->ambiguous, rows);
    packet_get(in, received->scores, rows * wide * sizeof(double));
    if (metrics->weighted)
        packet_get(in, metrics->weights, rows * sizeof(double));
    if (metrics->measure.keeps & KEEP_SETS && rows) {
        packet_get(in, metrics->labels.offsets, (rows + 1) * sizeof(uint64_t));
        packet_get(in, metrics->labels.items, items * sizeof(uint32_t));
    }
    if (in->bad)
        return error_system(error, "a message of another process is damaged");
    tlu_predictions predictions = {.rows = rows,
                                   .classes = received->classes,
                                   .scores = wide ? received->scores : NULL,
                                   .ambiguous = received->ambiguous};
    return add(context, received->labels, &predictions, error);
}

// The end of the batches that are sent next.
static size_t next_end(const struct packet *packet, size_t at)
{
    size_t start = at;
    while (at < packet->size && at - start < SEND_BYTES) {
        uint64_t size;
        memcpy(&size, packet->bytes + at, sizeof size);
        at += (size_t)size;
    }
    return at;
}

// One exchange: process `sender` sends rows to process 0, and tells all whether it has more.
static tlu_status send_some(struct team *team, size_t sender, const struct packet *packet,
                            size_t *at, struct packet_reader *received, bool *more,
                            tlu_error *error)
{
    unsigned char left = 0;
    team_begin_packets(team);
    if (team->rank == sender) {
        size_t end = next_end(packet, *at);
        left = end < packet->size;
        for (size_t i = 0; i < team->ranks; i++)
            packet_put(&team->send[i], &left, 1);
        packet_put(&team->send[0], packet->bytes + *at, end - *at);
        *at = end;
    }
    TRY(team_exchange(team, received, error));
    packet_get(&received[sender], &left, 1);
    *more = left != 0;
    return TLU_OK;
}

tlu_status gather_rows(struct team *team, const struct packet *packet, struct metrics *metrics,
                       gather_function *add, void *context, tlu_error *error)
{
    struct received rows = {0};
    struct packet_reader *received = memory_new(team->ranks, sizeof *received);
    tlu_status status = enough_memory(received != NULL, error);
    size_t at = 0;
    for (size_t sender = 1; status == TLU_OK && sender < team->ranks; sender++)
        for (bool more = true; status == TLU_OK && more;) {
            status = send_some(team, sender, packet, &at, received, &more, error);
            struct packet_reader *in = &received[sender];
            while (status == TLU_OK && team->rank == 0 && in->at < in->end)
                status = add_batch(&rows, metrics, in, add, context, error);
        }
    memory_free(received);
    memory_free(rows.labels);
    memory_free(rows.classes);
    memory_free(rows.ambiguous);
    memory_free(rows.scores);
    return status;
}

tlu_status gather_stats(struct team *team, tlu_reader_stats *stats, tlu_error *error)
{
    struct packet_reader *received = memory_new(team->ranks, sizeof *received);
    TRY(enough_memory(received != NULL, error));
    team_begin_packets(team);
    packet_put(&team->send[0], stats, sizeof *stats);
    tlu_status status = team_gather(team, received, error);
    *stats = (tlu_reader_stats){0};
    for (size_t i = 0; status == TLU_OK && i < team->ranks; i++) {
        tlu_reader_stats theirs;
        packet_get(&received[i], &theirs, sizeof theirs);
        if (stats->unknown_labels == 0) {
            memcpy(stats->unknown_label, theirs.unknown_label, sizeof theirs.unknown_label);
            memcpy(stats->closest_label, theirs.closest_label, sizeof theirs.closest_label);
        }
        stats->rows += theirs.rows;
        stats->skipped += theirs.skipped;
        stats->unseen_values += theirs.unseen_values;
        stats->unknown_rows += theirs.unknown_rows;
        stats->unknown_labels += theirs.unknown_labels;
    }
    memory_free(received);
    return status;
}
