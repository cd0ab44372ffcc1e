/* W14: sweeps over windows of an array, f64: the mean of an element and its neighbours, written
 * to the inside of a second array; the border stays.  Rank 2 (5 windows) and rank 3 (7 windows).
 *
 * plain      a loop over rows, as by hand
 * staged     every window is copied into a buffer, a kernel over whole blocks of 64 runs on the
 *            buffers, its result is copied into the window
 * standin    a kernel of whole blocks is called for each row with a pointer for each window;
 *            what is left of a row behind its whole blocks goes through one block of memory
 *            beside
 * rows       the same with a kernel that ends where the row ends: blocks, then vectors, then
 *            elements
 * All give the bits of plain. */
#include "bench.h"

typedef double v4 __attribute__((vector_size(32)));
typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));
enum { MOST = 8, STAGE = 2048, BLOCK = 64 };

typedef struct {
    double *slot[MOST]; /* windows, then the result */
    int64_t step[MOST]; /* elements from row to row */
    int64_t rows;
} frame;
typedef void kernel(frame *f, int64_t n);

static inline v4 at(const double *p)
{
    return (v4) * (const loose *)p;
}

#define MEAN5(i, L) ((L(0, i) + L(1, i) + L(2, i) + L(3, i) + L(4, i)) / 5.0)
#define MEAN7(i, L) ((L(0, i) + L(1, i) + L(2, i) + L(3, i) + L(4, i) + L(5, i) + L(6, i)) / 7.0)
#define VEC(k, i)   at(s##k + (i))
#define ONE(k, i)   (s##k[i])
#define NAMES5                                                                           \
    const double *s0 = f->slot[0], *s1 = f->slot[1], *s2 = f->slot[2], *s3 = f->slot[3], \
                 *s4 = f->slot[4];                                                       \
    double *o = f->slot[5]
#define NAMES7                                                                           \
    const double *s0 = f->slot[0], *s1 = f->slot[1], *s2 = f->slot[2], *s3 = f->slot[3], \
                 *s4 = f->slot[4], *s5 = f->slot[5], *s6 = f->slot[6];                   \
    double *o = f->slot[7]

/* whole blocks, beyond n where n is no multiple */
#define BLOCKS(name, NAMES, EXPR)                                   \
    static __attribute__((noinline)) void name(frame *f, int64_t n) \
    {                                                               \
        NAMES;                                                      \
        for (int64_t b = 0; b < n; b += BLOCK)                      \
            for (int k = 0; k < BLOCK; k += 4)                      \
                *(loose *)(o + b + k) = EXPR(b + k, VEC);           \
    }
/* up to n and no further */
#define EXACT(name, NAMES, EXPR)                                    \
    static __attribute__((noinline)) void name(frame *f, int64_t n) \
    {                                                               \
        NAMES;                                                      \
        int64_t i = 0;                                              \
        for (; i + BLOCK <= n; i += BLOCK)                          \
            for (int k = 0; k < BLOCK; k += 4)                      \
                *(loose *)(o + i + k) = EXPR(i + k, VEC);           \
        for (; i + 4 <= n; i += 4)                                  \
            *(loose *)(o + i) = EXPR(i, VEC);                       \
        for (; i < n; i++)                                          \
            o[i] = EXPR(i, ONE);                                    \
    }
BLOCKS(blocks5, NAMES5, MEAN5)
BLOCKS(blocks7, NAMES7, MEAN7)
EXACT(exact5, NAMES5, MEAN5)
EXACT(exact7, NAMES7, MEAN7)

/* ---- one sweep, `rows` rows of n, windows at offset[] from the first inner element ----------- */
typedef struct {
    const double *a;
    double *b;
    int64_t rank, e[3], off[MOST];
    int slots;
    kernel *block, *exact;
} sweep;

/* the first element of inner row r */
static inline int64_t row_at(const sweep *w, int64_t r)
{
    if (w->rank == 2)
        return (r + 1) * w->e[1] + 1;
    int64_t in = w->e[1] - 2;
    return ((r / in + 1) * w->e[1] + r % in + 1) * w->e[2] + 1;
}
static inline int64_t rows_of(const sweep *w)
{
    return w->rank == 2 ? w->e[0] - 2 : (w->e[0] - 2) * (w->e[1] - 2);
}
static inline int64_t line_of(const sweep *w)
{
    return w->e[w->rank - 1] - 2;
}

static void plain(const sweep *w, int threads)
{
    int64_t rows = rows_of(w), n = line_of(w);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        int64_t k = row_at(w, r);
        const double *restrict m = w->a + k;
        double *restrict o = w->b + k;
        const int64_t y = w->e[w->rank - 1], z = y * w->e[1];
        if (w->rank == 2) {
#pragma omp simd
            for (int64_t j = 0; j < n; j++)
                o[j] = (m[j] + m[j - y] + m[j + y] + m[j - 1] + m[j + 1]) / 5.0;
        } else {
#pragma omp simd
            for (int64_t j = 0; j < n; j++)
                o[j] =
                    (m[j] + m[j - z] + m[j + z] + m[j - y] + m[j + y] + m[j - 1] + m[j + 1]) / 7.0;
        }
    }
}

