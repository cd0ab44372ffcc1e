/* table.c - tables: names and columns of one length. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/table/table.h"
#include "text/texts.h"

static void free_table(lun_table *t)
{
    for (int64_t k = 0; k < t->width; k++) {
        free(t->names[k]);
        lun_release(t->columns[k]);
    }
    free(t->names);
    free(t->columns);
    free(t);
}

void lun_table_retain(lun_table *t)
{
    if (!t)
        return;
    LUN_NEED_OR(t->engine, );
    t->refs++;
}

void lun_table_release(lun_table *t)
{
    if (!t)
        return;
    LUN_NEED_OR(t->engine, );
    if (--t->refs == 0)
        free_table(t);
}

/* Whether one of the first `count` names is that. */
static bool is_taken(char *const *names, int64_t count, const char *name)
{
    for (int64_t k = 0; k < count; k++)
        if (!strcmp(names[k], name))
            return true;
    return false;
}

char *lun__table_name(const char *name, int64_t k, char *const *taken)
{
    const size_t room = (name ? strlen(name) : 0) + 32;
    char *made = malloc(room);
    if (!made)
        return NULL;
    if (name && *name)
        snprintf(made, room, "%s", name);
    else
        snprintf(made, room, "c%lld", (long long)k + 1);
    const size_t length = strlen(made);
    for (long long number = 2; is_taken(taken, k, made); number++)
        snprintf(made + length, room - length, "_%lld", number);
    return made;
}

/* LUN_EARG, LUN_ESHAPE: column k is none of a table that has the columns before it. */
static lun_status check_column(lun_engine *e, const lun_table *t, int64_t k, const char *name,
                               lun_array *a)
{
    int64_t shape[LUN_MAX_RANK];
    if (!name || !*name || !lun__utf8_valid(name, (int64_t)strlen(name)))
        return lun__fail(e, LUN_EARG, "column %lld has no name, or one that is not UTF-8",
                         (long long)k + 1);
    if (is_taken(t->names, k, name))
        return lun__fail(e, LUN_EARG, "two columns have the name '%s'", name);
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK)
        return s;
    if (lun_shape(a, shape) != 1)
        return lun__fail(e, LUN_ESHAPE, "column '%s': a column is of rank 1", name);
    if (k && shape[0] != t->rows)
        return lun__fail(e, LUN_ESHAPE, "column '%s' has %lld rows, the table %lld", name,
                         (long long)shape[0], (long long)t->rows);
    return LUN_OK;
}

lun_status lun_table_make(lun_engine *e, const char *const *names, lun_array *const *columns,
                          int64_t n, lun_table **out)
{
    LUN_NEED(e, out && n >= 0 && (!n || (names && columns)));
    lun_table *t = calloc(1, sizeof *t);
    if (!t)
        return lun__fail_nomem(e);
    *t = (lun_table){.refs = 1,
                     .engine = e,
                     .names = calloc((size_t)n + 1, sizeof *t->names),
                     .columns = calloc((size_t)n + 1, sizeof(lun_array *))};
    lun_status s = t->names && t->columns ? LUN_OK : lun__fail_nomem(e);
    for (int64_t k = 0; s == LUN_OK && k < n; k++) {
        s = check_column(e, t, k, names[k], columns[k]);
        if (s == LUN_OK)
            s = (t->names[k] = strdup(names[k])) ? LUN_OK : lun__fail_nomem(e);
        if (s != LUN_OK)
            break;
        lun_retain(t->columns[k] = columns[k]);
        t->width = k + 1;
        t->rows = lun_size(columns[k]);
    }
    if (s == LUN_OK)
        *out = t;
    else
        free_table(t);
    return s;
}

lun_engine *lun_table_engine(const lun_table *t)
{
    return t ? t->engine : NULL;
}

int64_t lun_table_rows(const lun_table *t)
{
    return t ? t->rows : 0;
}

int64_t lun_table_width(const lun_table *t)
{
    return t ? t->width : 0;
}

const char *lun_table_name(const lun_table *t, int64_t k)
{
    return t && k >= 0 && k < t->width ? t->names[k] : NULL;
}

lun_status lun_table_column(lun_engine *e, lun_table *t, const char *name, lun_array **out)
{
    LUN_NEED(e, t && name && out);
    for (int64_t k = 0; k < t->width; k++)
        if (!strcmp(t->names[k], name)) {
            lun_retain(*out = t->columns[k]);
            return LUN_OK;
        }
    return lun__fail(e, LUN_EARG, "no column '%s'", name);
}
