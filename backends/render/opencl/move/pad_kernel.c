/* pad_kernel.c - the kernel that fills an array with another one and the elements beyond its ends,
 * and how it is run; see render/render.h.  Knows no IR.
 *
 * In the SCALAR form a work-item finds the indices of each of its elements by division; in the
 * VECTOR form those of the rows of its share, whose middle stretches are copied. */
#include "render/opencl/move/moved.h"

#include "render/text/text.h"

enum { AXES = LUN_LAYOUT_RANK, LAST = AXES - 1 };

/* Cells; axes are numbered so that the last one is always LAST. */
enum {
    BASE,   /* offset of the array's element 0 */
    FIRST,  /* number of the first element to write */
    COUNT,  /* elements to write */
    SHARE,  /* elements of a work-item */
    VALUE,  /* bits of the element of rule VALUE */
    OUTER,  /* the first axis */
    EXTENT, /* by axis */
    INNER = EXTENT + AXES,
    BEFORE = INNER + AXES,
    RULE = BEFORE + AXES,
    CELLS = RULE + AXES
};
_Static_assert((int)CELLS == (int)LUN_CL_PAD_CELLS, "render.h says how many cells there are");

/* ---- the text -------------------------------------------------------------------------------- */

/* lun_pad_source, in its words. */
static void find_source(lun_renderer *r, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "@inline lun_i64 lun_source(@constant lun_i64 *c, int k, lun_i64 i)\n{\n"
                  "    const lun_i64 n = c[%d + k];\n"
                  "    if (i >= 0 && i < n) return i;\n"
                  "    if (c[%d + k] == %d) return i < 0 ? 0 : n - 1;\n"
                  "    if (c[%d + k] == %d) {\n        i %%= n;\n"
                  "        return i < 0 ? i + n : i;\n    }\n    return -1;\n}\n",
                  INNER, RULE, LUN_PAD_NEAREST, RULE, LUN_PAD_WRAP);
    lun__text_put(r, out,
                  "@inline lun_i64 lun_place(@constant lun_i64 *c, int k, lun_i64 rest)\n{\n"
                  "    lun_i64 p = 0, w = 1;\n"
                  "    for (int j = %d; j > k; j--) w *= c[%d + j];\n"
                  "    for (; k >= c[%d]; k--) {\n"
                  "        const lun_i64 i = lun_source(c, k, rest %% c[%d + k] - c[%d + k]);\n"
                  "        if (i < 0) return -1;\n"
                  "        rest /= c[%d + k];\n        p += i * w;\n        w *= c[%d + k];\n"
                  "    }\n    return p;\n}\n",
                  LAST, INNER, OUTER, EXTENT, BEFORE, EXTENT, INNER);
}

static void elements(lun_renderer *r, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "    for (lun_i64 at = @global_id; at < c[%d]; at += @global_size) {\n"
                  "        const lun_i64 p = lun_place(c, %d, c[%d] + at);\n"
                  "        to[c[%d] + at] = p < 0 ? (element)c[%d] : from[c[%d] + p];\n    }\n}\n",
                  COUNT, LAST, FIRST, FIRST, VALUE, BASE);
}

static void rows(lun_renderer *r, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "    lun_i64 at = @group_id * c[%d];\n"
                  "    const lun_i64 end = c[%d] - at < c[%d] ? c[%d] : at + c[%d], n = c[%d];\n"
                  "    while (at < end) {\n"
                  "        const lun_i64 f = c[%d] + at, column = f %% c[%d];\n"
                  "        const lun_i64 p = lun_place(c, %d, f / c[%d]), i = column - c[%d];\n"
                  "        @global element *q = to + f;\n"
                  "        lun_i64 run = c[%d] - column, j = 0;\n"
                  "        run = run < end - at ? run : end - at;\n"
                  "        if (p < 0) for (; j < run; j++) q[j] = (element)c[%d];\n",
                  SHARE, COUNT, SHARE, COUNT, SHARE, INNER + LAST, FIRST, EXTENT + LAST, LAST - 1,
                  EXTENT + LAST, BEFORE + LAST, EXTENT + LAST, VALUE);
    lun__text_put(r, out,
                  "        @global const element *o = from + c[%d] + (p < 0 ? 0 : p);\n"
                  "        for (int side = 0; side < 2; side++) {\n"
                  "            for (; j < run && (i + j < 0 || i + j >= n); j++) {\n"
                  "                const lun_i64 s = lun_source(c, %d, i + j);\n"
                  "                q[j] = s < 0 ? (element)c[%d] : o[s];\n            }\n"
                  "            const lun_i64 stop = run < n - i ? run : n - i;\n"
                  "            for (; j < stop; j++) q[j] = o[i + j];\n        }\n"
                  "        at += run;\n    }\n}\n",
                  BASE, LAST, VALUE);
}

void lun__pad_kernel_text(lun_renderer *r, lun_cl_form form, int bytes, lun_strbuf *out)
{
    lun__cl_moved_text(r, "an array and what stands beyond its ends", bytes, out);
    find_source(r, out);
    lun__cl_moved_kernel(r, form, "lun_pad", "element", out);
    (form == LUN_CL_SCALAR ? elements : rows)(r, out);
}

/* ---- the plan -------------------------------------------------------------------------------- */

void lun__pad_kernel_plan(lun_cl_form form, const lun_cl_padding *p, int64_t first, int64_t count,
                          int units, int64_t *cells, lun_cl_plan *plan)
{
    const lun_padding *pad = p->padding;
    cells[BASE] = p->origin;
    cells[FIRST] = first;
    cells[COUNT] = count;
    cells[SHARE] = lun__cl_moved_plan(form, "lun_pad", count, units, plan);
    cells[VALUE] = (int64_t)pad->value;
    cells[OUTER] = AXES - pad->rank;
    for (int k = 0; k < AXES; k++) {
        int from = k - (AXES - pad->rank);
        cells[EXTENT + k] = from < 0 ? 1 : pad->extent[from];
        cells[INNER + k] = from < 0 ? 1 : pad->inner[from];
        cells[BEFORE + k] = from < 0 ? 0 : pad->before[from];
        cells[RULE + k] = from < 0 ? LUN_PAD_VALUE : pad->rule[from];
    }
}
