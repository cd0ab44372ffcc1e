/* hosts.c - hosts that use all doors of C, each in a thread with an engine of its own: tables
 * through every format of files and of bytes, Arrow with releases on another thread, SQL, scopes
 * with functions of the host, records, messages and tools. What comes back is compared with what
 * the host put in. After the first rounds memory, descriptors and threads stay as they are. */
#include "kit.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>

#include "lunarray.h"
#include "lunarray_arrow.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

enum { HOSTS = 4, MOST_ROWS = 1000, FORMATS = 11 };
static const char *const formats[FORMATS] = {
    "csv", "csv.gz", "json", "jsonl", "arrow", "feather", "arrows", "db", "h5", "npz", "parquet"};

typedef struct host {
    pthread_t thread;
    int number, rounds, from; /* rounds `from` .. rounds - 1 */
    lun_engine *e;
    char dir[64];
    int64_t n; /* rows of this round */
    int32_t id[MOST_ROWS];
    double x[MOST_ROWS];
    bool missing[MOST_ROWS];
    char name[MOST_ROWS][16];
    int destroyed, noted, regions;
    int done[FORMATS], queries;
    char why[400]; /* "": all is well */
} host;

/* Keeps the first failure. */
__attribute__((format(printf, 3, 4))) static bool bad(host *h, bool failed, const char *format, ...)
{
    va_list list;
    if (failed && !h->why[0]) {
        int n;
        va_start(list, format);
        n = vsnprintf(h->why, sizeof h->why, format, list);
        va_end(list);
        if (n >= 0 && (size_t)n < sizeof h->why && h->e)
            snprintf(h->why + n, sizeof h->why - (size_t)n, ": %s", lun_error(h->e));
    }
    return failed;
}

/* ---- the table of a round -------------------------------------------------------------------- */

static void choose_rows(host *h, int round)
{
    static const int64_t lengths[] = {0, 1, 63, 64, 65, 300, MOST_ROWS};
    uint64_t state = (uint64_t)(round * HOSTS + h->number);
    h->n = lengths[(round + h->number) % 7];
    for (int64_t i = 0; i < h->n; i++) {
        h->id[i] = (int32_t)kit_below(&state, 2000000) - 1000000;
        h->x[i] = (double)kit_below(&state, 1 << 20) / 64 - 100;
        h->missing[i] = kit_below(&state, 5) == 0;
        snprintf(h->name[i], sizeof h->name[i], "n%d \xc3\xa9", (int)kit_below(&state, 40));
    }
}

/* Columns id (i32), x (f64, some missing where `gaps`), and with `texts` name. */
static lun_table *make_table(host *h, bool gaps, bool texts)
{
    static const char *const names[] = {"id", "x", "name"};
    static lun_string none;
    lun_string all[MOST_ROWS];
    lun_array *columns[3] = {NULL}, *x = NULL, *mask = NULL;
    lun_table *t = NULL;
    for (int64_t i = 0; i < h->n; i++)
        all[i] = (lun_string){h->name[i], (int64_t)strlen(h->name[i])};
    if (!bad(h, lun_vector(h->e, h->id, h->n, LUN_I32, &columns[0]) != LUN_OK, "id") &&
        !bad(h, lun_vector(h->e, h->x, h->n, LUN_F64, &x) != LUN_OK, "x") &&
        !bad(h, lun_vector(h->e, h->missing, h->n, LUN_BOOL, &mask) != LUN_OK, "missing") &&
        !bad(h, lun_text(h->e, h->n ? all : &none, h->n, &columns[2]) != LUN_OK, "name")) {
        if (gaps)
            bad(h, lun_with_missing(h->e, x, mask, &columns[1]) != LUN_OK, "with missing");
        else
            lun_retain(columns[1] = x);
        if (columns[1])
            bad(h, lun_table_make(h->e, names, columns, texts ? 3 : 2, &t) != LUN_OK, "table");
    }
    for (int k = 0; k < 3; k++)
        lun_release(columns[k]);
    lun_release(x);
    lun_release(mask);
    return t;
}

