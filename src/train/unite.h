// One numbering of classes, names and columns for data that is read in parts: by several processes,
// or after the data of a model (--start). A schema is packed as lists of texts; a training gives
// its rows the numbers that they would have if all parts were read one after the other.
#ifndef TLU_TRAIN_UNITE_H
#define TLU_TRAIN_UNITE_H

#include "base/packet.h"
#include "train/train.h"

// Packs the labels, names and columns of a schema, growing or frozen. `order`: the class numbers in
// the order of their first occurrence; NULL: 0, 1, 2...
void unite_pack(struct packet *packet, const struct schema *schema, const uint32_t *order);

// Numbers the classes and names of all packets in their order, then those of the training, in its
// schema and in all rows, which are in memory. An input error if the packet was made from
// data of another format or with other columns.
tlu_status unite_schemas(struct training *training, const struct packet *packets, size_t count,
                         tlu_error *error);

#endif
