// Networks in the languages that they are written in, one file per language.
#ifndef TLU_LOGIC_NET_WRITE_H
#define TLU_LOGIC_NET_WRITE_H

#include "base/error.h"
#include "input/write.h"
#include "logic/net/names.h"
#include "tlu_logic.h"

struct pen {
    const struct tlu_network *network;
    struct names names;
    size_t column; // bytes of the line so far
    struct text_out out;
};

struct language {
    const char *name;
    struct spelling spelling;
    bool (*write)(struct pen *pen); // false: out of memory
};

extern const struct language text_language, json_language, dot_language, verilog_language,
    c_language;

void pen_put(struct pen *pen, const char *format, ...) PRINTF_LIKE(2, 3);
// A text of any length.
void pen_text(struct pen *pen, const char *text);
// A name as the text form has it: as it is, or in double quotes.
void pen_name(struct pen *pen, const char *name);
// A blank, or a new line that begins with some if the next `length` bytes would go past LINE_LIMIT.
void pen_blank(struct pen *pen, size_t length, int indent);
#define LINE_LIMIT 100

#endif
