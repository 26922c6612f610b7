#include "draw/plane/grid.h"
#include "base/memory.h"

#define ROUNDS 20 // of bisection

tlu_status grid_label(const struct grid *grid, const struct point *at, size_t count,
                      uint32_t *labels, tlu_error *error)
{
    struct point *places = memory_new(count + 1, sizeof *places);
    TRY(enough_memory(places, error));
    for (size_t i = 0; i < count; i++)
        places[i] = (struct point){grid->x_low + at[i].x * grid->x_range,
                                   grid->y_low + at[i].y * grid->y_range};
    tlu_status status = grid->field->label(grid->field->context, places, count, labels, error);
    memory_free(places);
    return status;
}

size_t grid_corner(struct grid *grid, struct point at)
{
    if (!memory_reserve(&grid->corners, &grid->corner_capacity, grid->corner_count + 1,
                        sizeof *grid->corners))
        return GRID_NONE;
    grid->corners[grid->corner_count] = at;
    return grid->corner_count++;
}

static tlu_status label_nodes(struct grid *grid, tlu_error *error)
{
    for (size_t row = 0; row <= grid->up; row++)
        for (size_t column = 0; column <= grid->across; column++) {
            struct point at = {(double)column / (double)grid->across,
                               (double)row / (double)grid->up};
            TRY(enough_memory(grid_corner(grid, at) != GRID_NONE, error));
        }
    return grid_label(grid, grid->corners, grid->corner_count, grid->labels, error);
}

// ---- where labels change

// A side of a cell whose ends differ.
struct search {
    size_t from, to;  // nodes
    double low, high; // shares of the way between which the label of `from` ends
    size_t *corner;   // where it goes
};

struct searches {
    struct search *search;
    size_t count, capacity;
    struct point *at; // [count] half way, and the labels there
    uint32_t *labels;
};

static bool look_between(const struct grid *grid, struct searches *searches, size_t from, size_t to,
                         size_t *corner)
{
    *corner = GRID_NONE;
    if (grid->labels[from] == grid->labels[to])
        return true;
    if (!memory_reserve(&searches->search, &searches->capacity, searches->count + 1,
                        sizeof *searches->search))
        return false;
    searches->search[searches->count++] = (struct search){from, to, 0, 1, corner};
    return true;
}

static bool collect(const struct grid *grid, struct searches *searches)
{
    bool fine = true;
    for (size_t row = 0; row <= grid->up; row++)
        for (size_t column = 0; column <= grid->across; column++) {
            size_t here = grid_node(grid, column, row);
            if (column < grid->across)
                fine = fine && look_between(grid, searches, here, here + 1,
                                            &grid->flat[row * grid->across + column]);
            if (row < grid->up)
                fine = fine && look_between(grid, searches, here, here + grid->across + 1,
                                            &grid->steep[here]);
        }
    return fine;
}

static struct point half_way(const struct grid *grid, const struct search *search)
{
    struct point from = grid->corners[search->from], to = grid->corners[search->to];
    double share = (search->low + search->high) / 2;
    return (struct point){from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
}

static tlu_status bisect(struct grid *grid, struct searches *searches, tlu_error *error)
{
    TRY(enough_memory(collect(grid, searches), error));
    searches->at = memory_new(searches->count + 1, sizeof *searches->at);
    searches->labels = memory_new(searches->count + 1, sizeof *searches->labels);
    TRY(enough_memory(searches->at && searches->labels, error));
    for (int round = 0; round < ROUNDS && searches->count; round++) {
        for (size_t i = 0; i < searches->count; i++)
            searches->at[i] = half_way(grid, &searches->search[i]);
        TRY(grid_label(grid, searches->at, searches->count, searches->labels, error));
        for (size_t i = 0; i < searches->count; i++) {
            struct search *search = &searches->search[i];
            bool before = searches->labels[i] == grid->labels[search->from];
            *(before ? &search->low : &search->high) = (search->low + search->high) / 2;
        }
    }
    for (size_t i = 0; i < searches->count; i++) {
        struct search *search = &searches->search[i];
        *search->corner = grid_corner(grid, half_way(grid, search));
        TRY(enough_memory(*search->corner != GRID_NONE, error));
    }
    return TLU_OK;
}

static tlu_status find_crossings(struct grid *grid, tlu_error *error)
{
    struct searches searches = {0};
    tlu_status status = bisect(grid, &searches, error);
    memory_free(searches.search);
    memory_free(searches.at);
    memory_free(searches.labels);
    return status;
}

tlu_status grid_make(struct grid *grid, tlu_error *error)
{
    size_t nodes = (grid->across + 1) * (grid->up + 1);
    grid->labels = memory_new(nodes, sizeof *grid->labels);
    grid->flat = memory_new((grid->up + 1) * grid->across, sizeof *grid->flat);
    grid->steep = memory_new(nodes, sizeof *grid->steep);
    TRY(enough_memory(grid->labels && grid->flat && grid->steep, error));
    TRY(label_nodes(grid, error));
    TRY(find_crossings(grid, error));
    return grid_cut(grid, error);
}

void grid_free(struct grid *grid)
{
    memory_free(grid->labels);
    memory_free(grid->flat);
    memory_free(grid->steep);
    memory_free(grid->corners);
    memory_free(grid->sides);
}
