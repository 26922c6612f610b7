// Any bytes as a proof and its data, with a form feed between them. The proof is tried as it is,
// and with a last line whose checksum is right, so that more than that line is looked at. The
// verdict is the same twice, and a rejection names a line.
#include "tlu.h"
#include "tlu_proof.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void try(const char *proof, size_t proof_size, const char *data, size_t data_size)
{
    tlu_proof_report *first, *second;
    tlu_error error;
    if (tlu_proof_check(proof, proof_size, data, data_size, &first, &error) != TLU_OK)
        return; // built without GMP
    if (tlu_proof_check(proof, proof_size, data, data_size, &second, &error) != TLU_OK ||
        first->accepted != second->accepted || first->line != second->line ||
        strcmp(first->reason, second->reason) != 0)
        abort();
    if (first->accepted ? !first->claim || first->rows < 2 || first->classes < 2
                        : !first->reason[0])
        abort();
    tlu_proof_report_free(first);
    tlu_proof_report_free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes, *gap = size ? memchr(text, '\f', size) : NULL;
    size_t proof_size = gap ? (size_t)(gap - text) : size;
    const char *data = gap ? gap + 1 : "";
    size_t data_size = gap ? size - proof_size - 1 : 0;
    try(text, proof_size, data, data_size);

    char *sealed = malloc(proof_size + 32);
    if (!sealed)
        return 0;
    uint64_t hash = 0xcbf29ce484222325U;
    if (proof_size)
        memcpy(sealed, text, proof_size);
    for (size_t i = 0; i < proof_size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3U;
    snprintf(sealed + proof_size, 32, "end %016llx\n", (unsigned long long)hash);
    try(sealed, proof_size + strlen("end 0123456789abcdef\n"), data, data_size);
    free(sealed);
    return 0;
}
