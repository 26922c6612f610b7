// The sections of a model file. A section is a row of this table and a file that both writes and
// reads it; docs/model-format.md describes it.
#ifndef TLU_MODEL_FILE_SECTIONS_H
#define TLU_MODEL_FILE_SECTIONS_H

#include "model/file/pack.h"
#include "model/make.h"

// Tag, name, and when a file without the section is damaged (file.c). In the order in which
// they are in the file, so that a section needs only those before it.
#define MODEL_SECTIONS(ROW)                                                                        \
    ROW("VERS", version, always)                                                                   \
    ROW("OPTS", options, always)                                                                   \
    ROW("FEAT", features, always)                                                                  \
    ROW("COLS", columns, for_csv)                                                                  \
    ROW("FILL", fills, never)                                                                      \
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
    ROW("DOCS", words, for_words)                                                                  \
    ROW("CALB", calibration, never)                                                                \
    ROW("THRS", threshold, never)                                                                  \
    ROW("REPT", report, always)                                                                    \
    ROW("ORIG", origin, never)

// Those of a checkpoint, which are packed by checkpoint_pack and stay packed in a model.
#define RUN_SECTIONS(ROW)                                                                          \
    ROW("RUN ", run, never)                                                                        \
    ROW("PAST", past, never)                                                                       \
    ROW("DUAL", dual, never)                                                                       \
    ROW("NETR", checkpoint_net, for_checkpoint_net)

// A section that puts nothing is left out.
#define SECTION_PUT(tag, name, required)                                                           \
    void put_##name(struct packer *out, const tlu_model *model);
#define SECTION_UNPACK(tag, name, required) void unpack_##name(struct unpack *in);
MODEL_SECTIONS(SECTION_PUT)
MODEL_SECTIONS(SECTION_UNPACK)
RUN_SECTIONS(SECTION_UNPACK)

// schema.c: after all sections.
void unpack_check_names(struct unpack *in);
// weights.c: blocks that RUN has too. Weights for `rows` features, once the bytes for them are
// known to be there; false: unpacking has failed.
bool unpack_new_weights(struct unpack *in, struct weights *weights, uint32_t columns,
                        unsigned parts, double state_start, size_t rows);
void unpack_vectors(struct unpack *in, struct weights *weights); // w and u, with biases
void unpack_states(struct unpack *in, struct weights *weights);
// One of the arrays w, u and r, multiplied by the scales.
void put_settled(struct packer *out, const struct weights *weights, const double *cells);
void put_random_state(struct packer *out, const struct random *random);
void unpack_random_state(struct unpack *in, struct random *random);
void put_layers(struct packer *out, const struct net *net);
struct net *unpack_layers(struct unpack *in, const struct net_shape *shape);

#endif
