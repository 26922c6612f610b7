#include "live/journal/record.h"

#include "base/crc.h"

#include <string.h>

#define MARK "\xFFREC"
#define MARK_PLAN "\xFFPLN"
#define MARK_SIZE 4

static void put_number(unsigned char *out, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(number >> 8 * i);
}

static uint64_t get_number(const unsigned char *in, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t)in[i] << 8 * i;
    return number;
}

static uint32_t head_crc(const unsigned char *bytes, uint64_t place)
{
    unsigned char at[8];
    put_number(at, place, 8);
    return crc32_add(crc32_add(0, at, 8), bytes, HEAD_SIZE - 4);
}

void head_put(unsigned char *bytes, struct head head, uint64_t place)
{
    memcpy(bytes, head.plan ? MARK_PLAN : MARK, MARK_SIZE);
    put_number(bytes + 4, head.size, 4);
    put_number(bytes + 8, head.number, 8);
    put_number(bytes + 16, head.crc, 4);
    put_number(bytes + 20, head_crc(bytes, place), 4);
}

bool head_get(const unsigned char *bytes, uint64_t place, struct head *head)
{
    head->plan = memcmp(bytes, MARK_PLAN, MARK_SIZE) == 0;
    if ((!head->plan && memcmp(bytes, MARK, MARK_SIZE) != 0) ||
        get_number(bytes + 20, 4) != head_crc(bytes, place))
        return false;
    head->size = (uint32_t)get_number(bytes + 4, 4);
    head->number = get_number(bytes + 8, 8);
    head->crc = (uint32_t)get_number(bytes + 16, 4);
    return head->size <= RECORD_MOST;
}

void plan_head_put(unsigned char *bytes, size_t plan_size)
{
    put_number(bytes, plan_size, PLAN_HEAD);
}

bool record_of(struct head head, const char *bytes, struct journal_record *record)
{
    *record = (struct journal_record){.number = head.number, .bytes = bytes, .size = head.size};
    if (!head.plan)
        return true;
    uint64_t size = head.size < PLAN_HEAD ? 0 : get_number((const unsigned char *)bytes, PLAN_HEAD);
    if (head.size < PLAN_HEAD || size > head.size - PLAN_HEAD)
        return false;
    record->plan = bytes + PLAN_HEAD;
    record->plan_size = (size_t)size;
    record->bytes = record->plan + size;
    record->size = (size_t)(head.size - PLAN_HEAD - size);
    return true;
}
