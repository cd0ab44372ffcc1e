/* hand.cl - the workloads as one writes them by hand: for a graphics processor one element at a time and
 * trees in local memory, for a processor (CPU is 1) vectors of 16 and one work-item a group. */
#pragma OPENCL FP_CONTRACT OFF

#if CPU
typedef float16 real;
#define LANES 16
#else
typedef float real;
#define LANES 1
#endif

/* Which elements a work-item takes of n (in units of LANES): a processor's one after the other, a
 * graphics processor's side by side. */
#if CPU
#define EACH(i, count)                                                                    \
    long share_##i = ((count) + get_num_groups(0) - 1) / get_num_groups(0),               \
         i = get_group_id(0) * share_##i, end_##i = min(i + share_##i, (long)(count));    \
    for (; i < end_##i; i++)
#else
#define EACH(i, count) for (long i = get_global_id(0); i < (count); i += get_global_size(0))
#endif

__kernel void w1(__global const real *a, __global const real *b, __global const real *c,
                 __global const real *d, __global real *e, long n)
{
    EACH(i, n / LANES) e[i] = (a[i] + b[i]) * (c[i] + d[i]);
}

__kernel void w2(__global real *a, __global const real *b, __global const real *c, float s, long n)
{
    EACH(i, n / LANES) a[i] = b[i] + s * c[i];
}

/* ---- reductions: partial results by group, added up by the host ----------------------------------- */

#if CPU
double fold(float16 v)
{
    float8 h = v.lo + v.hi;
    float4 q = h.lo + h.hi;
    return (double)(q.x + q.y) + (double)(q.z + q.w);
}
#define PARTIAL(out, slot, value) out[slot] = fold(value)
#else
#define PARTIAL(out, slot, value)                                   \
    {                                                               \
        __local float tree[256];                                    \
        int l = get_local_id(0);                                    \
        tree[l] = value;                                            \
        for (int s = 128; s > 0; s /= 2) {                          \
            barrier(CLK_LOCAL_MEM_FENCE);                           \
            if (l < s)                                              \
                tree[l] += tree[l + s];                             \
        }                                                           \
        if (l == 0)                                                 \
            out[slot] = tree[0];                                    \
        barrier(CLK_LOCAL_MEM_FENCE);                               \
    }
#endif

__kernel void sum(__global const real *a, __global double *out, long n)
{
    real acc = 0, more = 0;
    EACH(i, n / LANES / 2)
    {
        acc += a[2 * i];
        more += a[2 * i + 1];
    }
    PARTIAL(out, get_group_id(0), acc + more)
    ;
}

/* The same, added up in f64. */
#if CPU
#define WIDEN(v) convert_double16(v)
typedef double16 real64;
#else
#define WIDEN(v) (double)(v)
typedef double real64;
#endif

#if CPU
double fold64(double16 v)
{
    double8 h = v.lo + v.hi;
    double4 q = h.lo + h.hi;
    return (q.x + q.y) + (q.z + q.w);
}
#define PARTIAL64(out, slot, value) out[slot] = fold64(value)
#else
#define PARTIAL64(out, slot, value)                                 \
    {                                                               \
        __local double tree[256];                                   \
        int l = get_local_id(0);                                    \
        tree[l] = value;                                            \
        for (int s = 128; s > 0; s /= 2) {                          \
            barrier(CLK_LOCAL_MEM_FENCE);                           \
            if (l < s)                                              \
                tree[l] += tree[l + s];                             \
        }                                                           \
        if (l == 0)                                                 \
            out[slot] = tree[0];                                    \
    }
#endif

__kernel void sum64(__global const real *a, __global double *out, long n)
{
    real64 acc = 0, more = 0;
    EACH(i, n / LANES / 2)
    {
        acc += WIDEN(a[2 * i]);
        more += WIDEN(a[2 * i + 1]);
    }
    PARTIAL64(out, get_group_id(0), acc + more)
    ;
}

__kernel void dot64(__global const real *a, __global const real *b, __global double *out, long n)
{
    real64 acc = 0, more = 0;
    EACH(i, n / LANES / 2)
    {
        acc += WIDEN(a[2 * i] * b[2 * i]);
        more += WIDEN(a[2 * i + 1] * b[2 * i + 1]);
    }
    PARTIAL64(out, get_group_id(0), acc + more)
    ;
}

/* Sum and sum of squares in one pass. */
__kernel void moments64(__global const real *a, __global double *out, long n)
{
    real64 acc = 0, squares = 0;
    EACH(i, n / LANES)
    {
        real64 x = WIDEN(a[i]);
        acc += x;
        squares += x * x;
    }
    PARTIAL64(out, get_group_id(0), acc)
    ;
#if !CPU
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    PARTIAL64(out, get_num_groups(0) + get_group_id(0), squares)
    ;
}

/* ---- exclusive scan of int: totals of blocks, their scan, the blocks ------------------------------- */

__kernel void block_totals(__global const int *a, __global int *totals, long n, long block)
{
    long lo = get_group_id(0) * block, hi = min(lo + block, n);
#if CPU
    int16 acc = 0;
    for (long i = lo; i < hi; i += 16)
        acc += *(__global const int16 *)(a + i);
    int8 h = acc.lo + acc.hi;
    int4 q = h.lo + h.hi;
    totals[get_group_id(0)] = q.x + q.y + q.z + q.w;
#else
    __local int tree[256];
    int l = get_local_id(0), acc = 0;
    for (long i = lo + l; i < hi; i += 256)
        acc += a[i];
    tree[l] = acc;
    for (int s = 128; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            tree[l] += tree[l + s];
    }
    if (l == 0)
        totals[get_group_id(0)] = tree[0];
#endif
}

__kernel void scan_totals(__global int *totals, long count)
{
    int carry = 0;
    for (long i = 0; i < count; i++) {
        int x = totals[i];
        totals[i] = carry;
        carry += x;
    }
}

__kernel void scan_blocks(__global const int *a, __global const int *totals, __global int *out,
                          long n, long block)
{
    long lo = get_group_id(0) * block, hi = min(lo + block, n);
    int carry = totals[get_group_id(0)];
#if CPU
    for (long i = lo; i < hi; i++) {
        int x = a[i];
        out[i] = carry;
        carry += x;
    }
#else
    __local int tree[256];
    int l = get_local_id(0);
    for (long at = lo; at < hi; at += 256) {
        int x = at + l < hi ? a[at + l] : 0;
        tree[l] = x;
        for (int s = 1; s < 256; s *= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int y = l >= s ? tree[l - s] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            tree[l] += y;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at + l < hi)
            out[at + l] = carry + tree[l] - x;
        carry += tree[255];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}

/* ---- Mandelbrot: escape counts of given points ------------------------------------------------------- */

__kernel void mandelbrot(__global const float *x, __global const float *y, __global int *out,
                         long n, long most)
{
    for (long p = get_global_id(0); p < n; p += get_global_size(0)) {
        const float cr = x[p], ci = y[p];
        float zr = 0, zi = 0;
        int k = 0;
        for (; k < most; k++) {
            float r2 = zr * zr, i2 = zi * zi;
            if (r2 + i2 > 4.0f)
                break;
            zi = 2.0f * zr * zi + ci;
            zr = r2 - i2 + cr;
        }
        out[p] = k;
    }
}

/* The same in vectors: 64 points in lock step, looked at after each 4 rounds. */
#define POINTS(j)                                                                              \
    const float16 cr##j = vload16(j, x + p), ci##j = vload16(j, y + p);                        \
    float16 zr##j = 0, zi##j = 0;                                                              \
    int16 count##j = 0, in##j = -1;
#define STEP(j)                                                                                \
    {                                                                                          \
        const float16 r2 = zr##j * zr##j, i2 = zi##j * zi##j;                                  \
        in##j &= r2 + i2 <= 4.0f;                                                              \
        count##j -= in##j;                                                                     \
        zi##j = 2.0f * zr##j * zi##j + ci##j;                                                  \
        zr##j = r2 - i2 + cr##j;                                                               \
    }

__kernel void mandelbrot_vectors(__global const float *x, __global const float *y,
                                 __global int *out, long n, long most)
{
    const long share = (n / 64 + get_num_groups(0) - 1) / get_num_groups(0) * 64,
               from = get_group_id(0) * share, to = min(from + share, n);
    for (long p = from; p < to; p += 64) {
        POINTS(0) POINTS(1) POINTS(2) POINTS(3)
        for (long k = 0; k < most; k += 4) {
            for (int r = 0; r < 4; r++) {
                STEP(0) STEP(1) STEP(2) STEP(3)
            }
            if (!any(in0 | in1 | in2 | in3))
                break;
        }
        vstore16(count0, 0, out + p);
        vstore16(count1, 1, out + p);
        vstore16(count2, 2, out + p);
        vstore16(count3, 3, out + p);
    }
}

/* ---- Monte Carlo: points of the unit square inside the circle, by Philox4x32-10 ------------------------ */

#if CPU
typedef uint16 word;
typedef ulong16 wide;
#define WORD(x)   convert_uint16(x)
#define WIDE(x)   convert_ulong16(x)
#define REAL(x)   convert_float16(x)
#define HIT(c)    (-(c))
typedef int16 count;
#else
typedef uint word;
typedef ulong wide;
#define WORD(x)   ((uint)(x))
#define WIDE(x)   ((ulong)(x))
#define REAL(x)   convert_float(x)
#define HIT(c)    (c)
typedef int count;
#endif

#define ROUND                                                                   \
    {                                                                           \
        word h0 = mul_hi(c0, (word)0xD2511F53u), l0 = c0 * 0xD2511F53u;         \
        word h1 = mul_hi(c2, (word)0xCD9E8D57u), l1 = c2 * 0xCD9E8D57u;         \
        c0 = h1 ^ c1 ^ k0;                                                      \
        c1 = l1;                                                                \
        c2 = h0 ^ c3 ^ k1;                                                      \
        c3 = l0;                                                                \
        k0 += 0x9E3779B9u;                                                      \
        k1 += 0xBB67AE85u;                                                      \
    }
#define PHILOX(seed)                                                                              \
    c0 = WORD(block), c1 = WORD(block >> 32), c2 = 0, c3 = 0;                                     \
    k0 = seed, k1 = 0;                                                                            \
    for (int r = 0; r < 10; r++)                                                                  \
        ROUND

__kernel void circle(__global int *out, long n, long seed_x, long seed_y)
{
    count hits = 0;
    EACH(i, n / 4 / LANES)
    {
#if CPU
        const ulong16 ramp = (ulong16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        wide block = (ulong)i * 16 + ramp;
#else
        wide block = i;
#endif
        word c0, c1, c2, c3;
        uint k0, k1;
        PHILOX((uint)seed_x)
        word x0 = c0, x1 = c1, x2 = c2, x3 = c3;
        PHILOX((uint)seed_y)
#define POINT(x, y)                                                                        \
    {                                                                                      \
        real px = REAL(x >> 8) * 0x1p-24f, py = REAL(y >> 8) * 0x1p-24f;                   \
        hits += HIT(px * px + py * py < 1.0f);                                             \
    }
        POINT(x0, c0)
        POINT(x1, c1)
        POINT(x2, c2)
        POINT(x3, c3)
    }
#if CPU
    int8 h = hits.lo + hits.hi;
    int4 q = h.lo + h.hi;
    out[get_group_id(0)] = q.x + q.y + q.z + q.w;
#else
    __local int tree[256];
    int l = get_local_id(0);
    tree[l] = hits;
    for (int s = 128; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            tree[l] += tree[l + s];
    }
    if (l == 0)
        out[get_group_id(0)] = tree[0];
#endif
}
