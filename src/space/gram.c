#include "space/gram.h"

#include "base/memory.h"
#include "vector/lanes.h"

#include <string.h>

void gram_free(struct gram *gram)
{
    if (!gram)
        return;
    postings_free(&gram->postings);
    small_rows_free(&gram->small);
    memory_free(gram->small_starts);
    memory_free(gram);
}

static bool are_small(const struct gram *gram)
{
    bool small = small_features_fit(gram->features);
    for (size_t r = 0; small && r < gram->count; r++)
        small = small_row_fits(&gram->rows[r], gram->norms[r]);
    return small;
}

static bool make_small(struct gram *gram)
{
    gram->way = GRAM_SMALL;
    gram->small_starts = memory_new(gram->count + 1, sizeof *gram->small_starts);
    if (!gram->small_starts)
        return false;
    for (size_t r = 0; r < gram->count; r++) {
        if (small_rows_add(&gram->small, &gram->rows[r]) == SIZE_MAX)
            return false;
        gram->small_starts[r + 1] = gram->small.count;
    }
    return true;
}

static bool choose(struct gram *gram)
{
    bool small = are_small(gram), fine = true;
    size_t *met = postings_count(gram->rows, gram->count, gram->features);
    if (!met)
        return false;
    if (postings_pay(gram->rows, gram->norms, gram->count, met, gram->features, small)) {
        gram->way = GRAM_POSTINGS;
        fine = postings_make(&gram->postings, gram->rows, gram->norms, gram->count, met,
                             gram->features);
    } else if (small) {
        fine = make_small(gram);
    }
    memory_free(met);
    return fine;
}

struct gram *gram_new(const struct kernel *kernel, const tlu_row *rows, const double *norms,
                      size_t count, size_t features)
{
    struct gram *gram = memory_new(1, sizeof *gram);
    if (!gram)
        return NULL;
    *gram = (struct gram){
        .kernel = *kernel, .rows = rows, .norms = norms, .count = count, .features = features};
    if (gram->kernel.kind == KERNEL_NONE)
        gram->kernel.kind = KERNEL_LINEAR;
    return gram;
}

struct gram *gram_faster(const struct gram *gram)
{
    struct gram *faster =
        gram_new(&gram->kernel, gram->rows, gram->norms, gram->count, gram->features);
    if (!faster || choose(faster))
        return faster;
    gram_free(faster);
    return NULL;
}

// ---- rows that are compared with them ----

void gram_room_free(struct gram_room *room)
{
    panel_free(&room->panel);
    small_panel_free(&room->small);
    postings_seat_free(&room->slot);
    memory_free(room->dots);
    *room = (struct gram_room){0};
}

// Whether rows can go the way of the kept rows.
static bool can_go(const struct gram *gram, const tlu_row *rows, const double *norms, size_t count)
{
    bool fine = gram->way != GRAM_PANEL;
    for (size_t i = 0; fine && i < count; i++)
        fine = gram->way == GRAM_POSTINGS ? postings_take(&gram->postings, &rows[i])
                                          : small_row_fits(&rows[i], norms[i]);
    return fine;
}

size_t gram_seats(const struct gram *gram, const tlu_row *rows, size_t count)
{
    count = count < GRAM_ROWS ? count : GRAM_ROWS;
    if (count > GRAM_LANES && !(gram->way == GRAM_POSTINGS && can_go(gram, rows, NULL, count)))
        return GRAM_LANES;
    return count;
}

static bool seat_small(const struct gram *gram, struct gram_room *room, const tlu_row *rows)
{
    if (!room->small.cells && !small_panel_init(&room->small, gram->features))
        return false;
    for (size_t i = 0; i < room->count; i++)
        small_panel_add(&room->small, &rows[i], room->norms[i]);
    return true;
}

// Several rows make a full panel, so that the last few of a file need no panel of their own; one
// alone does not pay for 32.
static bool seat_panel(const struct gram *gram, struct gram_room *room, const tlu_row *rows)
{
    if (!panel_prepare(&room->panel, gram->features, room->lanes))
        return false;
    for (size_t i = 0; i < room->count; i++)
        panel_add(&room->panel, &rows[i], room->norms[i]);
    return true;
}

bool gram_seat(const struct gram *gram, struct gram_room *room, const tlu_row *rows, size_t count)
{
    room->count = count;
    room->lanes = count > 1 ? GRAM_LANES : 1;
    for (size_t i = 0; i < count; i++)
        room->norms[i] = panel_norm(&rows[i]);
    room->way = can_go(gram, rows, room->norms, count) ? gram->way : GRAM_PANEL;
    if (room->way == GRAM_SMALL)
        return seat_small(gram, room, rows);
    if (room->way == GRAM_PANEL)
        return seat_panel(gram, room, rows);
    return memory_reserve(&room->dots, &room->dots_capacity, 8 * GRAM_TILE, sizeof *room->dots) &&
           postings_seat(&gram->postings, &room->slot, rows, count);
}

void gram_leave(struct gram_room *room)
{
    small_panel_clear(&room->small);
    panel_clear(&room->panel);
}

// ---- values ----

static void values_by_panel(const struct gram *gram, struct gram_room *room, size_t first,
                            size_t last, double *values)
{
    for (size_t s = first; s < last; s++)
        panel_values(&room->panel, &gram->kernel, &gram->rows[s], gram->norms[s],
                     values + (s - first) * room->lanes);
}

static void values_of_small(const struct gram *gram, struct gram_room *room, size_t first,
                            size_t last, double *values)
{
    double all[SMALL_LANES];
    for (size_t s = first; s < last; s++) {
        double *to = room->lanes == SMALL_LANES ? values + (s - first) * SMALL_LANES : all;
        small_values(&room->small, &gram->kernel, gram->small.pairs + gram->small_starts[s],
                     gram->small_starts[s + 1] - gram->small_starts[s], gram->norms[s], to);
        if (room->lanes == 1)
            values[s - first] = all[0];
    }
}

// A tile's products, eight rows at a time, and then its values.
static void tile_by_postings(const struct gram *gram, struct gram_room *room, size_t start,
                             size_t first, size_t last, double *values)
{
    size_t count = last - first, lanes = room->lanes, rows = room->count - start;
    rows = rows < lanes ? rows : lanes;
    for (size_t i = 0; lanes > 1 && i < rows; i += 8) {
        for (size_t k = i; k < i + 8 && k < rows; k++)
            postings_dots(&room->slot, start + k, first, last, room->dots + (k - i) * GRAM_TILE);
        lanes_transpose(room->dots, GRAM_TILE, count, values + i, lanes);
    }
    if (lanes == 1)
        postings_dots(&room->slot, start, first, last, values);
    for (size_t s = 0; gram->kernel.kind != KERNEL_LINEAR && s < count; s++)
        kernel_values(&gram->kernel, values + s * lanes, rows, gram->norms[first + s],
                      room->norms + start, values + s * lanes);
}

void gram_values(const struct gram *gram, struct gram_room *room, size_t start, size_t first,
                 size_t last, double *values)
{
    if (room->way == GRAM_PANEL)
        values_by_panel(gram, room, first, last, values);
    else if (room->way == GRAM_SMALL)
        values_of_small(gram, room, first, last, values);
    else
        for (size_t s = first; s < last; s += GRAM_TILE)
            tile_by_postings(gram, room, start, s, last < s + GRAM_TILE ? last : s + GRAM_TILE,
                             values + (s - first) * room->lanes);
}
