// What the two files about C share.
#ifndef TLU_LOGIC_NET_C_H
#define TLU_LOGIC_NET_C_H

#include "logic/net/write.h"

// A network with more links to a unit than this is tables and a loop.
#define C_LINKS_MAX 64
// More inputs than this have no names in the program, only places in an array.
#define C_NAMED_MAX 64

// With tables: what comes before the step, and its statements.
void c_put_tables(struct pen *pen);
void c_put_table_step(struct pen *pen);

#endif
