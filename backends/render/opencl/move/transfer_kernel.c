/* transfer_kernel.c - kernels that give the elements of one layout to the offsets of another, or
 * one value to all of them, and how they are run; see render/render.h.  Knows no IR.
 *
 * In the SCALAR form a work-item finds both offsets of each of its elements by division; in the
 * VECTOR form those of the first one of each stretch along the last axes of both layouts. */
#include "render/opencl/move/moved.h"

#include "render/text/text.h"

enum { AXES = LUN_LAYOUT_RANK, LAST = AXES - 1 };

/* Cells of a layout; axes are numbered so that the last one is always LAST. */
enum {
    PLACE,  /* of the element with indices 0 */
    OUTER,  /* the first axis */
    EXTENT, /* by axis */
    STRIDE = EXTENT + AXES,
    LAYOUT = STRIDE + AXES
};

/* Cells. */
enum {
    FIRST, /* number of the first element */
    COUNT, /* elements */
    SHARE, /* elements of a work-item */
    VALUE, /* bits of what fills */
    TO,    /* the layout that is written */
    FROM = TO + LAYOUT,
    CELLS = FROM + LAYOUT
};
_Static_assert((int)CELLS == (int)LUN_CL_TRANSFER_CELLS, "render.h says how many cells there are");

/* ---- the text -------------------------------------------------------------------------------- */

static void find_place(lun_renderer *r, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "@inline lun_i64 lun_place(@constant lun_i64 *c, lun_i64 rest)\n{\n"
                  "    lun_i64 p = c[%d];\n    const int outer = (int)c[%d];\n"
                  "    for (int k = %d; k > outer; k--) {\n"
                  "        p += rest %% c[%d + k] * c[%d + k];\n        rest /= c[%d + k];\n    }\n"
                  "    return p + rest * c[%d + outer];\n}\n",
                  PLACE, OUTER, LAST, EXTENT, STRIDE, EXTENT, STRIDE);
}

static void elements(lun_renderer *r, bool fills, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "    for (lun_i64 at = @global_id; at < c[%d]; at += @global_size) {\n"
                  "        const lun_i64 f = c[%d] + at;\n"
                  "        to[lun_place(c + %d, f)] = ",
                  COUNT, FIRST, TO);
    if (fills)
        lun__text_put(r, out, "(element)c[%d];\n    }\n}\n", VALUE);
    else
        lun__text_put(r, out, "from[lun_place(c + %d, f)];\n    }\n}\n", FROM);
}

/* The next stretch ends with a row of that layout at the latest. */
static void end_row(lun_renderer *r, int layout, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "        left = c[%d] - f %% c[%d];\n"
                  "        run = c[%d] < %d && left < run ? left : run;\n",
                  layout + EXTENT + LAST, layout + EXTENT + LAST, layout + OUTER, LAST);
}

static void stretches(lun_renderer *r, bool fills, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "    lun_i64 at = @group_id * c[%d], run, left;\n"
                  "    const lun_i64 end = c[%d] - at < c[%d] ? c[%d] : at + c[%d];\n"
                  "    const lun_i64 s = c[%d], t = c[%d];\n"
                  "    for (; at < end; at += run) {\n"
                  "        const lun_i64 f = c[%d] + at;\n        run = end - at;\n",
                  SHARE, COUNT, SHARE, COUNT, SHARE, TO + STRIDE + LAST, FROM + STRIDE + LAST,
                  FIRST);
    end_row(r, TO, out);
    if (!fills)
        end_row(r, FROM, out);
    lun__text_put(r, out, "        @global element *q = to + lun_place(c + %d, f);\n", TO);
    if (fills) {
        lun__text_put(r, out,
                      "        for (lun_i64 j = 0; j < run; j++) q[j * s] = (element)c[%d];\n"
                      "    }\n}\n",
                      VALUE);
        return;
    }
    lun__text_put(r, out,
                  "        @global const element *o = from + lun_place(c + %d, f);\n"
                  "        if (s == 1 && t == 1) for (lun_i64 j = 0; j < run; j++) q[j] = o[j];\n"
                  "        else for (lun_i64 j = 0; j < run; j++) q[j * s] = o[j * t];\n"
                  "    }\n}\n",
                  FROM);
}

static void kernel(lun_renderer *r, lun_cl_form form, bool fills, lun_strbuf *out)
{
    lun__cl_moved_kernel(r, form, fills ? "lun_fill" : "lun_copy", "element", out);
    (form == LUN_CL_SCALAR ? elements : stretches)(r, fills, out);
}

void lun__transfer_kernel_text(lun_renderer *r, lun_cl_form form, int bytes, lun_strbuf *out)
{
    lun__cl_moved_text(r, "elements to other places", bytes, out);
    find_place(r, out);
    kernel(r, form, false, out);
    kernel(r, form, true, out);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void put_layout(const lun_layout *l, int64_t origin, int64_t *cells)
{
    const lun_layout s = lun__layout_simplified(l);
    cells[PLACE] = origin + s.offset;
    cells[OUTER] = AXES - s.rank;
    for (int k = 0; k < AXES; k++) {
        int from = k - (AXES - s.rank);
        cells[EXTENT + k] = from < 0 ? 1 : s.extent[from];
        cells[STRIDE + k] = from < 0 ? 0 : s.stride[from];
    }
}

void lun__transfer_kernel_plan(lun_cl_form form, const lun_transfer *t, int64_t first,
                               int64_t count, int units, int64_t *cells, lun_cl_plan *plan)
{
    cells[FIRST] = first;
    cells[COUNT] = count;
    cells[SHARE] = lun__cl_moved_plan(form, t->from ? "lun_copy" : "lun_fill", count, units, plan);
    cells[VALUE] = (int64_t)t->cell;
    put_layout(&t->at, t->to_origin, cells + TO);
    put_layout(t->from ? &t->of : &t->at, t->from_origin, cells + FROM);
}
