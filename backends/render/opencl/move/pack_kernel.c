/* pack_kernel.c - kernels that copy the elements of a layout side by side, for strided slots, and
 * how they are run; see render/render.h.  Knows no IR.
 *
 * A work-item finds the indices of its first element by division, and steps from there to its next
 * one: in the SCALAR form by the size of the grid, in the digits of a number system whose bases are
 * the extents; in the VECTOR form to the next row of its share. Where the elements of another axis
 * than the last are neighbours in memory, both axes are cut into squares, which are read along the
 * one and written along the other. */
#include "render/opencl/move/moved.h"

#include "render/text/text.h"

enum {
    AXES = LUN_LAYOUT_RANK,
    LAST = AXES - 1,
    GROUP = LUN_CL_MOVED_GROUP,
    SQUARE = 32,   /* extents of a square; its rows are one element apart more, for the banks */
    WORTHWHILE = 8 /* extent from which squares are */
};

/* Cells; axes are numbered so that the last one is always LAST. */
enum {
    BASE,   /* offset of the element with indices 0 */
    FIRST,  /* number of the first element; squares: what indices 0 are less that */
    COUNT,  /* elements to write */
    SHARE,  /* elements of a work-item; squares: how many there are */
    EXTENT, /* by axis */
    STRIDE = EXTENT + AXES,
    STEP = STRIDE + AXES, /* digits of the grid; squares: elements from an index to the next */
    ACROSS = STEP + AXES, /* squares: the axis along which they are read */
    CELLS
};
_Static_assert((int)CELLS == (int)LUN_CL_PACK_CELLS, "render.h says how many cells there are");

/* ---- the text -------------------------------------------------------------------------------- */

/* name, element, axes, assignment */
static void grid(lun_renderer *r, const char *name, const char *element, int axes, const char *put,
                 lun_strbuf *out)
{
    int e = EXTENT + AXES - axes, s = STRIDE + AXES - axes, d = STEP + AXES - axes;
    lun__cl_moved_kernel(r, LUN_CL_SCALAR, name, element, out);
    lun__text_put(r, out,
                  "    lun_i64 i[%d], rest = c[%d] + @global_id;\n"
                  "#pragma unroll\n"
                  "    for (int k = %d; k > 0; k--) {\n"
                  "        i[k] = rest %% c[%d + k];\n        rest /= c[%d + k];\n    }\n"
                  "    i[0] = rest;\n"
                  "    for (lun_i64 at = @global_id; at < c[%d]; at += @global_size) {\n"
                  "        lun_i64 p = c[%d];\n"
                  "#pragma unroll\n"
                  "        for (int k = 0; k < %d; k++) p += i[k] * c[%d + k];\n"
                  "        to[at] = %s;\n",
                  axes, FIRST, axes - 1, e, e, COUNT, BASE, axes, s, put);
    lun__text_put(r, out,
                  "#pragma unroll\n"
                  "        for (int k = %d; k > 0; k--) {\n"
                  "            i[k] += c[%d + k];\n"
                  "            const lun_i64 over = i[k] >= c[%d + k];\n"
                  "            i[k] -= over ? c[%d + k] : 0;\n            i[k - 1] += over;\n"
                  "        }\n        i[0] += c[%d];\n    }\n}\n",
                  axes - 1, d, e, e, d);
}

static void grid_squares(lun_renderer *r, lun_strbuf *out)
{
    lun__cl_moved_kernel(r, LUN_CL_SCALAR, "lun_squares", "element", out);
    lun__text_put(r, out,
                  "    @local element square[%d];\n"
                  "    const int x = @local_id %% %d, y = @local_id / %d;\n"
                  "    for (lun_i64 t = @group_id; t < c[%d]; t += @global_size / %d) {\n"
                  "        struct place a = lun_square(c, t);\n"
                  "        for (int j = y; j < a.columns; j += %d)\n"
                  "            if (x < a.rows) square[j * %d + x] = from[a.at + x * a.down + j * "
                  "c[%d]];\n        @local_barrier;\n",
                  SQUARE * (SQUARE + 1), SQUARE, SQUARE, SHARE, GROUP, GROUP / SQUARE, SQUARE + 1,
                  STRIDE + LAST);
    lun__text_put(r, out,
                  "        for (int j = y; j < a.rows; j += %d) {\n"
                  "            const lun_i64 f = a.number + j * a.row + x;\n"
                  "            if (x < a.columns && f >= 0 && f < c[%d])\n"
                  "                to[f] = square[x * %d + j];\n        }\n"
                  "        @local_barrier;\n    }\n}\n",
                  GROUP / SQUARE, COUNT, SQUARE + 1);
}

