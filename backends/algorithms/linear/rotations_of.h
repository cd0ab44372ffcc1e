/* rotations_of.h - plane rotations of rows for one dtype: T, NAME(x).  Included by rotations.c once
 * for each. */

/* Rotations of a block of so many columns, in vectors of so many bytes at most. */
#define ROTATE(bytes, columns, target)                                                          \
    target static void NAME(rotate_##bytes##_##columns)(T * z, const NAME(lun_rotation) * list, \
                                                        int64_t count)                          \
    {                                                                                           \
        enum {                                                                                  \
            SIZE = columns * sizeof(T) < bytes ? columns * sizeof(T) : bytes,                   \
            PIECES = columns * sizeof(T) / SIZE                                                 \
        };                                                                                      \
        typedef T vector __attribute__((vector_size(SIZE), aligned(sizeof(T)), may_alias));     \
        for (int64_t k = 0; k < count; k++) {                                                   \
            vector *x = (vector *)(z + (int64_t)list[k].x * columns);                           \
            vector *y = (vector *)(z + (int64_t)list[k].y * columns);                           \
            const T c = list[k].c, s = list[k].s;                                               \
            for (int i = 0; i < PIECES; i++) {                                                  \
                const vector g = x[i], h = y[i];                                                \
                x[i] = c * g + s * h;                                                           \
                y[i] = c * h - s * g;                                                           \
            }                                                                                   \
        }                                                                                       \
    }
/* Of all widths, and the choice. */
#define ROTATES(bytes, target)                                                                    \
    ROTATE(bytes, 4, target)                                                                      \
    ROTATE(bytes, 8, target)                                                                      \
    ROTATE(bytes, 16, target)                                                                     \
    ROTATE(bytes, 32, target)                                                                     \
    static void NAME(rotate_##bytes)(const lun_rotations *r, T *z)                                \
    {                                                                                             \
        const NAME(lun_rotation) *list =                                                          \
            (const NAME(lun_rotation) *)r->list + (r->rows < LONG ? 0 : most_rotations(r->rows)); \
        (r->width == 4    ? NAME(rotate_##bytes##_4)                                              \
         : r->width == 8  ? NAME(rotate_##bytes##_8)                                              \
         : r->width == 16 ? NAME(rotate_##bytes##_16)                                             \
                          : NAME(rotate_##bytes##_32))(z, list, r->count);                        \
    }
/* clang-format off */
ROTATES(16, )
#ifdef __x86_64__
ROTATES(32, __attribute__((target("avx2"))))
ROTATES(64, __attribute__((target("avx512f"))))
#endif
/* clang-format on */
#undef ROTATES
#undef ROTATE

/* The end of the sweep that begins at number `at`; its step, 1 or -1, 0 of other rotations. */
static int64_t NAME(sweep_end)(const lun_rotations *r, int64_t at, int32_t *step)
{
    const NAME(lun_rotation) *list = r->list;
    int64_t end = at + 1;
    *step = end < r->count ? list[end].x - list[at].x : 0;
    if (list[at].y != list[at].x + 1 || (*step != 1 && *step != -1))
        *step = 0;
    while (*step && end < r->count && list[end].y == list[end].x + 1 &&
           list[end].x - list[end - 1].x == *step)
        end++;
    *step = end == at + 1 ? 0 : *step;
    return end;
}

/* Some sweeps in the direction of `step`, one behind the other: of two rotations that share a row
 * the one of the earlier sweep comes first. */
static int64_t NAME(emit)(const lun_rotations *r, const sweep *sweeps, int count,
                          NAME(lun_rotation) * to)
{
    const NAME(lun_rotation) *list = r->list;
    int64_t low = sweeps[0].first, high = sweeps[0].last, n = 0;
    for (int q = 1; q < count; q++) {
        low = sweeps[q].first + 2 * q < low ? sweeps[q].first + 2 * q : low;
        high = sweeps[q].last + 2 * q > high ? sweeps[q].last + 2 * q : high;
    }
    for (int64_t key = low; key <= high; key++)
        for (int q = 0; q < count; q++) {
            const int64_t at = key - 2 * q; /* those of one key have no row in common */
            if (at >= sweeps[q].first && at <= sweeps[q].last)
                to[n++] = list[sweeps[q].start + at - sweeps[q].first];
        }
    return n;
}

/* The rotations in the order in which they are applied. */
static void NAME(in_order)(lun_rotations *r)
{
    const NAME(lun_rotation) *list = r->list;
    NAME(lun_rotation) *to = (NAME(lun_rotation) *)r->list + most_rotations(r->rows);
    sweep sweeps[FRONT];
    int count = 0;
    int32_t before = 0, step;
    for (int64_t at = 0, end; at < r->count; at = end) {
        end = NAME(sweep_end)(r, at, &step);
        if (count && (step != before || step == 0 || count == FRONT)) {
            to += NAME(emit)(r, sweeps, count, to);
            count = 0;
        }
        before = step;
        sweeps[count].start = at;
        sweeps[count].first = step ? (int64_t)step * list[at].x : 0;
        sweeps[count].last = sweeps[count].first + end - at - 1;
        count++;
    }
    if (count)
        NAME(emit)(r, sweeps, count, to);
}

static void NAME(rotate_block)(void *ctx, int64_t part, int worker)
{
    const lun_rotations *r = ctx;
    T *z = (T *)r->z + part * r->rows * r->width;
    (void)worker;
#ifdef __x86_64__
    if (r->isa == LUN_ISA_AVX512)
        NAME(rotate_64)(r, z);
    else if (r->isa == LUN_ISA_AVX2)
        NAME(rotate_32)(r, z);
    else
#endif
        NAME(rotate_16)(r, z);
}

void NAME(lun__rotations_flush)(lun_rotations *r)
{
    if (r->rows >= LONG && r->count)
        NAME(in_order)(r);
    if (r->team && r->rows >= SHARED && r->count)
        lun__work_parts(r->services, r->team, blocks(r), r, NAME(rotate_block));
    else
        for (int64_t part = 0; part < blocks(r) && r->count; part++)
            NAME(rotate_block)(r, part, 0);
    r->count = 0;
}

void NAME(lun__rotations_add)(lun_rotations *r, int64_t x, int64_t y, T c, T s)
{
    if (!r->z)
        return;
    ((NAME(lun_rotation) *)r->list)[r->count++] =
        (NAME(lun_rotation)){c, s, (int32_t)x, (int32_t)y};
    if (r->count == most_rotations(r->rows))
        NAME(lun__rotations_flush)(r);
}

void NAME(lun__rotations_take)(lun_rotations *r, const T *from)
{
    const int64_t width = r->width;
    for (int64_t b = 0; b < blocks(r); b++) {
        T *z = (T *)r->z + b * r->rows * width;
        const int64_t first = b * width, rest = r->columns - first;
        for (int64_t i = 0; i < r->rows; i++)
            for (int64_t j = 0; j < width; j++)
                z[i * width + j] = j < rest ? from[(first + j) * r->rows + i] : 0;
    }
}

void NAME(lun__rotations_give)(const lun_rotations *r, int64_t i, T *to, int64_t column)
{
    for (int64_t b = 0; b < blocks(r); b++) {
        const T *z = (const T *)r->z + (b * r->rows + i) * r->width;
        const int64_t first = b * r->width;
        for (int64_t j = 0; j < r->width && first + j < r->columns; j++)
            to[(first + j) * column] = z[j];
    }
}
