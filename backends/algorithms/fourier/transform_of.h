/* transform_of.h - Fourier transforms for one dtype: T, NAME(x).  Included by transform.c for each.
 *
 * A block is `w` lines side by side, of which element k of line i stands at k * w + i of a buffer.
 * An array's element k of the block's first line is k * inner elements behind the block's. */

typedef struct NAME(block) {
    const transform *t;
    int64_t w;
    const T *in;
    T *out, *a, *b; /* a, b: buffers */
} NAME(block);

static const T *NAME(table)(const NAME(block) * b)
{
    return b->t->r->in[1].data;
}

/* A step on elements of a block, cut into parts if threads share it. */
typedef void NAME(step)(lun_isa isa, const lun_row_steps *s, const T *w, const T *in, T *out);
typedef struct NAME(stepped) {
    NAME(step) * step;
    lun_isa isa;
    lun_row_steps all;
    const T *w, *in;
    T *out;
} NAME(stepped);

static void NAME(do_rows)(void *ctx, int64_t part, int worker)
{
    (void)worker;
    const NAME(stepped) *work = ctx;
    lun_row_steps s = work->all;
    s.k0 += part * ROWS;
    s.k1 = s.k1 < s.k0 + ROWS ? s.k1 : s.k0 + ROWS;
    work->step(work->isa, &s, work->w, work->in, work->out);
}

static void NAME(rows)(const NAME(block) * b, NAME(step) * step, lun_row_steps s, int64_t at,
                       const T *in, T *out)
{
    s.lines = s.t1 = b->w;
    const T *w = NAME(table)(b) + 2 * at;
    NAME(stepped) work = {step, b->t->isa, s, w, in, out};
    if (b->t->shares)
        lun__work_parts(b->t->services, b->t->shares, (s.k1 - s.k0 + ROWS - 1) / ROWS, &work,
                        NAME(do_rows));
    else
        step(b->t->isa, &s, w, in, out);
}

/* Each element k of a block of n times number k of the table from `at` on. */
static void NAME(multiply_all)(const NAME(block) * b, T *x, int64_t n, int64_t at, bool conj_before,
                               bool conj_after)
{
    const lun_row_steps s = {.stride = 1,
                             .k1 = n,
                             .inverse = b->t->inverse,
                             .conj_before = conj_before,
                             .conj_after = conj_after};
    NAME(rows)(b, NAME(lun__products), s, at, x, x);
}

static T *NAME(passes)(const NAME(block) * b, T *in, T *first, T *second)
{
    const lun_run_passes how = {.services = b->t->services,
                                .team = b->t->shares,
                                .isa = b->t->isa,
                                .is_double = b->t->is_double,
                                .inverse = b->t->inverse,
                                .lines = b->w,
                                .passes = &b->t->plan.passes,
                                .table = NAME(table)(b)};
    void *const to[] = {first, second};
    return lun__run_passes(&how, in, to);
}

/* The transform of what is in buffer a; it is in one of both. */
static T *NAME(transformed)(const NAME(block) * b)
{
    const lun_passes_plan *p = &b->t->plan;
    if (!p->chirped)
        return NAME(passes)(b, b->a, b->b, b->a);
    NAME(multiply_all)(b, b->a, p->m, p->chirp, false, false);
    memset(b->a + 2 * p->m * b->w, 0, 2 * (size_t)((p->passes.n - p->m) * b->w) * sizeof(T));
    T *x = NAME(passes)(b, b->a, b->b, b->a);
    NAME(multiply_all)(b, x, p->passes.n, p->filter, false, true);
    x = NAME(passes)(b, x, x == b->a ? b->b : b->a, x);
    NAME(multiply_all)(b, x, p->m, p->chirp, true, false);
    return x;
}

/* ---- what is given --------------------------------------------------------------------------- */

/* Element k of line i; beyond what is given 0. */
static T NAME(real)(const NAME(block) * b, int64_t k, int64_t i)
{
    return k < b->t->given ? b->in[k * b->t->inner + i] : 0;
}

