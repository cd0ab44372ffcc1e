/* A C program that works on tables of columns: loads a csv, filters, groups, joins, sorts, saves, and
 * reads texts and missing elements, without a line of Lua:
 *
 *     cc tables.c $(pkg-config --cflags --libs lunarray) -o tables && ./tables examples/data/airports.csv
 *
 * prints:
 *     3376 airports, 7 columns
 *     AK Alaska      263 airports, up to 71.2854
 *     MT ?            70 airports, up to 48.9689
 *     WA ?            65 airports, up to 48.959
 *     ND ?            52 airports, up to 48.9978
 *     state,name
 *     AK,Alaska
 *     MT,
 *     WA,
 *     ND,
 */
#include <stdio.h>
#include <stdlib.h>

#include <lunarray.h>

enum { ROWS = 4 };
static lun_engine *e;

static void need(lun_status s)
{
    if (s == LUN_OK)
        return;
    fprintf(stderr, "tables: %s: %s\n", lun_status_name(s), lun_error(e));
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    lun_table *all, *north, *states, *names, *both, *sorted, *first;
    lun_array *latitude, *limit, *mask, *codes, *texts, *top, *column[4];
    lun_string code[ROWS], name[ROWS];
    int64_t count[ROWS];
    double most[ROWS];
    void *bytes = NULL;
    size_t n = 0;

    need(lun_open(NULL, &e));
    need(lun_table_load(e, argc > 1 ? argv[1] : "examples/data/airports.csv", NULL, &all));
    printf("%d airports, %d columns\n", (int)lun_table_rows(all), (int)lun_table_width(all));

    /* Airports north of 45 degrees, by state. */
    need(lun_table_column(e, all, "latitude", &latitude));
    need(lun_number(e, 45, &limit));
    need(lun_gt(e, latitude, limit, &mask));
    need(lun_table_filter(e, all, mask, &north));
    const lun_table_aggregate what[] = {
        {.name = "airports", .function = "count"},
        {.name = "northernmost", .function = "max", .column = "latitude"}};
    need(lun_table_group_agg(e, north, (const char *[]){"state"}, 1, what, 2, NULL, &states));

    /* Names of some states beside them; the others have none. */
    need(lun_text(e, (lun_string[]){{"AK", 2}, {"MN", 2}}, 2, &codes));
    need(lun_text(e, (lun_string[]){{"Alaska", 6}, {"Minnesota", 9}}, 2, &texts));
    need(lun_table_make(e, (const char *[]){"state", "name"}, (lun_array *[]){codes, texts}, 2,
                        &names));
    const lun_table_join_options left = {.size = sizeof left, .how = "left"};
    need(lun_table_join(e, states, names, (const char *[]){"state"}, 1, &left, &both));
    const lun_table_sort_options down = {.size = sizeof down, .descending = (bool[]){true}};
    need(lun_table_sort(e, both, (const char *[]){"airports"}, 1, &down, &sorted));

    for (int k = 0; k < 4; k++)
        need(lun_table_column(e, sorted, lun_table_name(sorted, k), &column[k]));
    need(lun_read(e, column[1], count, 0, ROWS));
    need(lun_read(e, column[2], most, 0, ROWS));
    need(lun_text_read(e, column[0], 0, ROWS, code));
    need(lun_text_read(e, column[3], 0, ROWS, name));
    for (int i = 0; i < ROWS; i++) /* a text that is missing has no data */
        printf("%.*s %-10.*s %4d airports, up to %g\n", (int)code[i].length, code[i].data,
               name[i].data ? (int)name[i].length : 1, name[i].data ? name[i].data : "?",
               (int)count[i], most[i]);

    need(lun_vector(e, (int64_t[]){0, 1, 2, 3}, ROWS, LUN_I64, &top));
    need(lun_table_take(e, sorted, top, &first));
    const lun_variant table = {.type = LUN_TYPE_TABLE, .as.table = first};
    const char *options = "{columns = {'state', 'name'}}";
    need(argc > 2 ? lun_save_any(e, argv[2], &table, options)
                  : lun_encode(e, &table, "csv", options, &bytes, &n));
    fwrite(bytes, 1, n, stdout);
    lun_bytes_free(e, bytes);

    for (int k = 0; k < 4; k++)
        lun_release(column[k]);
    lun_array *const arrays[] = {latitude, limit, mask, codes, texts, top};
    lun_table *const tables[] = {all, north, states, names, both, sorted, first};
    for (int k = 0; k < 7; k++)
        lun_table_release(tables[k]);
    for (int k = 0; k < 6; k++)
        lun_release(arrays[k]);
    lun_close(e);
    return 0;
}
