/* transpose.c - transposition of a matrix in registers, for elements of each size; see plane.h.
 *
 * A tile has as many rows as columns, N, as a vector has elements.  Its columns are N vectors;
 * interleaving vector i with vector i + N / 2, log2 N times over, leaves rows.  Tiles are taken in
 * blocks of a cache line by a cache line; the last ones of a side overlap their neighbours where
 * the side is no multiple of them.
 *
 * Vectors have 16 bytes, or 32 or 64 where the processor can and elements are large enough for a
 * tile to fit its registers.  With 64, a whole line, lines are loaded and stored once, so that a
 * pitch that brings them all to one set of the cache does no harm. */
#include "base/layout/plane.h"

#include <string.h>

#include "base/layout/vector_transpose.h"

#if defined(__clang__) || __GNUC__ >= 12 /* __builtin_shufflevector */

enum {
    LINE = 64,
    LINES = 8,      /* of a column, transposed before the next columns */
    NEAR = 1 << 18, /* bytes of a matrix that is in the nearer caches if it is in any */
};

/* to[i][j] = from[j][i] for i, j < N; pitches in bytes. */
#define TILE(name, T, N, TARGET)                                                                \
    TARGET static inline void tile_##name(char *to, int64_t to_pitch, const char *from,         \
                                          int64_t from_pitch)                                   \
    {                                                                                           \
        typedef T vector __attribute__((vector_size(N * sizeof(T))));                           \
        vector v[N], w[N];                                                                      \
        UNROLLED for (int i = 0; i < N; i++) memcpy(&v[i], from + i * from_pitch, sizeof v[i]); \
        TURN(N, v, w)                                                                           \
        UNROLLED for (int i = 0; i < N; i++) memcpy(to + i * to_pitch, &v[i], sizeof v[i]);     \
    }

/* What is transposed; pitches in bytes. */
typedef struct matrix {
    int64_t rows, n; /* of the target */
    char *to;
    int64_t to_pitch;
    const char *from;
    int64_t from_pitch;
} matrix;

typedef void tile_fn(char *to, int64_t to_pitch, const char *from, int64_t from_pitch);

static inline int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The tiles that begin within a line by a line from (row, column) on. */
static inline __attribute__((always_inline)) void
block(const matrix *m, int64_t row, int64_t column, int size, int side, tile_fn *tile)
{
    int64_t rows = less(m->rows, row + LINE / size), n = less(m->n, column + LINE / size);
    for (int64_t i = column; i < n; i += side) {
        int64_t c = less(i, m->n - side);
        for (int64_t j = row; j < rows; j += side) {
            int64_t r = less(j, m->rows - side);
            tile(m->to + r * m->to_pitch + c * size, m->to_pitch,
                 m->from + c * m->from_pitch + r * size, m->from_pitch);
        }
    }
}

/* A whole line by a whole line by way of contiguous memory. */
static inline __attribute__((always_inline)) void
block_apart(const matrix *m, int64_t row, int64_t column, int size, int side, tile_fn *tile)
{
    enum { MOST = LINE * LINE };
    char from[MOST], to[MOST];
    int lines = LINE / size;
    const matrix apart = {lines, lines, to, LINE, from, LINE};
    for (int i = 0; i < lines; i++)
        memcpy(from + i * LINE, m->from + (column + i) * m->from_pitch + row * size, LINE);
    block(&apart, 0, 0, size, side, tile);
    for (int i = 0; i < lines; i++)
        memcpy(m->to + (row + i) * m->to_pitch + column * size, to + i * LINE, LINE);
}

/* Whether lines of this pitch, as many as a block has, are too many for the sets of the nearest
 * cache that they may take: 8 of each 64, as most processors have it. */
static bool is_crowded(int64_t pitch, int size)
{
    enum { SETS = 64, WAYS = 8 };
    int64_t power = pitch & -pitch;
    return power * (LINE / size) > SETS * WAYS * LINE;
}

/* The columns of the next block, `lines` lines of each. */
static inline void fetch(const matrix *m, int64_t row, int64_t column, int size, int64_t lines)
{
    int64_t n = less(m->n, column + LINE / size);
    for (; column < n; column++)
        for (int64_t i = 0; i < lines; i++)
            __builtin_prefetch(m->from + column * m->from_pitch + row * size + i * LINE, 0, 2);
}

static inline __attribute__((always_inline)) void blocks(const matrix *m, int size, int side,
                                                         tile_fn *tile)
{
    int64_t line = LINE / size;
    bool far = m->n * (m->from_pitch < 0 ? -m->from_pitch : m->from_pitch) > NEAR;
    bool apart = side < line && (is_crowded(m->from_pitch, size) || is_crowded(m->to_pitch, size));
    for (int64_t r0 = 0; r0 < m->rows; r0 += LINES * line) {
        int64_t rows = less(m->rows, r0 + LINES * line), lines = (rows - r0 + line - 1) / line;
        for (int64_t c = 0; c < m->n; c += line) {
            if (far)
                fetch(m, r0, c + line, size, lines);
            for (int64_t r = r0; r < rows; r += line)
                if (apart && r + line <= m->rows && c + line <= m->n)
                    block_apart(m, r, c, size, side, tile);
                else
                    block(m, r, c, size, side, tile);
        }
    }
}

#define TRANSPOSE(name, T, N, TARGET)                    \
    TILE(name, T, N, TARGET)                             \
    TARGET static void transpose_##name(const matrix *m) \
    {                                                    \
        blocks(m, sizeof(T), N, tile_##name);            \
    }

TRANSPOSE(1, uint8_t, 16, )
TRANSPOSE(2, uint16_t, 8, )
TRANSPOSE(4, uint32_t, 4, )
TRANSPOSE(8, uint64_t, 2, )

#ifdef __x86_64__
#define WIDE __attribute__((target("avx512f")))
#define HALF __attribute__((target("avx2")))
TRANSPOSE(4_half, uint32_t, 8, HALF)
TRANSPOSE(8_half, uint64_t, 4, HALF)
TRANSPOSE(4_wide, uint32_t, 16, WIDE)
TRANSPOSE(8_wide, uint64_t, 8, WIDE)

static bool transpose_wide(const matrix *m, int size)
{
    if (size < 4 || m->rows < LINE / size || m->n < LINE / size)
        return false;
    if (__builtin_cpu_supports("avx512f"))
        (size == 4 ? transpose_4_wide : transpose_8_wide)(m);
    else if (__builtin_cpu_supports("avx2"))
        (size == 4 ? transpose_4_half : transpose_8_half)(m);
    else
        return false;
    return true;
}
#else
static bool transpose_wide(const matrix *m, int size)
{
    (void)m, (void)size;
    return false;
}
#endif

bool lun__transpose(int size, int64_t rows, int64_t n, void *to, int64_t to_pitch, const void *from,
                    int64_t from_pitch)
{
    matrix m = {rows, n, to, to_pitch * size, from, from_pitch * size};
    if (rows < 16 / size || n < 16 / size)
        return false;
    if (transpose_wide(&m, size))
        return true;
    switch (size) {
    case 1:
        transpose_1(&m);
        break;
    case 2:
        transpose_2(&m);
        break;
    case 4:
        transpose_4(&m);
        break;
    default:
        transpose_8(&m);
    }
    return true;
}

#else

bool lun__transpose(int size, int64_t rows, int64_t n, void *to, int64_t to_pitch, const void *from,
                    int64_t from_pitch)
{
    (void)size, (void)rows, (void)n, (void)to, (void)to_pitch, (void)from, (void)from_pitch;
    return false;
}

#endif
