#include "base/packet.h"

#include "base/memory.h"

#include <string.h>

static unsigned char *reserve(struct packet *packet, size_t size)
{
    if (packet->no_memory ||
        !memory_reserve(&packet->bytes, &packet->capacity, packet->size + size, 1)) {
        packet->no_memory = true;
        return NULL;
    }
    return packet->bytes + packet->size;
}

void packet_put(struct packet *packet, const void *bytes, size_t size)
{
    unsigned char *to = reserve(packet, size);
    if (!to || size == 0)
        return;
    memcpy(to, bytes, size);
    packet->size += size;
}

void packet_put_count(struct packet *packet, uint64_t count)
{
    unsigned char *to = reserve(packet, 10);
    for (; to && count >= 128; count >>= 7, packet->size++)
        *to++ = (unsigned char)(count | 128);
    if (to) {
        *to = (unsigned char)count;
        packet->size++;
    }
}

void packet_put_text(struct packet *packet, const char *text, size_t length)
{
    packet_put_count(packet, length);
    packet_put(packet, text, length);
}

void packet_free(struct packet *packet)
{
    memory_free(packet->bytes);
    *packet = (struct packet){0};
}

void packet_get(struct packet_reader *reader, void *bytes, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size) {
        reader->bad = true;
        reader->at = reader->end;
        memset(bytes, 0, size);
    } else if (size) {
        memcpy(bytes, reader->at, size);
        reader->at += size;
    }
}

uint64_t packet_get_count(struct packet_reader *reader)
{
    uint64_t count = 0;
    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        unsigned char byte = *reader->at++;
        count |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return count;
    }
    reader->bad = true;
    return 0;
}

const char *packet_get_text(struct packet_reader *reader, size_t *length)
{
    uint64_t size = packet_get_count(reader);
    const char *text = (const char *)reader->at;
    if ((uint64_t)(reader->end - reader->at) < size) {
        reader->bad = true;
        size = 0;
    }
    *length = (size_t)size;
    reader->at += size;
    return text;
}