static void NAME(number)(const NAME(block) * b, int64_t k, int64_t i, T x[2])
{
    for (int part = 0; part < 2; part++)
        x[part] = k < b->t->given ? b->in[2 * (k * b->t->inner + i) + part] : 0;
}

static void NAME(load)(const NAME(block) * b)
{
    const transform *t = b->t;
    const int64_t rows = t->given < t->plan.m ? t->given : t->plan.m;
    for (int64_t k = 0; k < rows; k++)
        memcpy(b->a + 2 * k * b->w, b->in + 2 * k * t->inner, 2 * (size_t)b->w * sizeof(T));
    memset(b->a + 2 * rows * b->w, 0, 2 * (size_t)((t->plan.m - rows) * b->w) * sizeof(T));
}

/* Real numbers as complex ones, or, of half as many, as the parts of these. */
static void NAME(load_real)(const NAME(block) * b)
{
    const lun_passes_plan *p = &b->t->plan;
    if (p->half && b->t->inner == 1 && b->t->given >= p->n) {
        memcpy(b->a, b->in, (size_t)p->n * sizeof(T));
        return;
    }
    for (int64_t k = 0; k < p->m; k++)
        for (int64_t i = 0; i < b->w; i++) {
            T *to = b->a + 2 * (k * b->w + i);
            to[0] = NAME(real)(b, p->half ? 2 * k : k, i);
            to[1] = p->half ? NAME(real)(b, 2 * k + 1, i) : 0;
        }
}

/* Half a spectrum, continued by conjugates; what is real there is taken as real. */
static void NAME(load_continued)(const NAME(block) * b)
{
    const int64_t n = b->t->plan.n;
    for (int64_t k = 0; k <= n / 2; k++)
        for (int64_t i = 0; i < b->w; i++) {
            T x[2];
            NAME(number)(b, k, i, x);
            x[1] = k ? x[1] : 0;
            memcpy(b->a + 2 * (k * b->w + i), x, sizeof x);
            x[1] = -x[1];
            if (k)
                memcpy(b->a + 2 * ((n - k) * b->w + i), x, sizeof x);
        }
}

/* Half a spectrum as that of half as many complex numbers: those elements that have no vector form,
 * the first one and, where not all are given, all. */
static void NAME(load_half_singly)(const NAME(block) * b, int64_t elements)
{
    const lun_passes_plan *p = &b->t->plan;
    const T *w = NAME(table)(b) + 2 * p->halves;
    for (int64_t k = 0; k < elements; k++, w += 2)
        for (int64_t i = 0; i < b->w; i++) {
            T x[2], y[2], *to = b->a + 2 * (k * b->w + i);
            NAME(number)(b, k, i, x);
            NAME(number)(b, p->m - k, i, y);
            x[1] = k ? x[1] : 0;
            y[1] = k ? -y[1] : -(T)0;
            const T odd[] = {-((T)0.5 * (x[1] - y[1])), (T)0.5 * (x[0] - y[0])};
            to[0] = (T)0.5 * (x[0] + y[0]) + (odd[0] * w[0] + odd[1] * w[1]);
            to[1] = (T)0.5 * (x[1] + y[1]) + (odd[1] * w[0] - odd[0] * w[1]);
        }
}

static void NAME(load_half)(const NAME(block) * b)
{
    const lun_passes_plan *p = &b->t->plan;
    const bool whole = b->t->given > p->m;
    const lun_row_steps s = {.stride = b->t->inner, .m = p->m, .k0 = 1, .k1 = whole ? p->m : 1};
    NAME(load_half_singly)(b, whole ? 1 : p->m);
    NAME(rows)(b, NAME(lun__fold), s, p->halves, b->in, b->a);
}

/* ---- results --------------------------------------------------------------------------------- */

static void NAME(divide)(const transform *t, T *x, int64_t n)
{
    const T by = (T)t->by;
    for (int64_t k = 0; t->by != 0 && k < n; k++)
        x[k] /= by;
}

