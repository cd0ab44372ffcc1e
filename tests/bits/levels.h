/* levels.h - the loops of a level of instructions by its name. */
#ifndef BITS_LEVELS_H
#define BITS_LEVELS_H

#include <string.h>

#include "reference/instruction_loops.h"

/* NULL: this machine or build lacks it. */
static inline const lun_loops *loops_of(const char *level)
{
    if (!strcmp(level, "base"))
        return &lun__loops_base;
#ifdef __x86_64__
    if (!strcmp(level, "avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &lun__loops_avx2;
    if (!strcmp(level, "avx512") && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &lun__loops_avx512;
#endif
    return NULL;
}

#endif
