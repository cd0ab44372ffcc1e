/* isa.c - see isa.h. */
#include "isa/isa.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The build contains all three on x86-64 (x86-64-v3 and -v4), the base alone elsewhere. */
static lun_isa widest(void)
{
#ifdef __x86_64__
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    return v4 ? LUN_ISA_AVX512 : v3 ? LUN_ISA_AVX2 : LUN_ISA_BASE;
#else
    return LUN_ISA_BASE;
#endif
}

/* Written once, before anything runs: what was compiled for one is not run by another. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static lun_isa here = LUN_ISA_BASE;

static void look(void)
{
    const char *word = getenv("LUNARRAY_ISA");
    here = widest();
    for (lun_isa i = LUN_ISA_BASE; word && i < here; i++)
        if (!strcmp(word, lun__isa_name(i)))
            here = i;
}

lun_isa lun__isa_here(void)
{
    pthread_once(&once, look);
    return here;
}

int lun__isa_bytes(lun_isa isa)
{
    return 16 << (int)isa;
}

const char *lun__isa_name(lun_isa isa)
{
    return isa == LUN_ISA_AVX512 ? "avx512" : isa == LUN_ISA_AVX2 ? "avx2" : "base";
}
