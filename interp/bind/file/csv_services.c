/* csv_services.c - the services of the CSV reader: the text, from a file in place, a string or gzip
 * data; threads; memory of the engine for columns. No function here raises. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/file/csv.h"

typedef lun__csv_reader reader;

int lun__csv_read_text(void *ctx, int64_t at, int64_t count, void *to)
{
    const reader *r = ctx;
    char *p = to;
    if (r->file < 0)
        memcpy(to, r->text + at, (size_t)count);
    for (int64_t done = 0; r->file >= 0 && done < count;) {
        ssize_t got = pread(r->file, p + done, (size_t)(count - done), (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : -1;
        done += got;
    }
    return 0;
}

int lun__csv_read_unpacked(void *ctx, int64_t at, int64_t count, void *to)
{
    return lun__unpacked_read(((reader *)ctx)->unpacked, at, count, to);
}

static void share(void *ctx, int64_t count, void *of, void (*task)(void *of, int64_t k))
{
    lun_host_share(((reader *)ctx)->host->engine, count, of, task);
}

static bool is_stopped(void *ctx)
{
    reader *r = ctx;
    r->status = lun_host_check(r->host->engine);
    return r->status != LUN_OK;
}

static bool give_column(void *ctx, int64_t k, lun__csv_kind kind, int64_t rows, void **memory)
{
    reader *r = ctx;
    lua_State *L = r->L;
    lun__host *h = r->host;
    lun_blank_drop(h->engine, r->blanks[k]);
    lun__column_end(r->texts[k]);
    r->blanks[k] = NULL;
    r->texts[k] = NULL;
    if (kind == LUN__CSV_TEXT) {
        r->texts[k] = lun__column_new(h);
        r->status = r->texts[k] ? LUN_OK : LUN_ENOMEM;
    } else {
        LUN__TRY(r->status, lun_blank_new(h->engine, rows, kind == LUN__CSV_BOOL ? 1 : 8,
                                          &r->blanks[k], memory));
    }
    return r->status == LUN_OK;
}

static bool give_texts(void *ctx, int64_t k, const lun__texts_part *parts, int64_t count)
{
    reader *r = ctx;
    lua_State *L = r->L;
    lun__host *h = r->host;
    LUN__TRY(r->status, lun__column_add(r->texts[k], parts, count));
    return r->status == LUN_OK;
}

void lun__csv_serve(lun__csv_reader *r)
{
    r->services.ctx = r;
    r->services.read = lun__csv_read_text;
    r->services.share = share;
    r->services.stop = is_stopped;
    r->services.column = give_column;
    r->services.texts = give_texts;
}

void lun__csv_end_columns(lun__csv_reader *r)
{
    for (int64_t k = 0; r->host->engine && k < r->count; k++)
        lun_blank_drop(r->host->engine, r->blanks[k]);
    for (int64_t k = 0; r->texts && k < r->count; k++)
        lun__column_end(r->texts[k]);
    free(r->blanks);
    free(r->texts);
    r->blanks = NULL;
    r->texts = NULL;
    r->count = 0;
}
