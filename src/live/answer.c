#include "live/answer.h"

#include "base/memory.h"
#include "number/number.h"

#include <string.h>

// A label as a field of a line, as tlu predict prints it; returns its end.
static char *put_label(char *to, const char *label)
{
    for (; *label; label++) {
        char c = *label, letter = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c;
        if (letter != c || c == '\\')
            *to++ = '\\';
        *to++ = letter;
    }
    return to;
}

bool answers_add(struct answers *answers, const struct tlu_learner *learner, uint32_t winner)
{
    const char *label = learner->scheme.classes ? learner->schema.spelled[winner] : "?";
    if (!memory_reserve(&answers->text, &answers->capacity, answers->size + 2 * strlen(label) + 64,
                        1))
        return false;
    char *at = put_label(answers->text + answers->size, label);
    if (answers->scores) {
        double score = learner->scheme.classes > 2          ? learner->space.scores[winner]
                       : winner == learner->scheme.positive ? learner->space.scores[0]
                                                            : 0 - learner->space.scores[0];
        *at++ = '\t';
        at += number_print(at, learner->scheme.classes ? score : 0);
    }
    *at++ = '\n';
    answers->size = (size_t)(at - answers->text);
    return true;
}

void answers_free(struct answers *answers)
{
    memory_free(answers->text);
}
