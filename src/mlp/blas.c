// Products of matrices by OpenBLAS, which fuses products with sums and adds in an order of its own:
// other bits than those of simd.h, and perhaps others again with another version, CPU or number of
// threads.
#include "base/memory.h"
#include "mlp/work.h"

#include <string.h>

#ifdef TLU_HAVE_OPENBLAS
#include "base/load/library.h"

#include <cblas.h>

#define BLAS_FILE "libopenblas.so.0"

// Loaded when a net first asks for it.
struct blas {
    __typeof__(&cblas_sgemm) sgemm;
    void (*set_threads)(int threads); // cblas.h may be that of another BLAS
    int (*get_threads)(void);
};

static enum library_state blas_load(struct blas *blas, char *why)
{
    static const char *const names[] = {"cblas_sgemm", "openblas_set_num_threads",
                                        "openblas_get_num_threads"};
    _Static_assert(sizeof names == sizeof *blas, "a name for each pointer");
    return library_load(BLAS_FILE, names, blas, LIBRARY_COUNT(*blas), true, why);
}

tlu_status blas_check(tlu_error *error)
{
    struct blas blas;
    char why[LIBRARY_WHY];
    enum library_state state = blas_load(&blas, why);
    if (state == LIBRARY_NO_SPACE)
        return error_memory(error);
    if (state == LIBRARY_MISSING)
        return error_input(
            error, "--blas yes: OpenBLAS cannot be loaded (on Debian libopenblas0): %s", why);
    return TLU_OK;
}

bool blas_fits(size_t threads)
{
    return memory_is_free(library_blas_buffers(threads));
}

void blas_product(const struct product *p)
{
    size_t rows = p->last - p->first;
    float *out = p->out + p->first * p->wide;
    bool turned = p->a_row < p->terms; // its rows lie beside each other, not one after the other
    struct blas blas;
    if (blas_load(&blas, NULL) != LIBRARY_LOADED) // which is known before a net relies on it
        return;
    for (size_t i = 0; i < rows; i++) {
        if (p->start)
            memcpy(out + i * p->wide, p->start, p->wide * sizeof(float));
        else
            memset(out + i * p->wide, 0, p->wide * sizeof(float));
    }
    blas.sgemm(CblasRowMajor, turned ? CblasTrans : CblasNoTrans, CblasNoTrans, (int)rows,
               (int)p->wide, (int)p->terms, 1, p->a + p->first * p->a_row,
               (int)(turned ? p->a_term : p->a_row), p->b, (int)p->wide, 1, out, (int)p->wide);
}

int blas_set_threads(int threads)
{
    struct blas blas;
    if (blas_load(&blas, NULL) != LIBRARY_LOADED)
        return threads;
    int before = blas.get_threads();
    blas.set_threads(threads);
    return before;
}

#else

tlu_status blas_check(tlu_error *error)
{
    return error_input(error,
                       "--blas yes: this tlu was built without OpenBLAS: install it (Debian: "
                       "libopenblas-dev) and build again");
}

bool blas_fits(size_t threads)
{
    (void)threads;
    return true;
}

void blas_product(const struct product *product)
{
    layer_best()->product(product);
}

int blas_set_threads(int threads)
{
    return threads;
}

#endif
