/* capi_ranks.c - the C interface misused, as capi.c does, where it takes axes, shapes and strides:
 * windows, layouts, joins, padding, stencils, functions of indices, products, reductions along
 * axes. */
#include "misuse.h"

static int windows(int which, world *w, const char **name, int *count)
{
    lun_engine *e = w->e;
    lun_array *m = w->m, *out = NULL;
    const int64_t one[3] = {1, 1, 1}, zero[3] = {0, 0, 0}, shape[2] = {4, 1}, far[2] = {2, 0};
    const int64_t huge[2] = {INT64_MAX, INT64_MAX}, negative[2] = {-1, -4};
    int64_t strides[LUN_MAX_RANK];
    const void *data;
    int n = 0;
    CASE(lun_window(NULL, m, 2, zero, one, NULL, &out))
    CASE(lun_window(e, NULL, 2, zero, one, NULL, &out))
    CASE(lun_window(e, m, 2, NULL, one, NULL, &out))
    CASE(lun_window(e, m, 2, zero, NULL, NULL, &out))
    CASE(lun_window(e, m, 3, zero, one, NULL, &out))
    CASE(lun_window(e, m, -1, zero, one, NULL, &out))
    CASE(lun_window(e, m, 2, far, one, NULL, &out))
    CASE(lun_window(e, m, 2, zero, huge, NULL, &out))
    CASE(lun_window(e, m, 2, zero, negative, NULL, &out))
    CASE(lun_window(e, m, 2, zero, one, zero, &out))
    CASE(lun_window(e, w->freed, 1, zero, one, NULL, &out))
    CASE(lun_window(e, w->foreign, 1, zero, one, NULL, &out))
    CASE(lun_window(e, m, 2, zero, one, NULL, NULL))
    CASE(lun_select(e, NULL, 0, 0, &out))
    CASE(lun_select(e, m, 2, 0, &out))
    CASE(lun_select(e, m, -1, 0, &out))
    CASE(lun_select(e, m, 0, INT64_MIN, &out))
    CASE(lun_select(e, m, 0, 0, NULL))
    CASE(lun_permute(e, NULL, NULL, &out))
    CASE(lun_permute(e, m, (int[]){0, 0}, &out))
    CASE(lun_permute(e, m, (int[]){0, 77}, &out))
    CASE(lun_permute(e, m, NULL, NULL))
    CASE(lun_view(e, m, 2, NULL, &out))
    CASE(lun_view(e, m, 2, huge, &out))
    CASE(lun_view(e, m, 2, negative, &out))
    CASE(lun_view(e, m, LUN_MAX_RANK + 1, shape, &out))
    CASE(lun_diagonal(e, w->a, 0, &out))
    CASE(lun_diagonal(e, m, 0, NULL))
    CASE(lun_windows(e, m, 2, 1, 1, &out))
    CASE(lun_windows(e, m, 0, 3, 1, &out))
    CASE(lun_windows(e, m, 0, -1, 1, &out))
    CASE(lun_windows(e, m, 0, 1, 0, &out))
    CASE(lun_windows(e, m, 0, 1, INT64_MIN, &out))
    CASE(lun_broadcast(e, m, 2, shape, &out))
    CASE(lun_broadcast(e, m, 2, NULL, &out))
    CASE(lun_broadcast(e, m, 2, huge, &out))
    CASE(lun_data_strided(e, NULL, &data, strides))
    CASE(lun_data_strided(e, m, NULL, strides))
    CASE(lun_data_strided(e, w->freed, &data, strides))
    QUIET(lun_strides(NULL, NULL) + lun_strides(m, NULL) + (int)lun_layout_of(NULL))
    CASE(lun_arrange(e, m, (lun_layout_kind)9, NULL, &out))
    CASE(lun_arrange(e, m, LUN_LAYOUT_STRIDED, NULL, &out))
    CASE(lun_arrange(e, m, LUN_LAYOUT_STRIDED, zero, &out))
    CASE(lun_arrange(e, m, LUN_LAYOUT_STRIDED, huge, &out))
    CASE(lun_copy_layout(e, m, LUN_LAYOUT_STRIDED, (int64_t[]){1, 1}, &out))
    CASE(lun_copy_layout(e, NULL, LUN_LAYOUT_LEFT, NULL, &out))
    *count += n;
    return -1;
}

