// Is a candidate worse than the best of them, or only unlucky?
//
// Both have predicted the same rows. Rows that both get right or both get wrong say nothing; of the
// others, half would be the best one's if the two were equally good: McNemar's test (1947). Below
// 1% the candidate is out, before halving looks at it.
#include "tune/tune.h"

#define CRITICAL 5.4119 // chi squared with one degree of freedom: 1% on one side

bool is_worse(const struct candidate *best, const struct candidate *other)
{
    double only_best = 0, only_other = 0;
    for (size_t i = 0; i < best->examples && i < other->examples; i++) {
        only_best += best->right[i] && !other->right[i];
        only_other += other->right[i] && !best->right[i];
    }
    double lead = only_best - only_other;
    return lead > 0 && lead * lead > CRITICAL * (only_best + only_other);
}
