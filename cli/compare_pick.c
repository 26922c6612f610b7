// Which of the learners that tlu compare has measured to pick.
#include "compare.h"
#include "streams.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CRITICAL 2.706  // chi squared, one degree of freedom: 5% on one side
#define GAP 1.0         // points that a pick may be below the best
#define DEFAULT_GAP 0.7 // and the default, unless rows are that few
#define NOISY_ROWS 500  // below, 0.7 points are less than other dealings make of it

// McNemar's test, of rows that only one of two gets right: whether `other` is worse than the best
// by more than chance. What was measured several times counts once.
static bool is_worse(const struct comparison *comparison, const struct entry *other)
{
    const struct entry *best = &comparison->entries[0];
    double only_best = 0, only_other = 0;
    for (uint64_t i = 0; i < best->examples; i++) {
        only_best += best->right[i] && !other->right[i];
        only_other += other->right[i] && !best->right[i];
    }
    double lead = (only_best - only_other) / (double)comparison->repeats;
    double differ = (only_best + only_other) / (double)comparison->repeats;
    return lead > 0 && lead * lead > CRITICAL * differ;
}

// Whether this many points below the best are acceptable. Counts of rows, so that a gap that is
// exactly as large does not hang on rounding.
static bool is_near(const struct comparison *comparison, const struct entry *other, double points)
{
    const struct entry *best = &comparison->entries[0];
    return 100 * (double)(best->correct - other->correct) <= points * (double)best->examples;
}

bool is_better(const struct comparison *comparison, const struct entry *a, const struct entry *b)
{
    if (a->defined == 0 || b->defined == 0)
        return a->defined > 0 && b->defined == 0;
    double first = rint(a->value * 1e12), second = rint(b->value * 1e12); // rounding is no merit
    return comparison->higher ? first > second : first < second;
}

bool is_default(const struct entry *entry)
{
    return strcmp(entry->name, tlu_option_find("learner")->value) == 0;
}

// The simplest of those that are near the best and not worse; of equals the first of `tlu
// learners`. The best is one of them.
static const struct entry *simplest(const struct comparison *comparison)
{
    const struct entry *pick = NULL;
    for (size_t i = 0; i < comparison->count && comparison->entries[i].measured; i++) {
        const struct entry *entry = &comparison->entries[i];
        int grade = entry->learner->complexity, least = pick ? pick->learner->complexity : INT_MAX;
        if ((grade < least || (grade == least && entry->place < pick->place)) &&
            is_near(comparison, entry, GAP) && !is_worse(comparison, entry))
            pick = entry;
    }
    return pick;
}

// The default, unless the rows say that another is better: if they are few, only the test can
// say that. Of several hundred rows its gap is the smaller one: data on which it is just about a
// point below the best is common, and the pick would change with the seed.
void choose(struct comparison *comparison)
{
    comparison->rows = comparison->entries[0].examples / comparison->repeats;
    comparison->few = comparison->rows < FEW_ROWS;
    double gap = comparison->rows < NOISY_ROWS ? GAP : DEFAULT_GAP;
    if (comparison->metric) { // McNemar's test is about right and wrong alone
        comparison->pick = &comparison->entries[0];
        return;
    }
    for (size_t i = 0; i < comparison->count && comparison->entries[i].measured; i++) {
        const struct entry *entry = &comparison->entries[i];
        if (!is_default(entry))
            continue;
        if (!is_worse(comparison, entry) && (comparison->few || is_near(comparison, entry, gap)))
            comparison->pick = entry;
    }
    if (!comparison->pick)
        comparison->pick = simplest(comparison);
}

void say_why(char *out, size_t size, const struct comparison *comparison)
{
    const struct entry *best = &comparison->entries[0], *pick = comparison->pick;
    char few[80] = "", gap[160] = "";
    if (comparison->metric) {
        snprintf(out, size, "it has the best %s, %.6g", comparison->metric, best->value);
        return;
    }
    if (comparison->few)
        snprintf(few, sizeof few, "%llu rows are too few to choose by; ",
                 (unsigned long long)comparison->rows);
    snprintf(gap, sizeof gap, "%s has %.2f%%", best->name, 100 * best->accuracy);
    if (is_default(pick) && pick->correct == best->correct)
        snprintf(out, size, "%sno other is right more often (%.2f%%)", few, 100 * pick->accuracy);
    else if (is_default(pick) && comparison->few)
        snprintf(out, size, "%sit is fine: it has %.2f%%, and that %s may be chance", few,
                 100 * pick->accuracy, gap);
    else if (is_default(pick))
        snprintf(out, size, "%.2f%%; %s, which is not significantly better", 100 * pick->accuracy,
                 gap);
    else if (pick == best)
        snprintf(out, size,
                 "it is right most often (%.2f%%), and no simpler one is within a point of it and "
                 "not significantly worse",
                 100 * best->accuracy);
    else
        snprintf(out, size,
                 "%.2f%%, the simplest of those within a point of the best and not significantly "
                 "worse; %s",
                 100 * pick->accuracy, gap);
}
