/* product_kernel.c - the kernel of matrix products, and how it is run; see render/render.h.  Knows
 * no graph.
 *
 * A work-group computes a square of the result, each item a few elements of it, from parts of both
 * operands in local memory.  Nothing is added beyond the last value of k: 0 * 0 would turn a sum of
 * -0 into 0. */
#include "render/opencl/move/moved.h"

#include "ir/combine_order.h"
#include "render/text/element_text.h"
#include "render/text/text.h"

enum {
    SIDE = 64,  /* extents of a square of the result */
    DEPTH = 16, /* values of k in local memory at a time */
    ACROSS = 16,
    ITEMS = ACROSS * ACROSS, /* of a group */
    EACH = SIDE / ACROSS,    /* rows and columns of an item */
    LINE = SIDE + 4,         /* elements from one value of k to the next, for the banks */
    INNER = LUN_ORDER_BLOCK  /* values of k in a sum: part of what a product is */
};

/* Cells: of an operand the offset of its first element, and its strides. */
enum {
    FIRST, /* number of the first square */
    ROWS,
    COLUMNS,
    BEGIN, /* of k: what is before is in the result */
    END,
    TO,
    A,
    B = A + 4,
    CELLS = B + 4,
    BATCH = 1,
    ROW,
    COLUMN
};
_Static_assert((int)CELLS == (int)LUN_CL_PRODUCT_CELLS, "render.h says how many cells there are");

/* ---- the text -------------------------------------------------------------------------------- */

/* Puts DEPTH values of k of an operand into local memory, 0 beyond its end.  side: its index of the
 * result; neighbours in memory are read by neighbours. */
static void load(lun_renderer *r, char name, int at, const char *side, const char *from,
                 const char *extent, int along, lun_strbuf *out)
{
    int other = along == ROW ? COLUMN : ROW;
    lun__text_put(r, out,
                  "            for (int e = id; e < %d; e += %d) {\n"
                  "                const int p = c[%d] == 1 ? e %% %d : e / %d;\n"
                  "                const int %s = c[%d] == 1 ? e / %d : e %% %d;\n"
                  "                %c[p * %d + %s] = p < left && %s + %s < %s\n"
                  "                    ? (sum_t)%c_[%s * c[%d] + (k + p) * c[%d]] : (sum_t)0;\n"
                  "            }\n",
                  SIDE * DEPTH, ITEMS, at + other, DEPTH, SIDE, side, at + other, DEPTH, SIDE, name,
                  LINE, side, from, side, extent, name, side, at + along, at + other);
}

static void sums(lun_renderer *r, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "            @local_barrier;\n"
                  "            for (int p = 0; p < left; p++)\n"
                  "                for (int u = 0; u < %d; u++) {\n"
                  "                    const sum_t v = a[p * %d + y * %d + u];\n"
                  "                    for (int w = 0; w < %d; w++)\n"
                  "                        s[u * %d + w] = FMA(v, b[p * %d + x + w * %d], "
                  "s[u * %d + w]);\n                }\n"
                  "            @local_barrier;\n",
                  EACH, LINE, EACH, EACH, EACH, LINE, ACROSS, EACH);
}

/* Each element of the item's that is one of the result. */
static void each(lun_renderer *r, const char *indent, const char *what, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "%sfor (int u = 0; u < %d; u++)\n%s    for (int w = 0; w < %d; w++)\n"
                  "%s        if (i0 + y * %d + u < rows && j0 + x + w * %d < columns)\n"
                  "%s            %s;\n",
                  indent, EACH, indent, EACH, indent, EACH, ACROSS, indent, what);
}