/* Elements of a column as the dtype that a format gave it: integers may have become wider. */
static double number_at(host *h, lun_array *a, int64_t i)
{
    lun_value v = {.dtype = LUN_F64};
    bad(h, lun_get(h->e, a, i, &v) != LUN_OK, "element %lld", (long long)i);
    return v.dtype == LUN_F64 ? v.as.d : (double)v.as.i;
}

static void compare(host *h, lun_table *t, const char *what, bool gaps, bool texts)
{
    lun_array *id = NULL, *x = NULL, *name = NULL, *missing = NULL;
    lun_string s;
    if (bad(h, lun_table_rows(t) != h->n, "%s: %lld rows of %lld", what,
            (long long)lun_table_rows(t), (long long)h->n) ||
        bad(h, lun_table_column(h->e, t, "id", &id) != LUN_OK, "%s: id", what) ||
        bad(h, lun_table_column(h->e, t, "x", &x) != LUN_OK, "%s: x", what) ||
        bad(h, lun_missing(h->e, x, &missing) != LUN_OK, "%s: missing", what) ||
        bad(h, texts && lun_table_column(h->e, t, "name", &name) != LUN_OK, "%s: name", what))
        goto end;
    for (int64_t i = 0; i < h->n && !h->why[0]; i++) {
        lun_value gone = {.dtype = LUN_BOOL};
        const bool expected = gaps && h->missing[i];
        bad(h, number_at(h, id, i) != h->id[i], "%s: id %lld", what, (long long)i);
        bad(h, lun_get(h->e, missing, i, &gone) != LUN_OK || (gone.as.u != 0) != expected,
            "%s: missing %lld", what, (long long)i);
        bad(h, !expected && number_at(h, x, i) != h->x[i], "%s: x %lld", what, (long long)i);
        if (texts && !bad(h, lun_text_read(h->e, name, i, 1, &s) != LUN_OK, "%s: text", what))
            bad(h,
                (size_t)s.length != strlen(h->name[i]) ||
                    memcmp(s.data, h->name[i], strlen(h->name[i])) != 0,
                "%s: name %lld", what, (long long)i);
    }
end:
    lun_release(id);
    lun_release(x);
    lun_release(name);
    lun_release(missing);
}

/* ---- files and bytes ------------------------------------------------------------------------- */

static bool numbers_alone(const char *format)
{
    return strcmp(format, "h5") == 0 || strcmp(format, "npz") == 0;
}

/* Whether a failure says that the machine lacks the door's library. */
static bool no_library(host *h)
{
    return strstr(lun_error(h->e), "is needed") != NULL;
}

static void through_file(host *h, int k)
{
    char path[128];
    const bool plain = numbers_alone(formats[k]);
    const char *options = strcmp(formats[k], "db") == 0 ? "{table = 't'}" : NULL;
    lun_variant in = {.type = LUN_TYPE_TABLE}, out = {.type = LUN_TYPE_NIL};
    if (SANITIZED && strcmp(formats[k], "parquet") == 0)
        return; /* DuckDB's own threads are not watched: reports would be of what it does */
    if (!(in.as.table = make_table(h, !plain, !plain)))
        return;
    snprintf(path, sizeof path, "%s/t.%s", h->dir, formats[k]);
    if (lun_save_any(h->e, path, &in, options) != LUN_OK) {
        bad(h, !no_library(h), "save %s", formats[k]);
    } else if (!bad(h, lun_load_any(h->e, path, options, &out) != LUN_OK, "load %s", formats[k])) {
        /* What a column of text files is hangs on its rows: there are none to tell. */
        if (h->n > 1 || !(strstr(formats[k], "csv") || strstr(formats[k], "json")))
            compare(h, out.as.table, formats[k], !plain, !plain);
        h->done[k]++;
        lun_table_release(out.as.table);
    }
    lun_table_release(in.as.table);
}

static void through_bytes(host *h, const char *format)
{
    lun_variant in = {.type = LUN_TYPE_TABLE}, out = {.type = LUN_TYPE_NIL};
    void *bytes = NULL;
    size_t n = 0;
    if (h->n < 2 || !(in.as.table = make_table(h, true, true)))
        return;
    if (!bad(h, lun_encode(h->e, &in, format, NULL, &bytes, &n) != LUN_OK, "encode %s", format) &&
        !bad(h, lun_decode(h->e, bytes, n, format, NULL, &out) != LUN_OK, "decode %s", format)) {
        compare(h, out.as.table, format, true, true);
        lun_table_release(out.as.table);
    }
    lun_bytes_free(h->e, bytes);
    lun_table_release(in.as.table);
}

