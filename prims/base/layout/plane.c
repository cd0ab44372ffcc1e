/* plane.c - the ways of copying two axes, one chosen by strides and size of elements; see plane.h.
 * The loops of each size are those of plane_of.h. */
#include "base/layout/plane.h"

#include <string.h>

/* Whether going down a column passes less memory than going along a row. */
static bool is_across(const lun_plane *p)
{
    uint64_t row = (uint64_t)(p->row < 0 ? -p->row : p->row);
    uint64_t step = (uint64_t)(p->step < 0 ? -p->step : p->step);
    return p->rows > 1 && row != 0 && row < step;
}

static inline int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The first and the last `unit` bytes of a row. */
static inline __attribute__((always_inline)) void copy_ends(char *to, const char *from,
                                                            int64_t bytes, int unit)
{
    memcpy(to, from, (size_t)unit);
    memcpy(to + bytes - unit, from + bytes - unit, (size_t)unit);
}

/* Rows of 2 * unit bytes or less, at least unit. */
static inline __attribute__((always_inline)) void copy_short(char *to, int64_t to_pitch,
                                                             const char *from, int64_t from_pitch,
                                                             int64_t rows, int64_t bytes, int unit)
{
    for (; rows > 0; rows--, to += to_pitch, from += from_pitch)
        copy_ends(to, from, bytes, unit);
}

/* Rows of contiguous bytes. */
static void copy_rows(char *to, int64_t to_pitch, const char *from, int64_t from_pitch,
                      int64_t rows, int64_t bytes)
{
    if (rows == 1 || bytes > 64) {
        for (; rows > 0; rows--, to += to_pitch, from += from_pitch)
            memcpy(to, from, (size_t)bytes);
    } else if (bytes >= 32) {
        for (; rows > 0; rows--, to += to_pitch, from += from_pitch) {
            copy_ends(to, from, bytes, 16);
            copy_ends(to + 16, from + 16, bytes - 32, 16);
        }
    } else if (bytes >= 16) {
        copy_short(to, to_pitch, from, from_pitch, rows, bytes, 16);
    } else if (bytes >= 8) {
        copy_short(to, to_pitch, from, from_pitch, rows, bytes, 8);
    } else if (bytes >= 4) {
        copy_short(to, to_pitch, from, from_pitch, rows, bytes, 4);
    } else if (bytes >= 2) {
        copy_short(to, to_pitch, from, from_pitch, rows, bytes, 2);
    } else {
        copy_short(to, to_pitch, from, from_pitch, rows, bytes, 1);
    }
}

/* 16 bytes of any elements. */
typedef uint32_t words __attribute__((vector_size(16), may_alias, aligned(1)));

#if defined(__clang__) || __GNUC__ >= 12
#define HAS_SHUFFLES 1
#define EVEN_1(a, b) \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define EVEN_2(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define EVEN_4(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define EVEN_8(a, b) __builtin_shufflevector(a, b, 0, 2)

/* The elements of a vector from the last to the first; size is a constant where this is used. */
static inline __attribute__((always_inline)) words reversed(words x, int size)
{
    if (size == 8)
        return __builtin_shufflevector(x, x, 2, 3, 0, 1);
    x = __builtin_shufflevector(x, x, 3, 2, 1, 0);
    if (size <= 2)
        x = x << 16 | x >> 16;
    if (size == 1)
        x = (x & 0x00ff00ff) << 8 | (x >> 8 & 0x00ff00ff);
    return x;
}
#else
#define HAS_SHUFFLES 0
#endif

#define SIZE 1
#define T    uint8_t
#include "base/layout/plane_of.h"

#define SIZE 2
#define T    uint16_t
#include "base/layout/plane_of.h"

#define SIZE 4
#define T    uint32_t
#include "base/layout/plane_of.h"

#define SIZE 8
#define T    uint64_t
#include "base/layout/plane_of.h"

/* The transposition where rows of the strided side lie side by side, upwards or downwards. */
static bool transposed(const lun_plane *p, char *packed, char *strided, bool read)
{
    int64_t pitch = p->pitch, size = p->size;
    if ((p->row != 1 && p->row != -1) || p->step == 1 || p->step == -1 || p->step == 0)
        return false;
    if (p->row < 0) {
        packed += (p->rows - 1) * pitch * size;
        strided -= (p->rows - 1) * size;
        pitch = -pitch;
    }
    return read ? lun__transpose(p->size, p->rows, p->n, packed, pitch, strided, p->step)
                : lun__transpose(p->size, p->n, p->rows, strided, p->step, packed, pitch);
}

/* The loops of elements of 1, 2, 4 and 8 bytes. */
typedef void copy_fn(const lun_plane *p, void *to, const void *from);
static copy_fn *const readers[] = {read_1, read_2, read_4, read_8};
static copy_fn *const writers[] = {write_1, write_2, write_4, write_8};

void lun__plane_read(const lun_plane *p, void *packed, const void *strided)
{
    lun_plane once = *p;
    int64_t size = p->size, pitch = p->pitch * size, row = p->row * size, bytes = p->n * size;
    if (p->row == 0)
        once.rows = 1;
    if (p->step == 1 || p->n == 1)
        copy_rows(packed, pitch, strided, row, once.rows, bytes);
    else if (!transposed(&once, packed, (char *)(uintptr_t)strided, true))
        readers[__builtin_ctz((unsigned)size)](&once, packed, strided);
    copy_rows((char *)packed + once.rows * pitch, pitch, packed, 0, p->rows - once.rows, bytes);
}

void lun__plane_write(const lun_plane *p, void *strided, const void *packed)
{
    int64_t size = p->size, pitch = p->pitch * size, row = p->row * size, bytes = p->n * size;
    if (p->step == 1 || p->n == 1)
        copy_rows(strided, row, packed, pitch, p->rows, bytes);
    else if (!transposed(p, (char *)(uintptr_t)packed, strided, false))
        writers[__builtin_ctz((unsigned)size)](p, strided, packed);
}
