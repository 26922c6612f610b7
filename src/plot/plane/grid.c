#include "plot/plane/grid.h"
#include "base/memory.h"

#define ROUNDS 20 // of bisection
#define ROUNDS_MIN 2
#define LOOKS 100000 // of all searches, if they are so many that the regions are mostly borders

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

static bool make_nodes(struct grid *grid)
{
    bool fine = true;
    for (size_t row = 0; row <= grid->up; row++)
        for (size_t column = 0; column <= grid->across; column++) {
            struct point at = {(double)column / (double)grid->across,
                               (double)row / (double)grid->up};
            fine = fine && grid_corner(grid, at) != GRID_NONE;
        }
    return fine;
}

// ---- a coarse look first

struct blocks {
    size_t size;  // cells of one, across and up
    bool *known;  // [nodes]
    size_t *node; // [count] to be looked at
    size_t count;
    struct point *at;
    uint32_t *labels;
};

static tlu_status label_listed(struct grid *grid, struct blocks *blocks, tlu_error *error)
{
    for (size_t i = 0; i < blocks->count; i++)
        blocks->at[i] = grid->corners[blocks->node[i]];
    TRY(grid_label(grid, blocks->at, blocks->count, blocks->labels, error));
    for (size_t i = 0; i < blocks->count; i++) {
        grid->labels[blocks->node[i]] = blocks->labels[i];
        blocks->known[blocks->node[i]] = true;
    }
    blocks->count = 0;
    return TLU_OK;
}

// The edge of the block before or at a node, and the last node.
static size_t edge_near(size_t at, size_t blocks_before, size_t size)
{
    size_t edge = at / size * size;
    return edge > blocks_before * size ? edge - blocks_before * size : 0;
}

// Whether all that is known around a node, up to a block away from its own, has its label.
static bool is_calm(const struct grid *grid, const struct blocks *blocks, size_t column, size_t row)
{
    size_t size = blocks->size, first_row = edge_near(row, 1, size);
    size_t first_column = edge_near(column, 1, size);
    uint32_t label = grid->labels[grid_node(grid, first_column, first_row)];
    for (size_t r = first_row; r <= row + 2 * size; r += size)
        for (size_t c = first_column; c <= column + 2 * size; c += size) {
            size_t inside_row = r < grid->up ? r : grid->up;
            size_t inside_column = c < grid->across ? c : grid->across;
            if (grid->labels[grid_node(grid, inside_column, inside_row)] != label)
                return false;
        }
    return true;
}

static bool is_edge(size_t at, size_t last, size_t size)
{
    return at % size == 0 || at == last;
}

static tlu_status label_in_blocks(struct grid *grid, struct blocks *blocks, tlu_error *error)
{
    for (size_t row = 0; row <= grid->up; row++)
        for (size_t column = 0; column <= grid->across; column++)
            if (is_edge(row, grid->up, blocks->size) && is_edge(column, grid->across, blocks->size))
                blocks->node[blocks->count++] = grid_node(grid, column, row);
    TRY(label_listed(grid, blocks, error));
    for (size_t row = 0; row <= grid->up; row++)
        for (size_t column = 0; column <= grid->across; column++) {
            size_t node = grid_node(grid, column, row);
            if (blocks->known[node])
                continue;
            if (is_calm(grid, blocks, column, row))
                grid->labels[node] = grid->labels[grid_node(
                    grid, edge_near(column, 0, blocks->size), edge_near(row, 0, blocks->size))];
            else
                blocks->node[blocks->count++] = node;
        }
    return label_listed(grid, blocks, error);
}

static tlu_status label_nodes(struct grid *grid, tlu_error *error)
{
    size_t nodes = (grid->across + 1) * (grid->up + 1), size = grid->block;
    TRY(enough_memory(make_nodes(grid), error));
    if (size < 2)
        return grid_label(grid, grid->corners, nodes, grid->labels, error);
    struct blocks blocks = {.size = size,
                            .known = memory_new(nodes, sizeof *blocks.known),
                            .node = memory_new(nodes, sizeof *blocks.node),
                            .at = memory_new(nodes, sizeof *blocks.at),
                            .labels = memory_new(nodes, sizeof *blocks.labels)};
    tlu_status status = blocks.known && blocks.node && blocks.at && blocks.labels
                            ? label_in_blocks(grid, &blocks, error)
                            : error_memory(error);
    memory_free(blocks.known);
    memory_free(blocks.node);
    memory_free(blocks.at);
    memory_free(blocks.labels);
    return status;
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

static size_t rounds_of(const struct searches *searches)
{
    size_t rounds = LOOKS / (searches->count + 1);
    return rounds < ROUNDS_MIN ? ROUNDS_MIN : rounds < ROUNDS ? rounds : ROUNDS;
}

static tlu_status bisect(struct grid *grid, struct searches *searches, tlu_error *error)
{
    TRY(enough_memory(collect(grid, searches), error));
    searches->at = memory_new(searches->count + 1, sizeof *searches->at);
    searches->labels = memory_new(searches->count + 1, sizeof *searches->labels);
    TRY(enough_memory(searches->at && searches->labels, error));
    size_t rounds = searches->count ? rounds_of(searches) : 0;
    for (size_t round = 0; round < rounds; round++) {
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
