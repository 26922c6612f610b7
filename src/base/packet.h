// Bytes that one process sends to another: numbers in the order of the machine, as all processes of
// a job run the same program.
#ifndef TLU_BASE_PACKET_H
#define TLU_BASE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet {
    unsigned char *bytes; // [size]
    size_t size, capacity;
    bool no_memory; // something could not be appended
};

void packet_put(struct packet *packet, const void *bytes, size_t size);
void packet_put_count(struct packet *packet, uint64_t count); // 7 bits per byte, the lowest first
void packet_put_text(struct packet *packet, const char *text, size_t length);
void packet_free(struct packet *packet);

// Reading: a value past the end is 0, and sets `bad`.
struct packet_reader {
    const unsigned char *at, *end;
    bool bad;
};

void packet_get(struct packet_reader *reader, void *bytes, size_t size);
uint64_t packet_get_count(struct packet_reader *reader);
// The text, not terminated.
const char *packet_get_text(struct packet_reader *reader, size_t *length);

#endif
