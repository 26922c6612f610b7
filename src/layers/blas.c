// Products of matrices by OpenBLAS, which fuses products with sums and adds in an order of its own:
// other bits than the kernels', and perhaps others again with another version, CPU or number of
// threads.
#include "layers/work.h"

#include <string.h>

#ifdef TLU_HAVE_OPENBLAS
#include <cblas.h>

void openblas_set_num_threads(int threads); // cblas.h may be that of another BLAS
int openblas_get_num_threads(void);

bool blas_is_there(void)
{
    return true;
}

void blas_product(const struct product *p)
{
    size_t rows = p->last - p->first;
    float *out = p->out + p->first * p->wide;
    bool turned = p->a_term != 1;
    for (size_t i = 0; i < rows; i++) {
        if (p->start)
            memcpy(out + i * p->wide, p->start, p->wide * sizeof(float));
        else
            memset(out + i * p->wide, 0, p->wide * sizeof(float));
    }
    cblas_sgemm(CblasRowMajor, turned ? CblasTrans : CblasNoTrans, CblasNoTrans, (int)rows,
                (int)p->wide, (int)p->terms, 1, p->a + p->first * p->a_row,
                (int)(turned ? p->a_term : p->a_row), p->b, (int)p->wide, 1, out, (int)p->wide);
}

int blas_set_threads(int threads)
{
    int before = openblas_get_num_threads();
    openblas_set_num_threads(threads);
    return before;
}

#else

bool blas_is_there(void)
{
    return false;
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
