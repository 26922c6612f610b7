// --holdout: which rows are kept aside. Every class gives its share, to the row: rounding down what
// the share of each class is leaves some rows short of the share of all rows, and these come from
// the classes that were rounded down most (largest remainders). A class keeps at least one row to
// learn from.
#include "base/memory.h"
#include "train/rows.h"

#include <math.h>

struct share {
    uint64_t rows, held; // still to come, in file order; to hold out of these
    double remainder;    // what rounding down took from its share; -1 if it can give no more
};

// Of classes that were rounded down alike the one that came first.
static struct share *most_due(struct share *shares, uint32_t classes)
{
    struct share *due = NULL;
    for (uint32_t c = 0; c < classes; c++)
        if (shares[c].remainder >= 0 && (!due || shares[c].remainder > due->remainder))
            due = &shares[c];
    return due;
}

// How many rows of each class: round(fraction n) in total, if the classes have enough to give.
static void apportion(struct share *shares, uint32_t classes, double fraction, uint64_t rows)
{
    uint64_t wanted = (uint64_t)floor(fraction * (double)rows + 0.5), held = 0;
    for (uint32_t c = 0; c < classes; c++) {
        double share = fraction * (double)shares[c].rows;
        shares[c].held = (uint64_t)floor(share);
        shares[c].remainder = shares[c].held + 1 < shares[c].rows ? share - floor(share) : -1;
        held += shares[c].held;
    }
    struct share *due;
    for (; held < wanted && (due = most_due(shares, classes)); held++) {
        due->held++;
        due->remainder = -1;
    }
}

// Holds this many of a class's rows out, each set of them as likely (selection sampling, Knuth).
static bool draw(struct share *share, struct random *random)
{
    bool held = random_below(random, share->rows--) < share->held;
    share->held -= held;
    return held;
}

static tlu_status hold_out(struct rows *rows, struct place place, uint32_t label, tlu_error *error)
{
    struct held_out *held_out = &rows->held_out;
    struct places *places = &held_out->places;
    TRY(cache_reserve(&rows->cache, &places->where, &places->items, &places->capacity,
                      places->count + 1, sizeof place, error));
    TRY(cache_reserve(&rows->cache, &held_out->labels_where, &held_out->labels,
                      &held_out->labels_capacity, places->count + 1, sizeof label, error));
    held_out->labels[places->count] = label;
    places->items[places->count++] = place;
    return TLU_OK;
}

// Deals the places out, all of which are in the order, in file order.
static tlu_status deal(struct rows *rows, struct share *shares, struct random *random,
                       tlu_error *error)
{
    size_t kept = 0;
    for (size_t k = 0; k < rows->order.count; k++) {
        struct place place = rows->order.items[k];
        uint32_t label = rows_label(rows, place);
        if (!draw(&shares[label], random))
            rows->order.items[kept++] = place;
        else
            TRY(hold_out(rows, place, label, error));
    }
    rows->order.count = kept;
    return TLU_OK;
}

tlu_status rows_hold_out(struct rows *rows, const tlu_options *options, uint32_t classes,
                         tlu_error *error)
{
    double fraction = options_number(options, OPTION_HOLDOUT);
    if (fraction == 0)
        return TLU_OK;
    struct share *shares = memory_new(classes, sizeof *shares);
    TRY(enough_memory(shares != NULL, error));
    for (size_t k = 0; k < rows->order.count; k++)
        shares[rows_label(rows, rows->order.items[k])].rows++;
    apportion(shares, classes, fraction, rows->counts.rows);
    // A second stream of random numbers, so that holding rows out does not change the shuffling.
    struct random random;
    random_seed(&random, ~options_count(options, OPTION_SEED));
    tlu_status status = deal(rows, shares, &random, error);
    memory_free(shares);
    return status;
}