static int computed(int which, world *w, const char **name)
{
    lun_engine *e = w->e;
    lun_array *m = w->m, *out = NULL, *outs[2] = {NULL, NULL}, *list[2] = {m, NULL};
    const int64_t one[2] = {1, 1}, zero[2] = {0, 0}, huge[2] = {INT64_MAX, INT64_MAX};
    const int64_t negative[2] = {-1, -1};
    const lun_edge edges[2] = {LUN_EDGE_NEAREST, (lun_edge)9};
    lun_value v = {.dtype = LUN_F64, .as.d = 1};
    int n = 0, results;
    CASE(lun_concat_along(e, NULL, 2, 0, &out))
    CASE(lun_concat_along(e, list, 2, 0, &out))
    CASE(lun_concat_along(e, list, 0, 0, &out))
    CASE(lun_concat_along(e, list, -1, 0, &out))
    CASE(lun_concat_along(e, list, 1, 2, &out))
    CASE(lun_concat_along(e, list, 1, 0, NULL))
    CASE(lun_stack(e, NULL, 2, 0, &out))
    CASE(lun_stack(e, list, 2, 0, &out))
    CASE(lun_stack(e, list, 1, 3, &out))
    CASE(lun_stack(e, list, 1, -1, &out))
    CASE(lun_pad(e, NULL, one, one, edges, v, &out))
    CASE(lun_pad(e, m, NULL, one, edges, v, &out))
    CASE(lun_pad(e, m, one, one, edges, v, &out))
    CASE(lun_pad(e, m, negative, one, (lun_edge[]){LUN_EDGE_WRAP, LUN_EDGE_WRAP}, v, &out))
    CASE(lun_pad(e, m, huge, huge, (lun_edge[]){LUN_EDGE_WRAP, LUN_EDGE_WRAP}, v, &out))
    CASE(lun_shift(e, NULL, 1, 0, LUN_EDGE_WRAP, v, &out))
    CASE(lun_shift(e, m, 1, 2, LUN_EDGE_WRAP, v, &out))
    CASE(lun_shift(e, m, 1, 0, (lun_edge)9, v, &out))
    CASE(lun_shift(e, m, 1, 0, LUN_EDGE_VALUE, (lun_value){.dtype = (lun_dtype)77}, &out))
    CASE(lun_stencil(NULL, w->f, &m, 1, 1, NULL, outs, 2, &results))
    CASE(lun_stencil(e, NULL, &m, 1, 1, NULL, outs, 2, &results))
    CASE(lun_stencil(e, w->f, NULL, 1, 1, NULL, outs, 2, &results))
    CASE(lun_stencil(e, w->f, list, 2, 2, NULL, outs, 2, &results))
    CASE(lun_stencil(e, w->f, &m, 1, 0, NULL, outs, 2, &results))
    CASE(lun_stencil(e, w->f, &m, -1, 1, NULL, outs, 2, &results))
    CASE(lun_stencil(e, w->f, &m, 1, 1, NULL, NULL, 2, &results))
    CASE(lun_generate(e, NULL, 2, NULL, one, outs, 2, &results))
    CASE(lun_generate(e, w->f, 2, NULL, NULL, outs, 2, &results))
    CASE(lun_generate(e, w->f, 2, NULL, huge, outs, 2, &results))
    CASE(lun_generate(e, w->f, 2, NULL, negative, outs, 2, &results))
    CASE(lun_generate(e, w->f, 0, NULL, one, outs, 2, &results))
    CASE(lun_generate(e, w->f, LUN_MAX_RANK + 1, NULL, one, outs, 2, &results))
    CASE(lun_generate(e, w->f, 2, NULL, one, outs, -1, &results))
    CASE(lun_each(e, NULL, 2, NULL, one, NULL, NULL, 0))
    CASE(lun_each(e, w->f, 2, NULL, one, NULL, NULL, 0))
    CASE(lun_each(e, w->f, 2, NULL, one, NULL, NULL, 1))
    CASE(lun_each(e, w->f, 2, NULL, one, NULL, NULL, -1))
    CASE(lun_each(e, w->f, 2, NULL, NULL, NULL, NULL, 0))
    CASE(lun_matmul(NULL, m, m, &out))
    CASE(lun_matmul(e, NULL, m, &out))
    CASE(lun_matmul(e, m, NULL, &out))
    CASE(lun_matmul(e, m, w->freed, &out))
    CASE(lun_matmul(e, m, w->foreign, &out))
    CASE(lun_matmul(e, m, m, NULL))
    CASE(lun_along(e, (lun_reduction)99, m, (int[]){0}, 1, NULL, &out))
    CASE(lun_along(e, LUN_SUM, NULL, (int[]){0}, 1, NULL, &out))
    CASE(lun_along(e, LUN_SUM, m, NULL, 1, NULL, &out))
    CASE(lun_along(e, LUN_SUM, m, (int[]){2}, 1, NULL, &out))
    CASE(lun_along(e, LUN_SUM, m, (int[]){0, 0}, 2, NULL, &out))
    CASE(lun_along(e, LUN_SUM, m, (int[]){0}, -1, NULL, &out))
    CASE(lun_along(e, LUN_SUM, m, (int[]){0}, 1, NULL, NULL))
    CASE(lun_fold_along(e, NULL, NULL, m, (int[]){0}, 1, false, &out))
    CASE(lun_fold_along(e, w->f, NULL, NULL, (int[]){0}, 1, false, &out))
    CASE(lun_fold_along(e, w->f, NULL, m, (int[]){-1}, 1, false, &out))
    CASE(lun_scan_along(e, NULL, NULL, m, 0, true, &out))
    CASE(lun_scan_along(e, w->f, NULL, m, 2, true, &out))
    CASE(lun_scan_along(e, w->f, NULL, m, 0, true, NULL))
    QUIET((lun_check_indices(NULL, true), (int)zero[0]))
    return -1;
}

static int misuse(int which, world *w, const char **name)
{
    int count = 0, s = windows(which, w, name, &count);
    return s >= 0 ? s : computed(which - count, w, name);
}

int main(void)
{
    return misuse_all(misuse, "misuse of the C interface, axes and shapes");
}
