#include "data/hash.h"

#include "base/memory.h"
#include "data/large.h"

#include <assert.h>
#include <float.h>

#define MEMO_SIZE 2048 // LIBSVM indices whose hashes are remembered; a power of two
#define MEMO_MIN 4096  // entries of a batch for which that is worth its start
#define PLACES_MIN 64

// FNV-1a (Fowler, Noll, Vo), and the mixing that ends MurmurHash3 (Appleby), since the lowest bits
// of the former alone are not very random.
uint64_t hash_name(const char *name, size_t length)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 0x100000001B3u;
    hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCDu;
    hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53u;
    return hash ^ hash >> 33;
}

// An index as it would be written.
static uint64_t hash_index(uint64_t index)
{
    char scratch[LARGE_SCRATCH], *end = scratch + sizeof scratch, *text = large_spell(index, end);
    return hash_name(text, (size_t)(end - text));
}

uint32_t hash_index_find(const struct schema *schema, uint32_t index)
{
    uint32_t slot = hash_slot(hash_index(index), schema->slots.bits);
    return schema->frozen ? schema_slot_feature(schema, slot) : slot;
}

uint32_t hash_index_add(struct schema *schema, uint32_t index)
{
    uint64_t hash = hash_index(index);
    uint32_t slot = hash_slot(hash, schema->slots.bits);
    schema_note(schema, slot, hash_mark(hash));
    return slot;
}

// ---- names ----

struct hashing {
    const struct schema *schema;
    struct batch *batch;
    struct memo {
        uint32_t index, feature;
    } * memo; // NULL: none
};

// Where the hash leads to, noted for schema_merge; false: out of memory.
static bool lead(const struct hashing *hashing, uint64_t hash, uint32_t *feature)
{
    const struct schema *schema = hashing->schema;
    struct batch *batch = hashing->batch;
    uint32_t slot = hash_slot(hash, schema->slots.bits);
    if (!memory_reserve(&batch->hashed.items, &batch->hashed.capacity, batch->hashed.count + 1,
                        sizeof *batch->hashed.items))
        return false;
    *feature = schema->frozen ? schema_slot_feature(schema, slot) : slot;
    batch->hashed.items[batch->hashed.count++] = (struct hashed_name){*feature, hash_mark(hash)};
    return true;
}

static bool lead_index(const struct hashing *hashing, uint32_t index, uint32_t *feature)
{
    struct memo *memo = hashing->memo ? &hashing->memo[index & (MEMO_SIZE - 1)] : NULL;
    if (memo && memo->index == index) {
        *feature = memo->feature;
        return true;
    }
    if (!lead(hashing, hash_index(index), feature))
        return false;
    if (memo)
        *memo = (struct memo){index, *feature};
    return true;
}

// Replaces what the parser has put into a row's entries; those that the model does not know go.
// *count is that of the entries so far.
static bool lead_row(const struct hashing *hashing, size_t from, size_t to, size_t *count)
{
    const struct schema *schema = hashing->schema;
    struct batch *batch = hashing->batch;
    bool indexed = schema_is_indexed(schema);
    size_t start = *count, lost = 0;
    for (size_t k = from; k < to; k++) {
        uint32_t feature = batch->indices[k];
        if (feature & BATCH_LOCAL) // the names come first in the list
            feature = batch->hashed.items[feature & ~BATCH_LOCAL].feature;
        else if (indexed && !lead_index(hashing, feature, &feature))
            return false; // else it is a column's own
        if (feature == SCHEMA_NONE) {
            lost++;
            continue;
        }
        batch->indices[*count] = feature;
        batch->values[(*count)++] = batch->values[k];
    }
    if (schema_is_csv(schema))
        batch->counts.unknown_values += lost;
    else
        batch->counts.unknown_rows += lost && *count == start;
    return true;
}

