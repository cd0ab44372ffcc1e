/* A model that a script packs once, and a program without scripts that uses it: lun.pack makes bytes
 * of a Lua function and what it captures, lun_unpack runs them without Lua and without a compiler.
 *
 *     cc package.c $(pkg-config --cflags --libs lunarray) -o package && ./package
 *
 * prints:
 *     packed: a map of 1 array
 *     0.00 -> 0.500
 *     0.50 -> 0.860
 *     1.00 -> 0.977
 *     another dtype: the package has no function of (i32): it has those of (f64), (f32); the option dtypes of lun.pack says which it has
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lunarray.h>

/* What the authors of the model run. */
static const char script[] = "local w = lun.vector { 0.0, 3.5, 0.25 }\n"
                             "local model = lun.map(function(x)\n"
                             "  local y = 0.0\n"
                             "  for i = #w, 1, -1 do y = y * x + w[i] end\n"
                             "  return 1 / (1 + math.exp(-y))\n"
                             "end)\n"
                             "bytes = lun.pack(model, { dtypes = { 'f64', 'f32' } })";

static void need(lun_engine *e, lun_status s)
{
    if (s == LUN_OK)
        return;
    fprintf(stderr, "package: %s: %s\n", lun_status_name(s), lun_error(e));
    exit(1);
}

/* The bytes, as they would be in a file. */
static void *pack(size_t *length)
{
    lun_engine *e = NULL;
    const char *text;
    need(e, lun_open(NULL, &e));
    need(e, lun_dostring(e, script));
    need(e, lun_gettext(e, "bytes", &text, length));
    void *copy = malloc(*length);
    if (!copy)
        exit(1);
    memcpy(copy, text, *length);
    lun_close(e);
    return copy;
}

int main(void)
{
    const double x[] = {0, 0.5, 1};
    size_t length;
    void *bytes = pack(&length);
    lun_engine *e = NULL;
    lun_package *model;
    lun_array *a, *y, *integers;
    lun_value v;
    int results;
    need(e, lun_open(NULL, &e));
    need(e, lun_unpack(e, bytes, length, &model));
    printf("packed: a map of %d array\n", lun_package_arrays(model));
    need(e, lun_vector(e, x, 3, LUN_F64, &a));
    need(e, lun_package_apply(model, &a, 1, &y, 1, &results));
    for (int k = 0; k < 3; k++) {
        need(e, lun_get(e, y, k, &v));
        printf("%.2f -> %.3f\n", x[k], v.as.d);
    }
    need(e, lun_cast(e, a, LUN_I32, &integers));
    if (lun_package_apply(model, &integers, 1, &y, 1, &results) != LUN_OK)
        printf("another dtype: %s\n", lun_error(e));
    lun_package_release(model);
    lun_close(e);
    free(bytes);
    return 0;
}
