// Fast paths for the features of Vowpal Wabbit's format, one for each instruction set.
//
// vw.c alone has the rules and the messages. The fast paths add names and names with numbers, with
// the same result, and leave every other feature to vw.c.
#ifndef TLU_INPUT_VW_QUICK_H
#define TLU_INPUT_VW_QUICK_H

#include "input/named.h"

struct namespace
{
    size_t prefix; // bytes of its name and "^", which are in the scratch; 0: it has no name
    float weight;
    struct decimal exact; // the weight as it is written
    uint32_t nameless;    // features without a name so far
};

// One feature at row->cursor, which is not a blank or "|", by the rules.
enum parse_result vw_feature(struct named_row *row, struct namespace *space);

// The features from row->cursor up to the next bar.
typedef enum parse_result vw_features(struct named_row *row, struct namespace *space);
vw_features vw_features_plain, vw_features_avx2;

enum vw_way {
    VW_BEST,  // by the best instructions of this CPU
    VW_PLAIN, // by plain C
    VW_RULES, // by the rules alone
};

// As vw_parse(), in one of these ways.
enum parse_result vw_parse_by(enum vw_way way, const struct parser *parser, const char *bytes,
                              size_t size, struct batch *batch, struct bad_row *bad);

#endif