void lun__product_kernel_text(lun_renderer *r, lun_dtype a, lun_dtype b, lun_dtype c,
                              lun_strbuf *out)
{
    static const char *const place = "to[(y * 4 + u) * columns + x + w * 16]";
    _Static_assert(EACH == 4 && ACROSS == 16, "as written above");
    lun__text_put(r, out, "@no_contraction\n/* Lunarray kernel: products of matrices. */\n");
    for (int bytes = 1; bytes <= 8; bytes *= 2)
        lun__text_put(r, out, "typedef @i%d lun_i%d;\ntypedef @u%d lun_u%d;\n", 8 * bytes,
                      8 * bytes, 8 * bytes, 8 * bytes);
    lun__text_put(r, out, "typedef float lun_f32;\n");
    if (lun__dtype_is_double(a) || lun__dtype_is_double(b) || lun__dtype_is_double(c))
        lun__text_put(r, out, "typedef double lun_f64;\n");
    lun__text_put(r, out, "typedef %s a_t;\ntypedef %s b_t;\ntypedef %s sum_t;\n",
                  lun__element_type(a).s, lun__element_type(b).s, lun__element_type(c).s);
    lun__text_put(r, out, "#define FMA(x, y, z) %s\n",
                  lun__dtype_is_float(c) ? "fma(x, y, z)" : "((x) * (y) + (z))");
    lun__text_put(r, out, "#define ONE_NAN(x) %s%s%s\n",
                  lun__dtype_is_float(c) ? "((x) == (x) ? (x) : " : "(x)",
                  lun__dtype_is_double(c)  ? "@f64_of_bits((lun_u64)0x7ff8000000000000)"
                  : lun__dtype_is_float(c) ? "@f32_of_bits((lun_u32)0x7fc00000)"
                                           : "",
                  lun__dtype_is_float(c) ? ")" : "");
    lun__text_put(r, out, "\n@kernel @group_open");
    lun__text_put(r, out,
                  "%d@group_close void lun_product(@constant lun_i64 *c, "
                  "@global const a_t *a_, @global const b_t *b_, @global sum_t *to)\n{\n"
                  "    @local sum_t a[%d], b[%d];\n"
                  "    const int id = (int)@local_id, x = id %% %d, y = id / %d;\n"
                  "    const lun_i64 rows = c[%d], columns = c[%d];\n"
                  "    const lun_i64 wide = (columns + %d) / %d, high = (rows + %d) / %d;\n"
                  "    const lun_i64 t = c[%d] + (lun_i64)@group_id;\n"
                  "    const lun_i64 n = t / (wide * high);\n"
                  "    const lun_i64 i0 = t / wide %% high * %d, j0 = t %% wide * %d;\n"
                  "    a_ += c[%d] + n * c[%d] + i0 * c[%d];\n"
                  "    b_ += c[%d] + n * c[%d] + j0 * c[%d];\n"
                  "    to += c[%d] + (n * rows + i0) * columns + j0;\n"
                  "    sum_t all[%d];\n",
                  ITEMS, DEPTH * LINE, DEPTH * LINE, ACROSS, ACROSS, ROWS, COLUMNS, SIDE - 1, SIDE,
                  SIDE - 1, SIDE, FIRST, SIDE, SIDE, A, A + BATCH, A + ROW, B, B + BATCH,
                  B + COLUMN, TO, EACH * EACH);
    lun__text_put(r, out, "    if (c[%d] > 0)\n", BEGIN);
    lun_strbuf what = LUN_STRBUF_INIT;
    lun__strbuf_printf(&what, "all[u * %d + w] = %s", EACH, place);
    each(r, "        ", lun__strbuf_text(&what), out);
    lun__text_put(r, out,
                  "    for (lun_i64 k0 = c[%d]; k0 < c[%d]; k0 += %d) {\n"
                  "        const lun_i64 end = c[%d] - k0 < %d ? c[%d] : k0 + %d;\n"
                  "        sum_t s[%d];\n"
                  "        for (int u = 0; u < %d; u++) s[u] = 0;\n"
                  "        for (lun_i64 k = k0; k < end; k += %d) {\n"
                  "            const int left = end - k < %d ? (int)(end - k) : %d;\n",
                  BEGIN, END, INNER, END, INNER, END, INNER, EACH * EACH, EACH * EACH, DEPTH, DEPTH,
                  DEPTH);
    load(r, 'a', A, "i", "i0", "rows", ROW, out);
    load(r, 'b', B, "j", "j0", "columns", COLUMN, out);
    sums(r, out);
    lun__text_put(r, out,
                  "        }\n        for (int u = 0; u < %d; u++)\n"
                  "            all[u] = k0 > 0 ? all[u] + s[u] : s[u];\n    }\n",
                  EACH * EACH);
    lun__strbuf_clear(&what);
    lun__strbuf_printf(&what, "%s = ONE_NAN(all[u * %d + w])", place, EACH);
    each(r, "    ", lun__strbuf_text(&what), out);
    lun__text_put(r, out, "}\n");
    out->failed |= what.failed;
    lun__strbuf_free(&what);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static int64_t squares(int64_t n)
{
    return (n + SIDE - 1) / SIDE;
}

int64_t lun__product_kernel_squares(const lun_product *p)
{
    return squares(p->rows) * squares(p->columns);
}

void lun__product_kernel_plan(const lun_product *p, const lun_cl_product *part, int64_t *cells,
                              lun_cl_plan *plan)
{
    const lun_matrix *const operands[] = {&p->a, &p->b};
    *plan = (lun_cl_plan){.steps = 1};
    plan->step[0].kernel = "lun_product";
    plan->step[0].local = ITEMS;
    plan->step[0].global = (size_t)(part->count * ITEMS);
    cells[FIRST] = part->first;
    cells[ROWS] = p->rows;
    cells[COLUMNS] = p->columns;
    cells[BEGIN] = part->begin;
    cells[END] = part->end;
    cells[TO] = part->number * p->rows * p->columns;
    for (int k = 0; k < 2; k++) {
        const lun_matrix *m = operands[k];
        int64_t *to = cells + (k ? B : A);
        to[0] = lun__layout_offset(&m->batch, part->number);
        to[BATCH] = part->batch[k];
        to[ROW] = m->row;
        to[COLUMN] = m->column;
    }
}
