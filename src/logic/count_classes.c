#include "logic/count_classes.h"

#include "base/memory.h"

#include <string.h>

#define LANE 12 // bits of a parameter
#define LANES 5 // in 64 bits

void class_set_init(struct class_set *set)
{
    memset(set, 0, sizeof *set);
    for (size_t i = 0; i < CLASS_SHARDS; i++)
        pthread_mutex_init(&set->shard[i].lock, NULL);
}

void class_set_free(struct class_set *set)
{
    for (size_t i = 0; i < CLASS_SHARDS; i++) {
        pthread_mutex_destroy(&set->shard[i].lock);
        memory_free(set->shard[i].items);
        memory_free(set->shard[i].slots);
    }
}

void class_set_clear(struct class_set *set)
{
    for (size_t i = 0; i < CLASS_SHARDS; i++) {
        struct class_shard *shard = &set->shard[i];
        if (shard->count)
            memset(shard->slots, 0, shard->slot_count * sizeof *shard->slots);
        shard->count = 0;
    }
}

static uint64_t hash(struct class_key key)
{
    uint64_t mixed = key.low * 0x9e3779b97f4a7c15;
    mixed = ((mixed ^ mixed >> 32) + key.high) * 0xd6e8feb86659fd93;
    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15;
    return mixed ^ mixed >> 32;
}

static bool same(struct class_key a, struct class_key b)
{
    return a.low == b.low && a.high == b.high;
}

// The slot of a key, or the free one where it would be.
static uint32_t *slot_of(const struct class_shard *shard, struct class_key key)
{
    size_t mask = shard->slot_count - 1, at = (size_t)(hash(key) / CLASS_SHARDS) & mask;
    while (shard->slots[at] && !same(shard->items[shard->slots[at] - 1].key, key))
        at = (at + 1) & mask;
    return &shard->slots[at];
}

static struct class_shard *shard_of(struct class_set *set, struct class_key key)
{
    return &set->shard[hash(key) % CLASS_SHARDS];
}

bool class_set_has(struct class_set *set, struct class_key key)
{
    struct class_shard *shard = shard_of(set, key);
    pthread_mutex_lock(&shard->lock);
    bool has = shard->count && *slot_of(shard, key);
    pthread_mutex_unlock(&shard->lock);
    return has;
}

static bool make_room(struct class_shard *shard)
{
    if (!memory_reserve(&shard->items, &shard->capacity, shard->count + 1, sizeof *shard->items))
        return false;
    if (2 * (shard->count + 1) <= shard->slot_count)
        return true;
    size_t slot_count = shard->slot_count ? 2 * shard->slot_count : 16;
    uint32_t *slots = memory_new(slot_count, sizeof *slots);
    if (!slots)
        return false;
    memory_free(shard->slots);
    shard->slots = slots;
    shard->slot_count = slot_count;
    for (size_t i = 0; i < shard->count; i++)
        *slot_of(shard, shard->items[i].key) = (uint32_t)i + 1;
    return true;
}

bool class_set_add(struct class_set *set, const struct cell_class *added)
{
    struct class_shard *shard = shard_of(set, added->key);
    pthread_mutex_lock(&shard->lock);
    bool has_room = make_room(shard);
    uint32_t *slot = has_room ? slot_of(shard, added->key) : NULL;
    if (slot && *slot == 0) {
        shard->items[shard->count++] = *added;
        *slot = (uint32_t)shard->count;
    }
    pthread_mutex_unlock(&shard->lock);
    return has_room;
}

size_t class_set_number(struct class_set *set)
{
    for (size_t i = 0; i < CLASS_SHARDS; i++)
        set->before[i + 1] = set->before[i] + set->shard[i].count;
    return set->before[CLASS_SHARDS];
}

const struct cell_class *class_set_item(const struct class_set *set, size_t number)
{
    size_t shard = 0;
    for (size_t half = CLASS_SHARDS / 2; half; half /= 2)
        shard += set->before[shard + half] <= number ? half : 0;
    return &set->shard[shard].items[number - set->before[shard]];
}

struct class_key class_key_of(const int *chow, unsigned k)
{
    struct class_key key = {0};
    for (unsigned i = 0; i < k; i++) {
        uint64_t *half = i < LANES ? &key.low : &key.high;
        *half |= (uint64_t)chow[i] << i % LANES * LANE;
    }
    return key;
}

int class_key_chow(struct class_key key, unsigned input)
{
    uint64_t half = input < LANES ? key.low : key.high;
    return (int)(half >> input % LANES * LANE & ((1 << LANE) - 1));
}