/* Rows of a share, one after the other. */
static void rows(lun_renderer *r, const char *name, const char *element, bool places,
                 lun_strbuf *out)
{
    lun__cl_moved_kernel(r, LUN_CL_VECTOR, name, element, out);
    lun__text_put(r, out,
                  "    lun_i64 i[%d], at = @group_id * c[%d], rest = c[%d] + at, p = c[%d];\n"
                  "    const lun_i64 end = c[%d] - at < c[%d] ? c[%d] : at + c[%d];\n"
                  "    const lun_i64 s = c[%d];\n"
                  "    for (int k = %d; k > 0; k--) {\n"
                  "        i[k] = rest %% c[%d + k];\n        rest /= c[%d + k];\n"
                  "        p += i[k] * c[%d + k];\n    }\n"
                  "    i[0] = rest;\n    p += rest * c[%d];\n",
                  AXES, SHARE, FIRST, BASE, COUNT, SHARE, COUNT, SHARE, STRIDE + LAST, LAST, EXTENT,
                  EXTENT, STRIDE, STRIDE);
    lun__text_put(r, out,
                  "    while (at < end) {\n"
                  "        lun_i64 run = c[%d] - i[%d];\n"
                  "        run = run < end - at ? run : end - at;\n"
                  "        @global %s *q = to + at;\n",
                  EXTENT + LAST, LAST, element);
    if (places)
        lun__text_put(r, out, "        for (lun_i64 j = 0; j < run; j++) q[j] = p + j * s;\n");
    else
        lun__text_put(r, out,
                      "        @global const element *o = from + p;\n"
                      "        if (s == 1) for (lun_i64 j = 0; j < run; j++) q[j] = o[j];\n"
                      "        else for (lun_i64 j = 0; j < run; j++) q[j] = o[j * s];\n");
    lun__text_put(
        r, out,
        "        at += run;\n        p -= i[%d] * s;\n        i[%d] = 0;\n"
        "        for (int k = %d; k >= 0; k--) {\n            p += c[%d + k];\n"
        "            if (++i[k] < c[%d + k]) break;\n"
        "            p -= i[k] * c[%d + k];\n            i[k] = 0;\n        }\n    }\n}\n",
        LAST, LAST, LAST - 1, STRIDE, EXTENT, STRIDE);
}

static void row_squares(lun_renderer *r, lun_strbuf *out)
{
    lun__cl_moved_kernel(r, LUN_CL_VECTOR, "lun_squares", "element", out);
    lun__text_put(r, out,
                  "    element square[%d];\n"
                  "    for (lun_i64 t = @group_id; t < c[%d]; t += @global_size) {\n"
                  "        struct place a = lun_square(c, t);\n"
                  "        for (int j = 0; j < a.columns; j++)\n"
                  "            for (int x = 0; x < a.rows; x++)\n"
                  "                square[j * %d + x] = from[a.at + x * a.down + j * c[%d]];\n",
                  SQUARE * (SQUARE + 1), SHARE, SQUARE + 1, STRIDE + LAST);
    lun__text_put(r, out,
                  "        for (int j = 0; j < a.rows; j++) {\n"
                  "            const lun_i64 f = a.number + j * a.row;\n"
                  "            const lun_i64 low = f < 0 ? -f : 0, left = c[%d] - f;\n"
                  "            const lun_i64 end = left < a.columns ? left : a.columns;\n"
                  "            for (lun_i64 x = low; x < end; x++)\n"
                  "                to[f + x] = square[x * %d + j];\n        }\n    }\n}\n",
                  COUNT, SQUARE + 1);
}

/* The offset of square t in memory, its index among the elements, and its extents. */
static void find_square(lun_renderer *r, lun_strbuf *out)
{
    lun__text_put(
        r, out,
        "struct place { lun_i64 at, number, down, row, rows, columns; };\n"
        "@inline struct place lun_square(@constant lun_i64 *c, lun_i64 t)\n{\n"
        "    const int across = (int)c[%d];\n"
        "    const lun_i64 high = c[%d + across], wide = c[%d];\n"
        "    const lun_i64 w = (wide + %d) / %d, h = (high + %d) / %d;\n"
        "    const lun_i64 x = t %% w * %d, y = t / w %% h * %d;\n"
        "    struct place a = {.down = c[%d + across], .row = c[%d + across]};\n"
        "    a.rows = high - y < %d ? high - y : %d;\n"
        "    a.columns = wide - x < %d ? wide - x : %d;\n"
        "    a.at = c[%d] + x * c[%d] + y * a.down;\n    a.number = c[%d] + x + y * a.row;\n"
        "    t /= w * h;\n",
        ACROSS, EXTENT, EXTENT + LAST, SQUARE - 1, SQUARE, SQUARE - 1, SQUARE, SQUARE, SQUARE,
        STRIDE, STEP, SQUARE, SQUARE, SQUARE, SQUARE, BASE, STRIDE + LAST, FIRST);
    lun__text_put(r, out,
                  "    for (int k = %d; k >= 0; k--)\n"
                  "        if (k != across && c[%d + k] > 1) {\n"
                  "            const lun_i64 i = t %% c[%d + k];\n            t /= c[%d + k];\n"
                  "            a.at += i * c[%d + k];\n            a.number += i * c[%d + k];\n"
                  "        }\n    return a;\n}\n",
                  LAST - 1, EXTENT, EXTENT, EXTENT, STRIDE, STEP);
}