static void rows(const sweep *w, int threads)
{
    int64_t count = rows_of(w), n = line_of(w);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t r = 0; r < count; r++) {
        frame f;
        int64_t k = row_at(w, r);
        for (int s = 0; s < w->slots; s++)
            f.slot[s] = (double *)(uintptr_t)w->a + k + w->off[s];
        f.slot[w->slots] = w->b + k;
        w->exact(&f, n);
    }
}

/* whole blocks in place, the rest of each row through stand-ins of one block */
static void standin(const sweep *w, int threads)
{
    int64_t count = rows_of(w), n = line_of(w), whole = n / BLOCK * BLOCK, rest = n - whole;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t r = 0; r < count; r++) {
        frame f;
        double side[BLOCK] __attribute__((aligned(64)));
        int64_t k = row_at(w, r);
        for (int s = 0; s < w->slots; s++)
            f.slot[s] = (double *)(uintptr_t)w->a + k + w->off[s];
        f.slot[w->slots] = w->b + k;
        w->block(&f, whole);
        if (!rest)
            continue;
        for (int s = 0; s < w->slots; s++)
            f.slot[s] += whole; /* reads may go beyond a row, within the array */
        f.slot[w->slots] = side;
        w->block(&f, rest);
        memcpy(w->b + k + whole, side, (size_t)rest * sizeof *side);
    }
}

static void staged(const sweep *w, int threads)
{
    int64_t count = rows_of(w), n = line_of(w), all = count * n;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t lo = 0; lo < all; lo += STAGE) {
        static _Thread_local double room[MOST][STAGE] __attribute__((aligned(64)));
        int64_t hi = lo + STAGE < all ? lo + STAGE : all;
        frame f;
        for (int s = 0; s < w->slots; s++) {
            for (int64_t i = lo; i < hi;) {
                int64_t r = i / n, j = i % n, m = n - j < hi - i ? n - j : hi - i;
                memcpy(room[s] + (i - lo), w->a + row_at(w, r) + w->off[s] + j,
                       (size_t)m * sizeof(double));
                i += m;
            }
            f.slot[s] = room[s];
        }
        f.slot[w->slots] = room[w->slots];
        w->block(&f, hi - lo);
        for (int64_t i = lo; i < hi;) {
            int64_t r = i / n, j = i % n, m = n - j < hi - i ? n - j : hi - i;
            memcpy(w->b + row_at(w, r) + j, room[w->slots] + (i - lo), (size_t)m * sizeof(double));
            i += m;
        }
    }
}

static void run(const char *name, int rank, int64_t e, int reps, int threads)
{
    size_t n = 1;
    for (int k = 0; k < rank; k++)
        n *= (size_t)e;
    double *a = bench_alloc((n + 256) * sizeof *a, PAGES_HUGE),
           *b = bench_alloc((n + 256) * sizeof *b, PAGES_HUGE);
    double *c = bench_alloc(n * sizeof *c, PAGES_HUGE);
    for (size_t i = 0; i < n; i++)
        a[i] = (double)((uint32_t)i * 2654435761u >> 8) * 0x1p-24;
    memcpy(b, a, n * sizeof *a);
    sweep w = {.a = a, .b = b, .rank = rank, .e = {e, e, e}};
    int64_t o2[] = {0, -e, e, -1, 1}, o3[] = {0, -e * e, e * e, -e, e, -1, 1};
    w.slots = rank == 2 ? 5 : 7;
    memcpy(w.off, rank == 2 ? o2 : o3, sizeof(int64_t) * (size_t)w.slots);
    w.block = rank == 2 ? blocks5 : blocks7;
    w.exact = rank == 2 ? exact5 : exact7;
    double work = (double)rows_of(&w) * (double)line_of(&w) * reps;
    plain(&w, threads);
    memcpy(c, b, n * sizeof *c);
    void (*all[])(const sweep *, int) = {staged, standin, rows};
    for (int v = 0; v < 3; v++) {
        memset(b, 0, n * sizeof *b);
        for (size_t i = 0; i < n; i++)
            b[i] = a[i];
        all[v](&w, threads);
        bench_check(name, memcmp(b, c, n * sizeof *b) == 0);
    }
    BENCH(name, "plain", work, "Gelem/s", for (int k = 0; k < reps; k++) plain(&w, threads));
    BENCH(name, "staged", work, "Gelem/s", for (int k = 0; k < reps; k++) staged(&w, threads));
    BENCH(name, "standin", work, "Gelem/s", for (int k = 0; k < reps; k++) standin(&w, threads));
    BENCH(name, "rows", work, "Gelem/s", for (int k = 0; k < reps; k++) rows(&w, threads));
}

int main(void)
{
    for (int t = 1; t <= 2; t++) {
        char name[8][24];
        const struct {
            int rank;
            int64_t e;
            int reps;
        } of[] = {{2, 30, 1000}, {2, 250, 100}, {2, 2800, 2}, {3, 40, 100}, {3, 180, 4}};
        for (int k = 0; k < 5; k++) {
            snprintf(name[k], sizeof name[k], "W14_%d_%d_t%d", of[k].rank, (int)of[k].e, t);
            run(name[k], of[k].rank, of[k].e, of[k].reps, t);
        }
    }
    return 0;
}
