#include "stream/journal/record.h"

#include "base/crc.h"

#include <string.h>

#define MARK_SIZE 4

static const char *const marks[2][2] = {{"\xFFREC", "\xFFPLN"}, // without a model
                                        {"\xFFSAV", "\xFFMDL"}};

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
    memcpy(bytes, marks[head.model][head.plan], MARK_SIZE);
    put_number(bytes + 4, head.size, 4);
    put_number(bytes + 8, head.number, 8);
    put_number(bytes + 16, head.crc, 4);
    put_number(bytes + 20, head_crc(bytes, place), 4);
}

bool head_get(const unsigned char *bytes, uint64_t place, struct head *head)
{
    int kind = 0;
    while (kind < 4 && memcmp(bytes, marks[kind / 2][kind % 2], MARK_SIZE) != 0)
        kind++;
    if (kind == 4 || get_number(bytes + 20, 4) != head_crc(bytes, place))
        return false;
    head->model = kind / 2;
    head->plan = kind % 2;
    head->size = (uint32_t)get_number(bytes + 4, 4);
    head->number = get_number(bytes + 8, 8);
    head->crc = (uint32_t)get_number(bytes + 16, 4);
    return head->size <= RECORD_MAX;
}

void plan_head_put(unsigned char *bytes, size_t plan_size)
{
    put_number(bytes, plan_size, PLAN_HEAD);
}

void model_put(unsigned char *bytes, const struct journal_model *model)
{
    put_number(bytes, model->size, 8);
    put_number(bytes + 8, model->hash, 8);
}

bool record_of(struct head head, const char *bytes, struct journal_model *model,
               struct journal_record *record)
{
    size_t left = head.size;
    *record = (struct journal_record){.number = head.number};
    if (head.model) {
        if (left < MODEL_SIZE || (!head.plan && left > MODEL_SIZE))
            return false;
        model->size = get_number((const unsigned char *)bytes, 8);
        model->hash = get_number((const unsigned char *)bytes + 8, 8);
        record->model = model;
        bytes += MODEL_SIZE;
        left -= MODEL_SIZE;
    }
    if (head.plan) {
        uint64_t size = left < PLAN_HEAD ? 0 : get_number((const unsigned char *)bytes, PLAN_HEAD);
        if (left < PLAN_HEAD || size > left - PLAN_HEAD)
            return false;
        record->plan = bytes + PLAN_HEAD;
        record->plan_size = (size_t)size;
        bytes = record->plan + size;
        left -= PLAN_HEAD + (size_t)size;
    }
    record->bytes = bytes;
    record->size = left;
    return true;
}
