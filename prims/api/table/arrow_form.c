/* arrow_form.c - see arrow_form.h. */
#include <stdlib.h>
#include <string.h>

#include "api/table/arrow_form.h"
#include "base/options.h"

lun_status lun__arrow_form_options(lun_engine *e, const char *text, bool out, lun_arrow_options *o)
{
    const lun_option outward[] = {{"rows", NULL, &o->rows},
                                  {"text", "utf8_view large_utf8 utf8", &o->text}};
    const lun_option inward[] = {{"blobs", "hex base64", &o->blobs},
                                 {"decimals", "f64 text", &o->decimals},
                                 {"nanoseconds", "floor", &o->nanoseconds}};
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_status s = LUN_OK;
    *o = (lun_arrow_options){.rows = 0};
    if (!lun__options_read(text, out ? outward : inward, out ? 2 : 3, &why))
        s = lun__fail(e, LUN_EARG, "%s", lun__strbuf_text(&why));
    lun__strbuf_free(&why);
    return s;
}

/* ---- dtypes of numbers ----------------------------------------------------------------------- */

enum { LETTERS = 16 };

/* The letter of a dtype of kernels; NUL: Arrow has none. */
static char letter_of(lun_dtype t)
{
    const lun_dtype_row *d = lun__dtype_get(t);
    const int size = d->bytes == 1 ? 0 : d->bytes == 2 ? 1 : d->bytes == 4 ? 2 : 3;
    if (d->kind == LUN_KIND_SIGNED)
        return "csil"[size];
    if (d->kind == LUN_KIND_UNSIGNED)
        return "CSIL"[size];
    if (d->kind == LUN_KIND_BOOL)
        return 'b';
    return d->bytes == 2 && d->exponent == 8 ? '\0' : "-efg"[size]; /* the former a bfloat */
}

const char *lun__arrow_form_of(lun_dtype t)
{
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l",
                                          "L", "e", "f", "g", "b", NULL};
    if (lun_dtype_kind(t) == LUN_KIND_TEXT)
        return "vu";
    if (lun_dtype_kind(t) == LUN_KIND_TIME)
        return t == LUN_DATE ? "tdD" : t == LUN_TIMESTAMP ? "tsu:" : "tDu";
    for (int k = 0; formats[k] && lun_dtype_kind(t) < LUN_KIND_COMPLEX; k++)
        if (*formats[k] == letter_of(t))
            return formats[k];
    return NULL;
}

/* The dtype of a letter; LUN_DTYPE_COUNT: none. */
static lun_dtype dtype_of(char letter)
{
    int t = 0;
    while (t < LUN_DTYPE_COUNT && letter_of((lun_dtype)t) != letter)
        t++;
    return (lun_dtype)t;
}

int lun__arrow_form_codes(const char *format, bool *is_signed)
{
    const lun_dtype t = format && *format && !format[1] ? dtype_of(*format) : LUN_DTYPE_COUNT;
    const bool fits = t < LUN_DTYPE_COUNT && lun__dtype_is_integer(t);
    *is_signed = fits && lun__dtype_is_signed(t);
    return fits ? lun__dtype_get(t)->bytes : 0;
}

/* ---- names of types, for errors -------------------------------------------------------------- */

static void put_type(const struct ArrowSchema *s, int depth, lun_strbuf *out);

static void put_children(const struct ArrowSchema *s, int depth, lun_strbuf *out)
{
    enum { SHOWN = 4 };
    for (int64_t k = 0; k < s->n_children && s->children; k++) {
        lun__strbuf_puts(out, k ? ", " : "");
        if (k == SHOWN) {
            lun__strbuf_puts(out, "...");
            break;
        }
        put_type(s->children[k], depth + 1, out);
    }
}

/* list<int64> and its like: as pyarrow names types. */
static void put_type(const struct ArrowSchema *s, int depth, lun_strbuf *out)
{
    static const struct {
        const char *format, *name;
    } names[] = {{"+l", "list"},
                 {"+L", "large_list"},
                 {"+vl", "list_view"},
                 {"+vL", "large_list_view"},
                 {"+w", "fixed_size_list"},
                 {"+s", "struct"},
                 {"+m", "map"},
                 {"+u", "union"},
                 {"+r", "run_end_encoded"},
                 {"ti", "interval"},
                 {"c", "int8"},
                 {"C", "uint8"},
                 {"s", "int16"},
                 {"S", "uint16"},
                 {"i", "int32"},
                 {"I", "uint32"},
                 {"l", "int64"},
                 {"L", "uint64"},
                 {"e", "half"},
                 {"f", "float"},
                 {"g", "double"},
                 {"b", "bool"},
                 {"n", "null"},
                 {"u", "string"},
                 {"U", "large_string"},
                 {"vu", "string_view"},
                 {"z", "binary"},
                 {"Z", "large_binary"},
                 {"vz", "binary_view"},
                 {"td", "date"},
                 {"ts", "timestamp"},
                 {"tt", "time"},
                 {"tD", "duration"},
                 {"w:", "fixed_size_binary"},
                 {"d:", "decimal"}};
    const char *format = s && s->format ? s->format : "?";
    const char *name = format;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const size_t n = strlen(names[k].format);
        const bool is_whole = n == 1 || names[k].format[0] == 'v' || n == 3;
        if (is_whole ? !strcmp(format, names[k].format) : !strncmp(format, names[k].format, n)) {
            name = names[k].name;
            break;
        }
    }
    lun__strbuf_printf(out, "%.60s", name);
    if (*format != '+' || depth > 3)
        return;
    lun__strbuf_puts(out, "<");
    put_children(s, depth, out);
    lun__strbuf_puts(out, ">");
}