/* What is computed as it is stored, divided before: a NaN as the one of the dtype. */
static T NAME(result)(const transform *t, T x)
{
    const T v = t->by != 0 ? x / (T)t->by : x;
    return v == v ? v : (T)NAN;
}

static void NAME(store)(const NAME(block) * b, const T *x)
{
    for (int64_t k = 0; k < b->t->results; k++)
        for (int64_t i = 0; i < 2 * b->w; i++)
            b->out[2 * k * b->t->inner + i] = NAME(result)(b->t, x[2 * k * b->w + i]);
}

/* The spectrum of twice as many real numbers.  Elements 0 and m are by themselves. */
static void NAME(store_half)(const NAME(block) * b, const T *z)
{
    const lun_passes_plan *p = &b->t->plan;
    const int64_t ends[] = {0, 1, p->m, p->m + 1};
    for (int i = 0; i < 3; i++) {
        const lun_row_steps s = {
            .stride = b->t->inner, .m = p->m, .k0 = ends[i], .k1 = ends[i + 1], .by = b->t->by};
        NAME(rows)(b, NAME(lun__unfold), s, p->halves, z, b->out);
    }
}

/* Real numbers: the real parts, or the parts of half as many numbers, to which belong half as great
 * a divisor. */
static void NAME(store_real)(const NAME(block) * b, const T *x)
{
    const transform *t = b->t;
    const bool half = t->plan.half, whole = t->by == (double)t->plan.n;
    const T by = (T)(half && whole ? (double)t->plan.m : t->by);
    for (int64_t k = 0; k < t->plan.n; k++)
        for (int64_t i = 0; i < b->w; i++) {
            const int64_t at = half ? k / 2 : k;
            T v = x[2 * (at * b->w + i) + (half ? k % 2 : 0)];
            v = half && !whole ? v + v : v;
            v = t->by != 0 ? v / by : v;
            b->out[k * t->inner + i] = v == v ? v : (T)NAN;
        }
}

/* Complex numbers that stand as a buffer has them, from where they are to where they are wanted. */
static void NAME(directly)(const NAME(block) * b)
{
    T *const to[] = {b->out, b->a};
    const bool odd = b->t->plan.passes.count % 2;
    T *in = (T *)(uintptr_t)b->in; /* which passes read only */
    NAME(passes)(b, in, to[!odd], to[odd]);
    NAME(divide)(b->t, b->out, 2 * b->t->plan.n * b->w);
}

static void NAME(one_block)(const transform *t, int64_t number, int worker)
{
    const int64_t i = number % t->blocks * t->width, o = number / t->blocks;
    const int64_t w = t->width < t->inner - i ? t->width : t->inner - i;
    NAME(block) b = {.t = t, .w = w, .a = (T *)t->r->scratch + 4 * t->numbers * worker};
    b.b = b.a + 2 * t->numbers;
    b.in = (const T *)t->r->in[0].data + parts_of(t->kind, false) * (o * t->given * t->inner + i);
    b.out = (T *)t->r->out[0].data + parts_of(t->kind, true) * (o * t->results * t->inner + i);
    const bool half = t->plan.half;
    if (t->kind == LUN_FOURIER_COMPLEX && w == t->inner && t->given >= t->plan.n &&
        !t->plan.chirped && t->plan.passes.count) {
        NAME(directly)(&b);
        return;
    }
    if (t->kind == LUN_FOURIER_COMPLEX)
        NAME(load)(&b);
    else if (t->kind == LUN_FOURIER_TO_REAL)
        (half ? NAME(load_half) : NAME(load_continued))(&b);
    else
        NAME(load_real)(&b);
    const T *x = NAME(transformed)(&b);
    if (t->kind == LUN_FOURIER_TO_REAL)
        NAME(store_real)(&b, x);
    else
        (half ? NAME(store_half) : NAME(store))(&b, x);
}
