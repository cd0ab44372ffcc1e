/* simd.h - what the "limit" variants share. Those with intrinsics are left out where the compiler's
 * target has no AVX-512; the plain variants always remain. */
#ifndef SIMD_H
#define SIMD_H
#ifdef __AVX512F__
#include <immintrin.h>
#endif
#include <omp.h>
#include <stddef.h>

/* Even share of [0,n) for the calling thread, cut at multiples of `grain`. */
static inline void share(size_t n, size_t grain, size_t *lo, size_t *hi)
{
    size_t nt = (size_t)omp_get_num_threads(), id = (size_t)omp_get_thread_num();
    size_t blocks = (n + grain - 1) / grain, per = (blocks + nt - 1) / nt;
    size_t a = id * per * grain, b = (id + 1) * per * grain;
    *lo = a < n ? a : n;
    *hi = b < n ? b : n;
}
#endif
