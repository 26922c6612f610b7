// The sections of a model file. A section is a row of this table and a file that both writes and
// reads it; docs/model-format.md describes it.
#ifndef TLU_MODEL_FILE_SECTIONS_H
#define TLU_MODEL_FILE_SECTIONS_H

#include "model/file/pack.h"
#include "model/file/unpack.h"

// Tag, name, and when a file without the section is damaged (sections.c). In the order in which
// they are in the file, so that a section needs only those before it.
#define SECTIONS(ROW)                                                                              \
    ROW("VERS", version, always)                                                                   \
    ROW("OPTS", options, always)                                                                   \
    ROW("FEAT", features, always)                                                                  \
    ROW("COLS", columns, for_csv)                                                                  \
    ROW("CLAS", classes, always)                                                                   \
    ROW("SCAL", scaling, never)                                                                    \
    ROW("SUPP", supports, never)                                                                   \
    ROW("WGHT", weights, always)                                                                   \
    ROW("NET ", net, model_has_layers)                                                             \
    ROW("REPL", replay, never)                                                                     \
    ROW("GAIN", gains, for_gains)                                                                  \
    ROW("RAND", random, always)                                                                    \
    ROW("LIVE", stream_state, never)                                                               \
    ROW("ADPT", adaptive, for_adaptive)                                                            \
    ROW("UNIT", units, never)                                                                      \
    ROW("CALB", calibration, never)                                                                \
    ROW("THRS", threshold, never)                                                                  \
    ROW("REPT", report, always)                                                                    \
    ROW("RUN ", run, never)                                                                        \
    ROW("PAST", past, never)                                                                       \
    ROW("DUAL", dual, never)                                                                       \
    ROW("NETR", checkpoint_net, for_checkpoint_net)

// A section that puts nothing is left out.
#define SECTION_FUNCTIONS(tag, name, required)                                                     \
    void put_##name(struct out *out, const tlu_model *model);                                      \
    void unpack_##name(struct unpack *in);
SECTIONS(SECTION_FUNCTIONS)

#define SECTION_ONE(tag, name, required) +1
enum { SECTION_COUNT = 0 SECTIONS(SECTION_ONE) };

struct section {
    char tag[FORMAT_TAG_SIZE + 1];
    void (*put)(struct out *out, const tlu_model *model);
    void (*unpack)(struct unpack *in);
    bool (*is_required)(const tlu_model *model);
};
extern const struct section model_sections[SECTION_COUNT];

// features.c: when all sections are read.
void unpack_check_names(struct unpack *in);

#endif