static void picture(host *h)
{
    uint8_t pixels[48], back[48];
    lun_variant in = {.type = LUN_TYPE_ARRAY}, out = {.type = LUN_TYPE_NIL};
    void *bytes = NULL;
    size_t n = 0;
    for (int i = 0; i < 48; i++)
        pixels[i] = (uint8_t)(i * 5 + h->number);
    if (bad(h, lun_tensor(h->e, pixels, 2, (int64_t[]){6, 8}, LUN_U8, &in.as.array) != LUN_OK,
            "picture"))
        return;
    if (!bad(h, lun_encode(h->e, &in, "png", NULL, &bytes, &n) != LUN_OK, "encode png") &&
        !bad(h, lun_decode(h->e, bytes, n, "png", NULL, &out) != LUN_OK, "decode png")) {
        bad(h, lun_read(h->e, out.as.array, back, 0, 48) != LUN_OK || memcmp(back, pixels, 48) != 0,
            "pixels");
        lun_release(out.as.array);
    }
    /* What is cut is refused, and leaves nothing. */
    bad(h, bytes && lun_decode(h->e, bytes, n / 2, "png", NULL, &out) == LUN_OK, "half a png");
    lun_bytes_free(h->e, bytes);
    lun_release(in.as.array);
}

/* ---- memory of others ------------------------------------------------------------------------ */

typedef struct lent {
    struct ArrowSchema schema;
    struct ArrowArray array;
} lent;

static void *release_elsewhere(void *arg)
{
    lent *l = arg;
    l->array.release(&l->array);
    l->schema.release(&l->schema);
    return NULL;
}

/* Out to a consumer that releases on its own thread, while the next export begins; in again. */
static void arrow(host *h)
{
    lun_table *t = make_table(h, true, true), *back = NULL;
    struct ArrowArrayStream stream;
    lent l;
    pthread_t other;
    bool joins = false;
    if (!t)
        return;
    if (!bad(h, lun_to_arrow(h->e, t, &l.schema, &l.array) != LUN_OK, "to arrow"))
        joins = !bad(h, pthread_create(&other, NULL, release_elsewhere, &l) != 0, "thread");
    if (!bad(h, lun_to_arrow_stream(h->e, t, "{rows = 64}", &stream) != LUN_OK, "to a stream") &&
        !bad(h, lun_from_arrow_stream(h->e, &stream, NULL, &back) != LUN_OK, "from a stream")) {
        compare(h, back, "arrow's stream", true, true);
        lun_table_release(back);
    }
    lun_table_release(t);
    if (joins)
        pthread_join(other, NULL);
}

static void sql(host *h)
{
    static const char *const names[] = {"t"};
    lun_table *t;
    lun_variant out = {.type = LUN_TYPE_NIL};
    lun_array *sum = NULL;
    double expected = 0;
    if (SANITIZED || !(t = make_table(h, true, true)))
        return;
    for (int64_t i = 0; i < h->n; i++)
        expected += h->id[i];
    if (lun_sql(h->e, "select coalesce(sum(id), 0)::double s from t", names, &t, 1, NULL, &out) !=
        LUN_OK) {
        bad(h, !no_library(h), "sql");
    } else {
        if (!bad(h, lun_table_column(h->e, out.as.table, "s", &sum) != LUN_OK, "sql: s"))
            bad(h, number_at(h, sum, 0) != expected, "sql: sum");
        lun_release(sum);
        lun_table_release(out.as.table);
        bad(h, lun_sql(h->e, "select nothing from t", names, &t, 1, NULL, &out) == LUN_OK,
            "sql: unknown column");
        h->queries++;
    }
    lun_table_release(t);
}

/* ---- scripts, records, messages -------------------------------------------------------------- */

