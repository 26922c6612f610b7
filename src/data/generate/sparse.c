// Rows that are like texts: few of many features, some of which are much more common than others.
#include "data/generate/internal.h"

#include "base/memory.h"

#include <math.h>

// A cell of an alias table (Walker 1977): a draw lands in a cell and takes one of its two features.
struct alias_cell {
    uint32_t threshold; // of 2^32, for the first
    uint32_t first, second;
};

struct corpus {
    size_t features;
    struct alias_cell *cells; // [features]
    double *rarity;           // [features] the rarer a feature, the more an occurrence says
    double *hidden;           // [features] the weights that decide the labels
    double *mass;             // [features] by rank: frequency over the mean frequency
    uint32_t *by_rank;        // [features]
    uint32_t *times;          // [features] occurrences in the row being made
    uint32_t *chosen;         // [features] those of the row
    double *values;           // [features] and what they are worth
};

static void corpus_free(struct corpus *corpus)
{
    memory_free(corpus->cells);
    memory_free(corpus->rarity);
    memory_free(corpus->by_rank);
}

// The base-2 logarithm of x >= 1, straight between powers of two: the same on every machine.
static double rough_log(double x)
{
    int exponent;
    double fraction = frexp(x, &exponent); // from 1/2 to 1
    return exponent - 2 + 2 * fraction;
}

// Masses fall with the rank, so the first of those left is always the richest. The poorest fills
// its cell with what the rich one can spare; one that has become poor that way is next.
static void fill_cells(struct corpus *corpus)
{
    size_t rich = 0, poor = corpus->features;
    double left = corpus->mass[0]; // of the rich one
    while (rich < poor) {
        size_t from = rich;
        double part = left;
        if (left >= 1 && poor - 1 > rich) {
            from = --poor;
            part = corpus->mass[from];
            left -= 1 - part;
        } else {
            rich++;
            left = rich < corpus->features ? corpus->mass[rich] - (1 - part) : 0;
        }
        part = part < 0 ? 0 : part > 1 ? 1 : part;
        size_t to = rich < corpus->features ? rich : from;
        corpus->cells[from] = (struct alias_cell){(uint32_t)(part * UINT32_MAX),
                                                  corpus->by_rank[from], corpus->by_rank[to]};
    }
}

// Zipf's law without its commonest words: the r-th feature occurs in proportion to 1 / (r + 10).
static bool corpus_make(struct corpus *corpus, size_t features, struct random *random)
{
    corpus->features = features;
    corpus->cells = memory_new(features, sizeof *corpus->cells);
    double *numbers = corpus->rarity = memory_new(features, 4 * sizeof *numbers);
    uint32_t *counts = corpus->by_rank = memory_new(features, 3 * sizeof *counts);
    if (!corpus->cells || !numbers || !counts)
        return false;
    corpus->hidden = numbers + features;
    corpus->mass = numbers + 2 * features;
    corpus->values = numbers + 3 * features;
    corpus->times = counts + features;
    corpus->chosen = counts + 2 * features;
    double sum = 0;
    for (size_t i = 0; i < features; i++) {
        size_t other = (size_t)random_below(random, i + 1); // a random order, as it grows
        corpus->by_rank[i] = corpus->by_rank[other];
        corpus->by_rank[other] = (uint32_t)i;
        corpus->mass[i] = 1 / ((double)i + 11);
        sum += corpus->mass[i];
    }
    for (size_t i = 0; i < features; i++) {
        corpus->mass[i] *= (double)features / sum;
        corpus->rarity[corpus->by_rank[i]] = 1 + rough_log((double)i + 1);
        corpus->hidden[i] = between(random, -1, 1);
    }
    fill_cells(corpus);
    return true;
}

static bool take(struct corpus *corpus, uint32_t feature, size_t *count)
{
    if (corpus->times[feature]++ != 0)
        return false;
    corpus->chosen[(*count)++] = feature;
    return true;
}

static void sort_rising(uint32_t *items, size_t count)
{
    static const size_t gaps[] = {1 << 20, 1 << 17, 1 << 14, 3281, 1093, 364, 121, 40, 13, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) // Shell 1959
        for (size_t i = gaps[g]; i < count; i++) {
            uint32_t item = items[i];
            size_t j = i;
            for (; j >= gaps[g] && items[j - gaps[g]] > item; j -= gaps[g])
                items[j] = items[j - gaps[g]];
            items[j] = item;
        }
}

// Draws words until there are `wanted` distinct ones, and sorts them.
static void draw_words(struct corpus *corpus, struct random *random, size_t wanted)
{
    size_t count = 0;
    for (size_t draws = 0; count < wanted && draws < 8 * wanted; draws++) {
        uint64_t bits = random_bits(random);
        const struct alias_cell *cell = &corpus->cells[((bits >> 32) * corpus->features) >> 32];
        take(corpus, (uint32_t)bits < cell->threshold ? cell->first : cell->second, &count);
    }
    // If almost all features are wanted, the rarest would take for ever: the commonest of those
    // that are still missing fill the row.
    for (size_t rank = 0; count < wanted; rank++)
        if (corpus->times[corpus->by_rank[rank]] == 0)
            take(corpus, corpus->by_rank[rank], &count);
    sort_rising(corpus->chosen, wanted);
}

static void put_words(struct generator *generator, struct corpus *corpus, uint64_t row,
                      size_t count)
{
    double square = 0, score = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t feature = corpus->chosen[i];
        double value = (1 + rough_log(corpus->times[feature])) * corpus->rarity[feature];
        corpus->times[feature] = 0;
        corpus->values[i] = value;
        square += value * value;
        score += value * corpus->hidden[feature];
    }
    scale_values(corpus->values, 1 / sqrt(square), count);
    output_row(&generator->out, corpus->features, corpus->chosen, corpus->values, count,
               noisy(generator, row, score > 0 ? 1 : -1), true);
}

tlu_status make_sparse(struct generator *generator, tlu_error *error)
{
    const tlu_recipe *recipe = generator->recipe;
    struct corpus corpus = {0};
    if (!corpus_make(&corpus, (size_t)recipe->features, &generator->random)) {
        corpus_free(&corpus);
        return error_memory(error);
    }
    uint64_t half = recipe->nonzeros / 2;
    for (uint64_t row = 0; row < recipe->rows && !generator->out.failed; row++) {
        uint64_t count = recipe->nonzeros - half + random_below(&generator->random, 2 * half + 1);
        count = count < recipe->features ? count : recipe->features;
        draw_words(&corpus, &generator->random, (size_t)count);
        put_words(generator, &corpus, row, (size_t)count);
    }
    corpus_free(&corpus);
    return TLU_OK;
}
