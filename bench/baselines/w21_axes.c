/* W21: copies of 2^24 f32 with all axes reversed, ranks 2 to 8, two threads; read and written
 * once: 128 MB.
 *
 * naive      loops in the order of the result
 * tiles      the two axes that matter are the last of the source and the last of the result
 *            (where these are short, as many as make 16 elements side by side); tiles of 16 x
 *            16 of these are read a cache line at a time from 16 rows, turned in registers by 8
 *            x 8, and stored past the caches a line at a time into 16 rows.  All other axes are
 *            loops outside
 * tiles_keep the same with stores through the caches
 * Rows of a tile stand 2^k bytes apart, so more than 8 of them evict each other: a line must be
 * read and written as a whole while it is there.  Extents here: 4096^2, 256^3, 64^4, 16^6, 8^8. */
#include "bench.h"
#include "simd.h"

enum { N = 1 << 24, TILE = 16 };
static int32_t *digits(int e, int r, int32_t n)
{
    int32_t *t = malloc((size_t)n * sizeof *t);
    for (int32_t i = 0; i < n; i++) {
        int32_t x = i, y = 0;
        for (int k = 0; k < r; k++)
            y = y * e + x % e, x /= e;
        t[i] = y;
    }
    return t;
}
static void turn8(const float *const *p, float *o, int64_t at, int half)
{
    __m256 r[8], t[8];
    for (int k = 0; k < 8; k++)
        r[k] = _mm256_loadu_ps(p[k] + at);
    for (int k = 0; k < 8; k += 2)
        t[k] = _mm256_unpacklo_ps(r[k], r[k + 1]), t[k + 1] = _mm256_unpackhi_ps(r[k], r[k + 1]);
    for (int k = 0; k < 8; k += 4) {
        r[k] = _mm256_shuffle_ps(t[k], t[k + 2], 0x44),
        r[k + 1] = _mm256_shuffle_ps(t[k], t[k + 2], 0xee);
        r[k + 2] = _mm256_shuffle_ps(t[k + 1], t[k + 3], 0x44),
              r[k + 3] = _mm256_shuffle_ps(t[k + 1], t[k + 3], 0xee);
    }
    for (int k = 0; k < 4; k++) {
        _mm256_store_ps(o + k * TILE + half, _mm256_permute2f128_ps(r[k], r[k + 4], 0x20));
        _mm256_store_ps(o + (k + 4) * TILE + half, _mm256_permute2f128_ps(r[k], r[k + 4], 0x31));
    }
}

/* e^r elements; s axes at either end make up the tiles */
static void tiles(const float *x, float *y, int e, int r, int past)
{
    int s = 1;
    int64_t side = e;
    while (side < TILE)
        side *= e, s++;
    int64_t mid = N / side / side;
    int32_t *rev = digits(e, s, (int32_t)side), *revmid = digits(e, r - 2 * s, (int32_t)mid);
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t m = 0; m < mid; m++)
        for (int64_t a = 0; a < side; a += TILE) {
            const float *p[TILE];
            float room[TILE * TILE] __attribute__((aligned(64)));
            for (int k = 0; k < TILE; k++)
                p[k] = x + (rev[a + k] * mid + m) * side;
            for (int64_t b = 0; b < side; b += TILE) {
                for (int half = 0; half < TILE; half += 8)
                    for (int low = 0; low < TILE; low += 8)
                        turn8(p + half, room + low * TILE, b + low, half);
                for (int k = 0; k < TILE; k++) {
                    float *q = y + (rev[b + k] * mid + revmid[m]) * side + a;
                    __m256 lo = _mm256_load_ps(room + k * TILE),
                           hi = _mm256_load_ps(room + k * TILE + 8);
                    if (past)
                        _mm256_stream_ps(q, lo), _mm256_stream_ps(q + 8, hi);
                    else
                        _mm256_store_ps(q, lo), _mm256_store_ps(q + 8, hi);
                }
            }
        }
    if (past)
        _mm_sfence();
    free(rev), free(revmid);
}
static void naive(const float *x, float *y, int e, int r)
{
    int64_t stride[8], block = 1;
    for (int k = 0; k < r; k++)
        stride[k] = k ? stride[k - 1] * e : 1; /* of the result's axis k in the source */
    for (int k = 1; k < r; k++)
        block *= e;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < e; i++)
        for (int64_t j = 0; j < block; j += e) {
            int64_t from = i * stride[0], rest = j / e;
            for (int k = r - 2; k > 0; k--)
                from += rest % e * stride[k], rest /= e;
            for (int64_t l = 0; l < e; l++)
                y[i * block + j + l] = x[from + l * stride[r - 1]];
        }
}
static void copy(const float *x, float *y)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < N; i += 16)
        _mm256_stream_ps(y + i, _mm256_load_ps(x + i)),
            _mm256_stream_ps(y + i + 8, _mm256_load_ps(x + i + 8));
}

int main(void)
{
    static const struct {
        int e, r;
    } of[] = {{4096, 2}, {256, 3}, {64, 4}, {16, 6}, {8, 8}};
    float *x = bench_alloc((size_t)N * 4, PAGES_HUGE), *y = bench_alloc((size_t)N * 4, PAGES_HUGE),
          *z = bench_alloc((size_t)N * 4, PAGES_HUGE);
    double b = 8.0 * N;
    for (int32_t i = 0; i < N; i++)
        x[i] = (float)i;
    BENCH("W21", "copy", b, "GB/s", copy(x, z));
    for (int k = 0; k < 5; k++) {
        char name[24];
        int e = of[k].e, r = of[k].r;
        snprintf(name, sizeof name, "W21_rank%d", r);
        naive(x, y, e, r);
        tiles(x, z, e, r, 1);
        bench_check(name, !memcmp(y, z, (size_t)N * 4));
        BENCH(name, "naive", b, "GB/s", naive(x, y, e, r));
        BENCH(name, "tiles", b, "GB/s", tiles(x, z, e, r, 1));
        BENCH(name, "tiles_keep", b, "GB/s", tiles(x, z, e, r, 0));
    }
    return 0;
}