static lun_status note(void *ctx, lun_engine *e, const lun_variant *args, int count,
                       lun_variant *results, int *given)
{
    host *h = ctx;
    if (count != 1 || args[0].type != LUN_TYPE_NUMBER)
        return lun_fail(e, LUN_EARG, "a number is needed");
    h->noted++;
    results[0] = (lun_variant){.type = LUN_TYPE_NUMBER, .as.number = args[0].as.number * 2};
    *given = 1;
    return LUN_OK;
}

static void destroy(void *ctx)
{
    ((host *)ctx)->destroyed++;
}

static void log_line(void *ctx, lun_log_level level, const char *subject, const char *text)
{
    (void)ctx;
    (void)level;
    (void)subject;
    (void)text;
}

static void region(void *ctx, const lun_tool_event *ev)
{
    host *h = ctx;
    h->regions += ev->kind == LUN_TOOL_REGION;
}

/* A tenant: its function is held beyond its scope, where a call is refused. */
static void scopes(host *h, int round)
{
    static const char script[] = "function f(x) return lun.region('tenant', function()\n"
                                 "  return host.note(x) + lun.index(100):sum() end) end";
    lun_globals *scope = NULL;
    lun_ref *f = NULL;
    lun_variant x = {.type = LUN_TYPE_NUMBER, .as.number = round}, y = {.type = LUN_TYPE_NIL};
    int given = 0;
    if (bad(h, lun_scope_new(h->e, &scope) != LUN_OK, "scope"))
        return;
    if (bad(h, lun_scope_register(scope, "host.note", note, h, destroy) != LUN_OK, "register"))
        h->destroyed++;
    bad(h, lun_scope_run(scope, script, strlen(script), "=tenant") != LUN_OK, "tenant");
    bad(h, lun_scope_ref(scope, "f", &f) != LUN_OK, "reference");
    bad(h, f && lun_ref_call(f, &x, 1, &y, 1, &given) != LUN_OK, "call");
    bad(h, f && (given != 1 || y.type != LUN_TYPE_NUMBER || y.as.number != 2.0 * round + 5050),
        "call: result %g of %d", y.as.number, given);
    bad(h, lun_scope_run(scope, "host.note 'x'", 13, "=tenant") == LUN_OK, "a wrong argument");
    lun_scope_free(scope);
    bad(h, f && lun_ref_call(f, &x, 1, &y, 1, &given) == LUN_OK, "a call after its scope");
    lun_ref_free(f);
}

typedef struct body {
    double x;
    float mass;
    int32_t owner;
} body;

static void records(host *h)
{
    body all[5] = {{1, 2, 3}, {2, 4, 3}, {3, 8, 3}, {4, 16, 3}, {5, 32, 3}};
    const lun_field fields[] = {LUN_FIELD(body, x, LUN_F64), LUN_FIELD(body, mass, LUN_F32)};
    const lun_struct type = {sizeof type, "Body", fields, 2, sizeof(body)};
    lun_array *bodies = NULL, *mass = NULL;
    lun_value sum = {.dtype = LUN_F32};
    if (!bad(h, lun_wrap_records(h->e, all, 5, &type, NULL, NULL, &bodies) != LUN_OK, "records") &&
        !bad(h, lun_setglobal(h->e, "bodies", bodies) != LUN_OK, "global") &&
        !bad(h, lun_dostring(h->e, "bodies.x = bodies.x * 10; bodies = nil") != LUN_OK, "write") &&
        !bad(h, lun_record_field(h->e, bodies, "mass", &mass) != LUN_OK, "field"))
        bad(h, lun_total(h->e, LUN_SUM, mass, 0, &sum) != LUN_OK || all[4].x != 50,
            "sum of masses");
    lun_release(mass);
    lun_release(bodies);
    bad(h, lun_dostring(h->e, "collectgarbage()") != LUN_OK, "collection"); /* the structs go now */
}

static void refusals(host *h)
{
    lun_variant out = {.type = LUN_TYPE_NIL};
    char path[128];
    snprintf(path, sizeof path, "%s/nothing.csv", h->dir);
    bad(h, lun_load_any(h->e, path, NULL, &out) != LUN_EIO, "a file that is not there");
    bad(h, lun_load_any(h->e, path, "{sepp = 1}", &out) == LUN_OK, "an unknown option");
    bad(h, lun_decode(h->e, "[1,", 3, "json", NULL, &out) == LUN_OK, "half a json");
    bad(h, lun_decode(h->e, "", 0, "arrow", NULL, &out) == LUN_OK, "no arrow");
}