/* LUN_EDTYPE: no column, and what to do. */
static lun_status refuse(lun_engine *e, const struct ArrowSchema *s, const char *name,
                         const char *advice)
{
    lun_strbuf type = LUN_STRBUF_INIT;
    put_type(s, 0, &type);
    lun_status status =
        lun__fail(e, LUN_EDTYPE, "column '%s' is %s: %s", name, lun__strbuf_text(&type), advice);
    lun__strbuf_free(&type);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

enum { MICRO = 1000000 };

/* The unit of a time: how many of its ticks, or of which one, are microseconds. */
static bool read_unit(char unit, int64_t *up, int64_t *down)
{
    *up = unit == 's' ? MICRO : unit == 'm' ? 1000 : 1;
    *down = unit == 'n' ? 1000 : 1;
    return unit && strchr("smun", unit);
}

/* t...: dates, times of day, timestamps, durations. */
static bool read_time(const char *format, lun_arrow_form *f)
{
    const char kind = format[1], unit = kind ? format[2] : '\0';
    const bool ends = unit && !format[3];
    f->width = kind == 't' && (unit == 's' || unit == 'm') ? 4 : 8;
    if (kind == 'd' && ends && unit == 'D') {
        f->dtype = LUN_DATE;
        f->way = LUN_ARROW_SAME;
        return true;
    }
    f->dtype = kind == 's' || kind == 'd' ? LUN_TIMESTAMP : LUN_DURATION;
    f->days = kind == 'd';
    if (!read_unit(unit, &f->up, &f->down))
        return false;
    f->way = unit == 'u' ? LUN_ARROW_SAME : LUN_ARROW_SCALED;
    return kind == 'd'   ? ends && unit == 'm'
           : kind == 's' ? format[3] == ':'
                         : (kind == 't' || kind == 'D') && ends;
}

/* d:precision,scale[,bits] */
static bool read_decimal(const char *format, const lun_arrow_options *o, lun_arrow_form *f)
{
    char *end;
    (void)strtol(format + 2, &end, 10);
    const long scale = *end == ',' ? strtol(end + 1, &end, 10) : 1000;
    const long bits = *end == ',' ? strtol(end + 1, &end, 10) : 128;
    f->way = LUN_ARROW_DECIMAL;
    f->width = bits / 8;
    f->scale = (int)scale;
    f->dtype = o->decimals == LUN_ARROW_TEXTS ? LUN_TEXT : LUN_F64;
    return !*end && labs(scale) <= 100 && (bits == 32 || bits == 64 || bits == 128);
}

/* z Z vz w:n u U vu */
static bool read_bytes(const char *format, lun_arrow_form *f)
{
    const char last = format[*format == 'v'];
    char *end = NULL;
    f->dtype = LUN_TEXT;
    f->bytes = last == 'z' || last == 'Z' || last == 'w';
    f->way = *format == 'v' ? LUN_ARROW_VIEWS : LUN_ARROW_OFFSETS;
    f->width = last == 'U' || last == 'Z' ? 8 : 4;
    if (last != 'w')
        return format[*format == 'v' ? 2 : 1] == '\0' &&
               strchr(*format == 'v' ? "uz" : "uUzZ", last);
    f->way = LUN_ARROW_FIXED;
    f->width = format[1] == ':' ? strtoll(format + 2, &end, 10) : -1;
    return f->width >= 0 && !*end;
}

lun_status lun__arrow_form_read(lun_engine *e, const struct ArrowSchema *s, const char *name,
                                const lun_arrow_options *o, lun_arrow_form *out)
{
    const char *format = s->format ? s->format : "";
    lun_arrow_form f = {.way = LUN_ARROW_SAME, .up = 1, .down = 1};
    const lun_dtype t = *format && !format[1] ? dtype_of(*format) : LUN_DTYPE_COUNT;
    bool good = true;
    if (*format == '+')
        return refuse(e, s, name, "unnest it first");
    if (!strcmp(format, "n")) {
        f.way = LUN_ARROW_NOTHING;
        f.dtype = LUN_F64;
    } else if (t < LUN_DTYPE_COUNT) {
        f.dtype = t;
        f.way = lun__dtype_is_bool(t) ? LUN_ARROW_BITS : LUN_ARROW_SAME;
    } else if (*format == 't') {
        good = read_time(format, &f);
    } else if (*format == 'd' && format[1] == ':') {
        good = read_decimal(format, o, &f);
    } else {
        good = *format && read_bytes(format, &f);
    }
    if (!good)
        return refuse(e, s, name, "no dtype corresponds to it: convert it first");
    if (f.bytes && !o->blobs)
        return refuse(e, s, name,
                      "bytes are no text: {blobs = \"hex\"} or \"base64\" makes it one");
    if (f.way == LUN_ARROW_SAME)
        f.width = lun__dtype_get(lun__dtype_storage(f.dtype))->bytes;
    *out = f;
    return LUN_OK;
}
