// What both sides of the model file share. docs/model-format.md describes every byte.
#ifndef TLU_MODEL_FILE_FORMAT_H
#define TLU_MODEL_FILE_FORMAT_H

// As in PNG: a byte that is not ASCII, a name, and line ends that a transfer as text would spoil.
#define FORMAT_MAGIC "\x89TLU\r\n\x1A\n"

enum {
    FORMAT_VERSION = 1,
    FORMAT_MAGIC_SIZE = 8,
    FORMAT_HEADER_SIZE = 20,  // magic, version (4), size of the file (8)
    FORMAT_SECTION_SIZE = 12, // tag (4), length (8)
    FORMAT_CHECKSUM_SIZE = 4,
    FORMAT_TAG_SIZE = 4
};

// Arrays of numbers: two bits per number say how it is stored. Most weights of a sparse problem are
// 0, and the perceptron's are whole numbers if those of the data are.
enum number_code {
    CODE_ZERO,   // not at all
    CODE_SHORT,  // a whole number in 2 bytes
    CODE_SINGLE, // a float, if that is exact
    CODE_DOUBLE
};

#endif