void lun__pack_kernel_text(lun_renderer *r, lun_cl_form form, int bytes, lun_strbuf *out)
{
    lun__cl_moved_text(r, "elements side by side", bytes, out);
    find_square(r, out);
    if (form == LUN_CL_SCALAR) {
        grid(r, "lun_pack2", "element", 2, "from[p]", out);
        grid(r, "lun_pack8", "element", AXES, "from[p]", out);
        grid(r, "lun_places", "lun_i64", AXES, "p", out);
        grid_squares(r, out);
    } else {
        rows(r, "lun_pack8", "element", false, out);
        rows(r, "lun_places", "lun_i64", true, out);
        row_squares(r, out);
    }
}

/* ---- the plan -------------------------------------------------------------------------------- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The axis along which squares are read, -1: elements are read one after the other. */
static int find_across(const int64_t *cells)
{
    if (cells[EXTENT + LAST] < WORTHWHILE ||
        (cells[STRIDE + LAST] >= -1 && cells[STRIDE + LAST] <= 1))
        return -1;
    for (int k = LAST - 1; k >= 0; k--)
        if (cells[EXTENT + k] >= WORTHWHILE && (cells[STRIDE + k] == 1 || cells[STRIDE + k] == -1))
            return k;
    return -1;
}

/* Squares over the indices of the first axis that the elements have, and over all others. */
static void plan_squares(int rank, int across, int64_t *cells)
{
    int axis = AXES - rank;
    int64_t weight = 1;
    for (int k = LAST; k >= 0; k--) {
        cells[STEP + k] = weight;
        weight *= cells[EXTENT + k];
    }
    int64_t each = cells[STEP + axis], low = cells[FIRST] / each;
    int64_t high = (cells[FIRST] + cells[COUNT] - 1) / each + 1;
    cells[BASE] += low * cells[STRIDE + axis];
    cells[FIRST] = low * each - cells[FIRST];
    cells[EXTENT + axis] = high - low;
    cells[ACROSS] = across;
    cells[SHARE] = 1;
    for (int k = 0; k < AXES; k++)
        cells[SHARE] *= k == across || k == LAST
                            ? lun__cl_moved_divide_up(cells[EXTENT + k], SQUARE)
                            : cells[EXTENT + k];
}

/* The digits of the number of work-items. */
static void plan_grid(int64_t items, int64_t *cells)
{
    for (int k = LAST; k > 0; k--) {
        cells[STEP + k] = items % cells[EXTENT + k];
        items /= cells[EXTENT + k];
    }
    cells[STEP] = items;
}

void lun__pack_kernel_plan(lun_cl_form form, const lun_cl_packing *p, int units, int64_t *cells,
                           lun_cl_plan *plan)
{
    const lun_layout *l = p->layout;
    cells[BASE] = p->origin + l->offset;
    cells[FIRST] = p->first;
    cells[COUNT] = p->count;
    cells[ACROSS] = 0;
    for (int k = 0; k < AXES; k++) {
        int from = k - (AXES - l->rank);
        cells[EXTENT + k] = from < 0 ? 1 : l->extent[from];
        cells[STRIDE + k] = from < 0 ? 0 : l->stride[from];
        cells[STEP + k] = 0;
    }
    int across = p->places ? -1 : find_across(cells);
    const char *name = p->places ? "lun_places" : "lun_pack8";
    if (form == LUN_CL_SCALAR && !p->places && l->rank <= 2)
        name = "lun_pack2";
    if (across < 0) {
        cells[SHARE] = lun__cl_moved_plan(form, name, p->count, units, plan);
        if (form == LUN_CL_SCALAR)
            plan_grid((int64_t)plan->step[0].global, cells);
        return;
    }
    plan_squares(l->rank, across, cells);
    int64_t local = form == LUN_CL_SCALAR ? GROUP : 1;
    *plan = (lun_cl_plan){.steps = 1};
    plan->step[0].kernel = "lun_squares";
    plan->step[0].local = (size_t)local;
    plan->step[0].global = (size_t)(local * least(cells[SHARE], (int64_t)(units < 1 ? 1 : units) *
                                                                    LUN_CL_MOVED_GROUPS));
}
