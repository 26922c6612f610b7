// --holdout: which rows are kept aside. Every class gives its share, to the row: rounding down what
// the share of each class is leaves some rows short of the share of all rows, and these come from
// the classes that were rounded down most (largest remainders). A class keeps at least one row to
// learn from.
#include "base/memory.h"
#include "train/train.h"

#include <math.h>

struct share {
    uint64_t rows, held; // still to come, in file order; to hold out of these
    double remainder;    // what rounding down took from its share; -1 where it can give no more
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

// How many rows of each class: round(fraction n) in all, where the classes have as many to give.
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

static bool hold_out(struct training *t, struct place place, uint32_t label)
{
    if (!memory_reserve(&t->held_out.items, &t->held_out.capacity, t->held_out.count + 1,
                        sizeof place) ||
        !memory_reserve(&t->held_out_labels, &t->held_out_labels_capacity, t->held_out.count + 1,
                        sizeof label))
        return false;
    t->held_out.items[t->held_out.count] = place;
    t->held_out_labels[t->held_out.count++] = label;
    return true;
}

// Deals the places out, all of which are in t->order, in file order.
static bool deal(struct training *t, struct share *shares, struct random *random)
{
    size_t kept = 0;
    for (size_t k = 0; k < t->order.count; k++) {
        struct place place = t->order.items[k];
        uint32_t label = t->batches[place.batch]->labels[place.row];
        if (!draw(&shares[label], random))
            t->order.items[kept++] = place;
        else if (!hold_out(t, place, label))
            return false;
    }
    t->order.count = kept;
    return true;
}

tlu_status training_hold_out(struct training *t, tlu_error *error)
{
    double fraction = options_number(t->learner.options, OPTION_HOLDOUT);
    uint32_t classes = schema_classes(&t->learner.schema);
    if (fraction == 0)
        return TLU_OK;
    struct share *shares = memory_new(classes, sizeof *shares);
    if (!shares)
        return error_memory(error);
    for (uint32_t c = 0; c < classes && c < t->learner.scheme.class_examples_count; c++)
        shares[c].rows = t->learner.scheme.class_examples[c];
    apportion(shares, classes, fraction, t->rows);
    // A second stream of random numbers, so that holding rows out does not change the shuffling.
    struct random random;
    random_seed(&random, ~options_count(t->learner.options, OPTION_SEED));
    bool fine = deal(t, shares, &random);
    memory_free(shares);
    if (!fine)
        return error_memory(error);
    if (t->held_out.count == 0 && !t->interrupted)
        return error_input(error, "--holdout: %llu rows are too few to split",
                           (unsigned long long)t->rows);
    return TLU_OK;
}
