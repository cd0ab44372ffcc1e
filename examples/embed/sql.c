/* A C program that asks by SQL: a statement over tables of its own, with parameters, through
 * DuckDB's library, which is found when the first statement runs.
 *
 *     cc sql.c $(pkg-config --cflags --libs lunarray) -o sql && ./sql examples/data/airports.csv
 *
 * prints:
 *     AK 263 airports, the northernmost at 71.3
 *     MT 70 airports, the northernmost at 49.0
 *     WA 65 airports, the northernmost at 49.0
 *     3 rows inserted
 *     refused: no file for a statement of others
 */
#include <stdio.h>
#include <stdlib.h>

#include <lunarray.h>

static lun_engine *e;

static void need(lun_status s)
{
    if (s == LUN_OK)
        return;
    fprintf(stderr, "sql: %s: %s\n", lun_status_name(s), lun_error(e));
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    static const char *const name[] = {"airports"};
    lun_table *airports;
    lun_array *state, *count, *most;
    lun_string code[3];
    int64_t number[3];
    double latitude[3];
    lun_variant answer;

    need(lun_open(NULL, &e));
    need(lun_table_load(e, argc > 1 ? argv[1] : "examples/data/airports.csv", NULL, &airports));

    /* A table comes back. */
    need(lun_sql(e,
                 "select state, count(*) as n, max(latitude) as north from airports "
                 "where latitude > $above group by state order by n desc limit 3",
                 name, &airports, 1, "{parameters = {above = 45}}", &answer));
    need(lun_table_column(e, answer.as.table, "state", &state));
    need(lun_table_column(e, answer.as.table, "n", &count));
    need(lun_table_column(e, answer.as.table, "north", &most));
    need(lun_text_read(e, state, 0, 3, code));
    need(lun_read(e, count, number, 0, 3));
    need(lun_read(e, most, latitude, 0, 3));
    for (int k = 0; k < 3; k++)
        printf("%.*s %d airports, the northernmost at %.1f\n", (int)code[k].length, code[k].data,
               (int)number[k], latitude[k]);

    /* A statement without rows gives how many it changed. */
    lun_variant made;
    need(lun_sql(e, "create table kept (i integer)", NULL, NULL, 0, NULL, &made));
    need(lun_sql(e, "insert into kept select range from range(3)", NULL, NULL, 0, NULL, &made));
    printf("%d rows inserted\n", (int)made.as.integer);

    /* A text from strangers reaches no file. */
    const char *strange = "select * from 'examples/data/airports.csv'";
    if (lun_sql(e, strange, NULL, NULL, 0, "{files = false}", &made) != LUN_OK)
        puts("refused: no file for a statement of others");

    lun_release(state);
    lun_release(count);
    lun_release(most);
    lun_table_release(answer.as.table);
    lun_table_release(airports);
    lun_close(e);
    return EXIT_SUCCESS;
}
