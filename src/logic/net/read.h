// The two forms of a network that can be read.
#ifndef TLU_LOGIC_NET_READ_H
#define TLU_LOGIC_NET_READ_H

#include "logic/net/scan.h"

tlu_status read_text(struct scan *scan, struct draft *draft);
tlu_status read_json(struct scan *scan, struct draft *draft);

#endif
