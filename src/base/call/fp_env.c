#include "base/call/fp_env.h"

#if defined(FP_ENV_X86)

void fp_env_set(const struct fp_env *env)
{
    uint16_t raised;
    // An x87 flag that the library has raised must not trap when the caller's mask is restored.
    __asm__ volatile("fnstsw %0" : "=m"(raised));
    if (raised & ~(unsigned)env->x87 & 0x3f)
        __asm__ volatile("fnclex");
    __asm__ volatile("fldcw %0" : : "m"(env->x87) : "memory");
#ifdef __SSE__
    __asm__ volatile("ldmxcsr %0" : : "m"(env->mxcsr) : "memory");
#endif
}

void fp_env_set_default(void)
{
    fp_env_set(&(struct fp_env){.mxcsr = 0x1f80, .x87 = 0x037f});
}

#elif defined(FP_ENV_ARM64)

void fp_env_set(const struct fp_env *env)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(env->fpcr) : "memory");
}

void fp_env_set_default(void)
{
    fp_env_set(&(struct fp_env){0});
}

#else

void fp_env_set(const struct fp_env *env)
{
    fesetenv(&env->all);
}

void fp_env_set_default(void)
{
    fesetenv(FE_DFL_ENV);
}

#endif
