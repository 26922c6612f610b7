// Sets of classes, which several threads add to.
#ifndef TLU_LOGIC_COUNT_CLASSES_H
#define TLU_LOGIC_COUNT_CLASSES_H

#include "logic/count_cells.h"

#include <pthread.h>

// A class is known by the Chow parameters of its cell with ordered weights: no two threshold
// functions have the same, nor has any other function those of a threshold function (Chow 1961).
struct class_key {
    uint64_t low, high; // 12 bits each, the first input's at the bottom of low
};

struct cell_class {
    struct class_key key;
    uint32_t weights[CELL_INPUTS_MAX];
};

#define CLASS_SHARDS 64

struct class_shard {
    pthread_mutex_t lock;
    struct cell_class *items; // [count]
    size_t count, capacity;
    uint32_t *slots; // [slot_count], a power of two: 1 + item, 0 if free
    size_t slot_count;
};

struct class_set {
    struct class_shard shard[CLASS_SHARDS];
    size_t before[CLASS_SHARDS + 1]; // items of the shards before, after class_set_number
};

void class_set_init(struct class_set *set);
void class_set_free(struct class_set *set);
void class_set_clear(struct class_set *set); // keeps its memory
bool class_set_has(struct class_set *set, struct class_key key);
// Adds it unless it is there already; false: no memory.
bool class_set_add(struct class_set *set, const struct cell_class *added);
// When nothing is added any more: how many there are; then they are numbered.
size_t class_set_number(struct class_set *set);
const struct cell_class *class_set_item(const struct class_set *set, size_t number);

struct class_key class_key_of(const int *chow, unsigned k);
int class_key_chow(struct class_key key, unsigned input);

#endif
