// The floating-point environment: rounding mode, flushing of subnormal numbers to zero, and
// exceptions that trap. The library computes in the default one (round to nearest, keep subnormal
// numbers, no traps), whatever the caller has set, so that results are the same bits everywhere.
//
//     tlu_status tlu_train(...)
//     {
//         FP_ENV_DEFAULT(caller);
//
// sets the default environment until the function returns, and then restores the caller's. Every
// public function that computes, parses or prints numbers begins with it
// (scripts/check-architecture). If the caller has the default already, this costs a few
// instructions and changes nothing. The exception flags are not included: the library may raise
// them.
#ifndef TLU_BASE_CALL_FP_ENV_H
#define TLU_BASE_CALL_FP_ENV_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define FP_ENV_X86
#elif defined(__GNUC__) && defined(__aarch64__)
#define FP_ENV_ARM64
#else
#include <fenv.h>
#endif

struct fp_env {
#if defined(FP_ENV_X86)
    uint32_t mxcsr;
    uint16_t x87; // control word: libc uses its rounding when it reads and prints numbers
#elif defined(FP_ENV_ARM64)
    uint64_t fpcr;
#else
    fenv_t all;
#endif
    bool is_default;
};

static inline void fp_env_get(struct fp_env *env)
{
#if defined(FP_ENV_X86)
    __asm__ volatile("fnstcw %0" : "=m"(env->x87));
#ifdef __SSE__
    __asm__ volatile("stmxcsr %0" : "=m"(env->mxcsr));
#else
    env->mxcsr = 0x1f80;
#endif
    // Bits 0 to 5 of MXCSR are flags.
    env->is_default = env->x87 == 0x037f && (env->mxcsr & 0xffc0) == 0x1f80;
#elif defined(FP_ENV_ARM64)
    __asm__ volatile("mrs %0, fpcr" : "=r"(env->fpcr));
    env->is_default = env->fpcr == 0;
#else
    fegetenv(&env->all);
    env->is_default = false; // fenv.h cannot tell which exceptions trap
#endif
}

void fp_env_set(const struct fp_env *env);
void fp_env_set_default(void);

// Sets the default environment; *before is the one that it replaces.
static inline void fp_env_begin(struct fp_env *before)
{
    fp_env_get(before);
    if (__builtin_expect(!before->is_default, 0))
        fp_env_set_default();
}

static inline void fp_env_end(const struct fp_env *before)
{
    if (__builtin_expect(!before->is_default, 0))
        fp_env_set(before);
}

#define FP_ENV_DEFAULT(caller)                                                                     \
    struct fp_env caller __attribute__((cleanup(fp_env_end)));                                     \
    fp_env_begin(&caller)

#endif
