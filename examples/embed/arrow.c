/* A C program whose columns go to scripts and come back by Arrow's C data interface, without a copy
 * of its numbers and without Arrow's library.
 *
 *     cc arrow.c $(pkg-config --cflags --libs lunarray) -o arrow && ./arrow
 *
 * prints:
 *     in: 6 rows, 0 bytes copied
 *     the columns of this program are released
 *     out: key i, best g
 *     key 1: 4.5
 *     key 2: 7.0
 *     key 3: missing
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lunarray.h>
#include <lunarray_arrow.h>

static lun_engine *e;

static void need(lun_status s)
{
    if (s == LUN_OK)
        return;
    fprintf(stderr, "arrow: %s: %s\n", lun_status_name(s), lun_error(e));
    exit(EXIT_FAILURE);
}

/* ---- two columns of this program, which keeps them until they are released ------------------- */

enum { ROWS = 6 };
static _Alignas(64) const int32_t keys[ROWS] = {1, 2, 1, 2, 1, 2};
static _Alignas(64) const double values[ROWS] = {1.5, 2, 4.5, 7, 3, 1};

static void release_schema(struct ArrowSchema *s)
{
    s->release = NULL;
}

static void release_column(struct ArrowArray *a)
{
    a->release = NULL;
}

static void release_columns(struct ArrowArray *a)
{
    for (int64_t k = 0; k < a->n_children; k++)
        if (a->children[k]->release)
            a->children[k]->release(a->children[k]);
    puts("the columns of this program are released");
    a->release = NULL;
}

/* A struct of two columns: i32 and f64 (formats i and g) without missing elements. */
static void make(struct ArrowSchema *s, struct ArrowArray *a)
{
    static struct ArrowSchema schemas[2], *schema[] = {&schemas[0], &schemas[1]};
    static struct ArrowArray arrays[2], *array[] = {&arrays[0], &arrays[1]};
    static const void *key[] = {NULL, keys}, *value[] = {NULL, values}, *none[] = {NULL};
    schemas[0] = (struct ArrowSchema){.format = "i", .name = "key", .release = release_schema};
    schemas[1] = (struct ArrowSchema){.format = "g", .name = "x", .release = release_schema};
    arrays[0] = (struct ArrowArray){
        .length = ROWS, .n_buffers = 2, .buffers = key, .release = release_column};
    arrays[1] = (struct ArrowArray){
        .length = ROWS, .n_buffers = 2, .buffers = value, .release = release_column};
    *s = (struct ArrowSchema){
        .format = "+s", .name = "", .n_children = 2, .children = schema, .release = release_schema};
    *a = (struct ArrowArray){.length = ROWS,
                             .n_buffers = 1,
                             .buffers = none,
                             .n_children = 2,
                             .children = array,
                             .release = release_columns};
}

/* ---- what comes out -------------------------------------------------------------------------- */

static void print_rows(const struct ArrowArray *batch)
{
    const struct ArrowArray *key = batch->children[0], *best = batch->children[1];
    const uint8_t *valid = best->buffers[0]; /* a bit for each row; NULL: all have a value */
    for (int64_t i = 0; i < batch->length; i++) {
        const int64_t k = i + key->offset, b = i + best->offset;
        printf("key %d: ", (int)((const int32_t *)key->buffers[1])[k]);
        if (valid && !(valid[b / 8] >> b % 8 & 1))
            puts("missing");
        else
            printf("%.1f\n", ((const double *)best->buffers[1])[b]);
    }
}

int main(void)
{
    static const char script[] = "local all = lun.table{key = lun.vector({1, 2, 3}, 'i32')}\n"
                                 "r = all:join(t:group 'key':agg{{'best', 'max', 'x'}}, 'key', "
                                 "{how = 'left'})";
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct ArrowArrayStream stream;
    lun_stats now = {.size = sizeof now};
    lun_variant given = {.type = LUN_TYPE_TABLE}, result;
    lun_globals *scope;

    need(lun_open(NULL, &e));
    make(&schema, &array);
    need(lun_from_arrow(e, &schema, &array, &given.as.table)); /* moves both to the engine */
    lun_stats_get(e, &now);
    printf("in: %d rows, %d bytes copied\n", (int)lun_table_rows(given.as.table),
           (int)now.bytes_copied);

    need(lun_scope_new(e, &scope));
    need(lun_scope_set(scope, "t", &given));
    need(lun_scope_run(scope, script, strlen(script), "=script"));
    need(lun_scope_get(scope, "r", &result));
    lun_scope_free(scope);
    lun_table_release(given.as.table);
    need(lun_to_arrow_stream(e, result.as.table, NULL, &stream));
    lun_table_release(result.as.table);
    lun_close(e); /* what was given out stays */

    if (stream.get_schema(&stream, &schema))
        return EXIT_FAILURE;
    printf("out: %s %s, %s %s\n", schema.children[0]->name, schema.children[0]->format,
           schema.children[1]->name, schema.children[1]->format);
    schema.release(&schema);
    while (!stream.get_next(&stream, &array) && array.release) {
        print_rows(&array);
        array.release(&array);
    }
    stream.release(&stream);
    return EXIT_SUCCESS;
}
