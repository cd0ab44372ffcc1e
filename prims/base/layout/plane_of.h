/* plane_of.h - the loops of elements of one size, included by plane.c once for each.
 *
 * Before: SIZE is 1, 2, 4 or 8, T the unsigned type of that size; it forgets both. */

#define JOIN2(a, b) a##b
#define JOIN(a, b)  JOIN2(a, b)
#define NAME(what)  JOIN(what, SIZE)
#define E           NAME(element_)
#define V           NAME(vector_)
#define GATHER      NAME(gather_)
#define SCATTER     NAME(scatter_)
#define EVENS       NAME(EVEN_)

/* An element of whatever type, at any address; 16 bytes of them. */
typedef T E __attribute__((may_alias, aligned(1)));
typedef T V __attribute__((vector_size(16), may_alias, aligned(1)));
enum { NAME(IN_VECTOR_) = 16 / SIZE, NAME(IN_LINE_) = 64 / SIZE };
#define IN_VECTOR NAME(IN_VECTOR_)
#define IN_LINE   NAME(IN_LINE_)

/* Rows of n elements, 2 to 4, which is a constant where this is used. */
static inline __attribute__((always_inline)) void NAME(few_)(E *to, int64_t to_row, int64_t to_step,
                                                             const E *from, int64_t row,
                                                             int64_t step, int64_t rows, int n)
{
    for (; rows > 0; rows--, to += to_row, from += row) {
        to[0] = from[0];
        to[to_step] = from[step];
        if (n > 2)
            to[2 * to_step] = from[2 * step];
        if (n > 3)
            to[3 * to_step] = from[3 * step];
    }
}

static void NAME(fill_)(E *to, E x, int64_t n)
{
    if (n < IN_VECTOR) {
        for (int64_t i = 0; i < n; i++)
            to[i] = x;
        return;
    }
    V many = x - (V){0};
    for (int64_t i = 0; i < n - IN_VECTOR; i += IN_VECTOR)
        *(V *)(to + i) = many;
    *(V *)(to + n - IN_VECTOR) = many;
}

/* A vector at a time for the steps for which shuffles do it; from[n * step] is not read. */
static void GATHER(E *to, const E *from, int64_t n, int64_t step)
{
    int64_t i = 0;
#if HAS_SHUFFLES
    if (step == -1)
        for (; i + IN_VECTOR <= n; i += IN_VECTOR)
            *(words *)(to + i) = reversed(*(const words *)(from - i - (IN_VECTOR - 1)), SIZE);
    if (step == 2)
        for (; i + IN_VECTOR < n; i += IN_VECTOR)
            *(V *)(to + i) =
                EVENS(*(const V *)(from + 2 * i), *(const V *)(from + 2 * i + IN_VECTOR));
#endif
    if (i == 0)
        i = lun__deinterleave(SIZE, step, n, to, from);
    for (; i + 4 <= n; i += 4) {
        const E *at = from + i * step;
        E a = at[0], b = at[step], c = at[2 * step], d = at[3 * step];
        to[i] = a, to[i + 1] = b, to[i + 2] = c, to[i + 3] = d;
    }
    for (; i < n; i++)
        to[i] = from[i * step];
}

static void SCATTER(E *to, const E *from, int64_t n, int64_t step)
{
    for (int64_t i = 0; i < n; i++)
        to[i * step] = from[i];
}

/* Blocks of as many columns as fill a line of the packed side, so that lines of the strided side
 * that belong to several rows are still in the cache; whole rows where no line does. */
static void NAME(read_)(const lun_plane *p, void *packed, const void *strided)
{
    E *to = packed;
    const E *from = strided;
    int64_t most = is_across(p) ? IN_LINE : p->n, row = p->row, step = p->step, pitch = p->pitch;
    if (p->n == 2) {
        NAME(few_)(to, pitch, 1, from, row, step, p->rows, 2);
    } else if (p->n == 3) {
        NAME(few_)(to, pitch, 1, from, row, step, p->rows, 3);
    } else if (p->n == 4) {
        NAME(few_)(to, pitch, 1, from, row, step, p->rows, 4);
    } else if (step == 0) {
        for (int64_t r = 0; r < p->rows; r++)
            NAME(fill_)(to + r * pitch, from[r * row], p->n);
    } else {
        for (int64_t r0 = 0; r0 < p->rows; r0 += IN_LINE)
            for (int64_t c = 0; c < p->n; c += most)
                for (int64_t r = r0; r < p->rows && r < r0 + IN_LINE; r++)
                    GATHER(to + r * pitch + c, from + r * row + c * step, less(p->n - c, most),
                           step);
    }
}

static void NAME(write_)(const lun_plane *p, void *strided, const void *packed)
{
    E *to = strided;
    const E *from = packed;
    int64_t most = is_across(p) ? IN_LINE : p->n, row = p->row, step = p->step, pitch = p->pitch;
    if (p->n == 2) {
        NAME(few_)(to, row, step, from, pitch, 1, p->rows, 2);
    } else if (p->n == 3) {
        NAME(few_)(to, row, step, from, pitch, 1, p->rows, 3);
    } else if (p->n == 4) {
        NAME(few_)(to, row, step, from, pitch, 1, p->rows, 4);
    } else if (step == -1) {
        for (int64_t r = 0; r < p->rows; r++)
            GATHER(to + r * row - (p->n - 1), from + r * pitch + p->n - 1, p->n, -1);
    } else {
        for (int64_t r0 = 0; r0 < p->rows; r0 += IN_LINE)
            for (int64_t c = 0; c < p->n; c += most)
                for (int64_t r = r0; r < p->rows && r < r0 + IN_LINE; r++)
                    SCATTER(to + r * row + c * step, from + r * pitch + c, less(p->n - c, most),
                            step);
    }
}

#undef JOIN2
#undef JOIN
#undef NAME
#undef E
#undef V
#undef GATHER
#undef SCATTER
#undef EVENS
#undef IN_VECTOR
#undef IN_LINE
#undef SIZE
#undef T