bool hash_batch(const struct schema *schema, struct batch *batch)
{
    struct hashing hashing = {.schema = schema, .batch = batch};
    if (schema_is_indexed(schema) && batch_nonzeros(batch) >= MEMO_MIN) {
        hashing.memo = memory_resize(NULL, MEMO_SIZE, sizeof *hashing.memo);
        if (!hashing.memo)
            return false;
        memset(hashing.memo, 0xFF, MEMO_SIZE * sizeof *hashing.memo);
    }
    batch->hashed.count = 0;
    bool fine = true;
    for (uint32_t i = 0; fine && i < batch->names.count; i++) {
        uint32_t feature;
        fine =
            lead(&hashing, hash_name(table_text(&batch->names, i), table_length(&batch->names, i)),
                 &feature);
    }
    for (uint32_t i = 0; fine && i < batch->large.count; i++) {
        uint32_t feature;
        fine = lead(&hashing, hash_index(batch->large.items[i]), &feature);
    }
    size_t count = 0, from = 0;
    for (size_t i = 0; fine && i < batch->rows; i++) {
        size_t to = batch->offsets[i + 1];
        fine = lead_row(&hashing, from, to, &count);
        from = to;
        batch->offsets[i + 1] = (uint32_t)count;
    }
    memory_free(hashing.memo);
    batch->direct = NO_INDICES;
    return fine && hash_fold(batch);
}

// ---- rows ----

float hash_sum(float a, float b)
{
    double sum = (double)a + (double)b;
    return sum > FLT_MAX ? FLT_MAX : sum < -FLT_MAX ? -FLT_MAX : (float)sum;
}

// Entries of a row: the `from` first to the `to` first are put after the `start` first.
struct fold {
    uint32_t *indices;
    float *values;
    uint32_t *places; // [mask + 1] where a feature is: more than there are entries
    size_t mask;
    bool folded; // anything in any row
};

// Each feature once; where the entries end then.
static size_t fold_row(struct fold *fold, size_t from, size_t to, size_t start)
{
    uint32_t *places = fold->places, *indices = fold->indices;
    float *values = fold->values;
    size_t count = start, mask = fold->mask;
    assert((mask & (mask + 1)) == 0 && to - from <= mask); // so a search always ends
    bool folded = false;
    memset(places, 0xFF, (mask + 1) * sizeof *places);
    for (size_t k = from; k < to; k++) {
        uint32_t feature = indices[k];
        float value = values[k];
        size_t at = feature & mask;
        while (places[at] != UINT32_MAX && indices[places[at]] != feature)
            at = (at + 1) & mask;
        if (places[at] != UINT32_MAX) {
            values[places[at]] = hash_sum(values[places[at]], value);
            folded = true;
        } else {
            places[at] = (uint32_t)count;
            indices[count] = feature;
            values[count++] = value;
        }
    }
    size_t kept = folded ? start : count;
    for (size_t k = start; folded && k < count; k++) {
        if (values[k] == 0)
            continue;
        indices[kept] = indices[k];
        values[kept++] = values[k];
    }
    fold->folded |= folded;
    return kept;
}

static size_t mask_for(size_t count)
{
    size_t size = PLACES_MIN;
    while (size < 2 * count)
        size *= 2;
    return size - 1;
}

static bool reserve_places(struct batch *batch, size_t count)
{
    return memory_reserve(&batch->scratch.places, &batch->scratch.places_capacity,
                          mask_for(count) + 1, sizeof *batch->scratch.places);
}

bool hash_fold(struct batch *batch)
{
    size_t widest = 0, count = 0, from = 0;
    for (size_t i = 0; i < batch->rows; i++) {
        size_t width = batch->offsets[i + 1] - batch->offsets[i];
        widest = width > widest ? width : widest;
    }
    if (!reserve_places(batch, widest))
        return false;
    struct fold fold = {batch->indices, batch->values, batch->scratch.places, 0, false};
    for (size_t i = 0; i < batch->rows; i++) {
        size_t to = batch->offsets[i + 1];
        fold.mask = mask_for(to - from);
        count = fold_row(&fold, from, to, count);
        from = to;
        batch->offsets[i + 1] = (uint32_t)count;
    }
    batch->ones &= !fold.folded;
    return true;
}

bool hash_fold_row(struct batch *scratch, uint32_t *features, float *values, size_t *count)
{
    if (!reserve_places(scratch, *count))
        return false;
    struct fold fold = {features, values, scratch->scratch.places, mask_for(*count), false};
    *count = fold_row(&fold, 0, *count, 0);
    return true;
}