static void *rounds(void *arg)
{
    static const char *const bytes[] = {"csv", "csv.gz", "json", "jsonl", "arrow", "arrows"};
    host *h = arg;
    for (int r = h->from; r < h->rounds && !h->why[0]; r++) {
        choose_rows(h, r);
        for (int k = 0; k < FORMATS; k++)
            through_file(h, k);
        for (int k = 0; k < 6; k++)
            through_bytes(h, bytes[k]);
        picture(h);
        arrow(h);
        sql(h);
        scopes(h, r);
        records(h);
        refusals(h);
        lun_trim(h->e);
    }
    return NULL;
}

/* ---- what a process holds -------------------------------------------------------------------- */

static int entries(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

typedef struct held {
    int descriptors, threads;
    double mb; /* what is allocated */
} held;

static held now(void)
{
    const struct mallinfo2 m = mallinfo2();
    return (held){entries("/proc/self/fd"), entries("/proc/self/task"),
                  (double)(m.uordblks + m.hblkhd) / 1e6};
}

static void open_host(host *h)
{
    const lun_tool tool = {.size = sizeof tool, .ctx = h, .on[LUN_TOOL_REGION] = {region, NULL}};
    lun_config c = {.size = sizeof c,
                    .backend = h->number % 2 ? "reference" : "openmp",
                    .threads = 1 + h->number % 2,
                    .jit = LUN_JIT_OFF,
                    .cache_dir = ""};
    if (bad(h, !kit_directory(h->dir), "directory") ||
        bad(h, lun_open(&c, &h->e) != LUN_OK, "open"))
        return;
    bad(h, lun_on_log(h->e, LUN_LOG_DEBUG, log_line, h) != LUN_OK, "log");
    bad(h, lun_tool_add(h->e, &tool) != LUN_OK, "tool");
}

/* All hosts at once, from where they are on. */
static bool run(host *all, int count)
{
    int started = 0;
    bool failed = false;
    for (; started < HOSTS; started++) {
        all[started].from = all[started].rounds;
        all[started].rounds += count;
        if (pthread_create(&all[started].thread, NULL, rounds, &all[started]))
            break;
    }
    for (int t = 0; t < started; t++) {
        pthread_join(all[t].thread, NULL);
        failed |= all[t].why[0] != 0;
    }
    return failed || started < HOSTS;
}

int main(void)
{
    static host all[HOSTS];
    const int count = (int)kit_count(1000, 8);
    held before, after;
    bool failed = false;
    int formats_done = 0, open = 0;
    for (int t = 0; t < HOSTS; t++) {
        all[t].number = t;
        open_host(&all[t]);
    }
    failed = run(all, count / 4 + 1);
    before = now();
    failed |= run(all, count - count / 4);
    after = now();
    for (int t = 0; t < HOSTS; t++) {
        lun_close(all[t].e);
        kit_remove(all[t].dir);
        failed |= all[t].why[0] || all[t].destroyed != all[t].rounds ||
                  all[t].noted != all[t].rounds || all[t].regions < all[t].rounds;
        if (all[t].why[0] || failed)
            printf("host %d: %s, %d rounds, %d notes, %d destroyed, %d regions\n", t, all[t].why,
                   all[t].rounds, all[t].noted, all[t].destroyed, all[t].regions);
    }
    for (int k = 0; k < FORMATS; k++) {
        formats_done += all[0].done[k] > 0;
        if (!all[0].done[k])
            printf("hosts: %s: skipped: no library\n", formats[k]);
    }
    kit_report(!failed, "hosts with all doors of C", "%d x %d rounds, %d formats, %d queries",
               HOSTS, all[0].rounds, formats_done, all[0].queries);
    open = after.descriptors != before.descriptors || after.threads > before.threads ||
           (!SANITIZED && after.mb > before.mb + 4);
    kit_report(!open, "what hosts hold stays",
               "%d and %d descriptors, %d and %d threads, %.1f and %.1f MB", before.descriptors,
               after.descriptors, before.threads, after.threads, before.mb, after.mb);
    return failed || open;
}
