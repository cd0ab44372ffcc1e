/* fp_mode.h - what the engine computes under: results are rounded to nearest, and no number below
 * the normal ones becomes zero.  A host may have set something else for a thread: it gets its own
 * back. */
#ifndef LUN_FP_MODE_H
#define LUN_FP_MODE_H

#include <stdint.h>

#if defined __x86_64__
/* MXCSR: rounding, flush to zero, denormals are zero; and the flags of exceptions. */
enum { LUN__FP_OTHER = 0xe040, LUN__FP_FLAGS = 0x3f };
static inline uint64_t lun__fp_mode_now(void)
{
    return __builtin_ia32_stmxcsr();
}
static inline void lun__fp_mode_set(uint64_t mode)
{
    __builtin_ia32_ldmxcsr((unsigned)mode);
}
#elif defined __aarch64__
/* FPCR: rounding, FZ, FZ16; it has no flags. */
enum { LUN__FP_OTHER = 0x3 << 22 | 1 << 24 | 1 << 19, LUN__FP_FLAGS = 0 };
static inline uint64_t lun__fp_mode_now(void)
{
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}
static inline void lun__fp_mode_set(uint64_t mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}
#else
enum { LUN__FP_OTHER = 0, LUN__FP_FLAGS = 0 };
static inline uint64_t lun__fp_mode_now(void)
{
    return 0;
}
static inline void lun__fp_mode_set(uint64_t mode)
{
    (void)mode;
}
#endif

/* From here on this thread computes so; gives what lun__fp_mode_leave takes. */
static inline uint64_t lun__fp_mode_enter(void)
{
    const uint64_t before = lun__fp_mode_now();
    if (before & LUN__FP_OTHER)
        lun__fp_mode_set(before & ~(uint64_t)LUN__FP_OTHER);
    return before;
}

/* The thread's own mode again, with the flags that have been raised meanwhile. */
static inline void lun__fp_mode_leave(uint64_t before)
{
    if (before & LUN__FP_OTHER)
        lun__fp_mode_set(before | (lun__fp_mode_now() & LUN__FP_FLAGS));
}

#endif
