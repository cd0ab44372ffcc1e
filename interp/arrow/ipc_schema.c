/* ipc_schema.c - schemas of Arrow's messages as those of its C data interface.
 *
 * Field numbers are those of Schema.fbs: Schema: endianness 0, fields 1.  Field: name 0, nullable
 * 1, type_type 2, type 3, dictionary 4, children 5.  DictionaryEncoding: id 0, indexType 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_state.h"

/* ---- formats --------------------------------------------------------------------------------- */

/* clang-format off */
/* The numbers of the union Type. */
enum {
    NOTHING = 1, INTEGER, FLOAT, BINARY, UTF8, BOOL, DECIMAL, DATE, TIME, TIMESTAMP, INTERVAL, LIST,
    STRUCT, UNION, FIXED_BINARY, FIXED_LIST, MAP, DURATION, LARGE_BINARY, LARGE_UTF8, LARGE_LIST,
    RUN_END, BINARY_VIEW, UTF8_VIEW, LIST_VIEW, LARGE_LIST_VIEW
};
/* clang-format on */

/* Formats of types that have no fields of their own. */
static const char *plain_format(int type)
{
    switch (type) {
    case NOTHING:
        return "n";
    case BINARY:
        return "z";
    case UTF8:
        return "u";
    case BOOL:
        return "b";
    case LIST:
        return "+l";
    case STRUCT:
        return "+s";
    case MAP:
        return "+m";
    case LARGE_BINARY:
        return "Z";
    case LARGE_UTF8:
        return "U";
    case LARGE_LIST:
        return "+L";
    case RUN_END:
        return "+r";
    case BINARY_VIEW:
        return "vz";
    case UTF8_VIEW:
        return "vu";
    case LIST_VIEW:
        return "+vl";
    case LARGE_LIST_VIEW:
        return "+vL";
    default:
        return NULL;
    }
}

/* Int: bitWidth 0, is_signed 1. */
static const char *integer_format(lun_flatbuffer_table t)
{
    static const char *const names[2][4] = {{"C", "S", "I", "L"}, {"c", "s", "i", "l"}};
    const int64_t bits = lun__flatbuffer_field(t, 0, 4, 0);
    const int k = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : -1;
    return k < 0 ? NULL : names[lun__flatbuffer_field(t, 1, 1, 0) != 0][k];
}

/* The format of a type of times, whose unit is field 0. */
static bool time_format(int type, lun_flatbuffer_table t, char *to, size_t room)
{
    static const char units[] = "smun";
    const int64_t unit = lun__flatbuffer_field(t, 0, 2, type == TIMESTAMP ? 0 : 1);
    int64_t length = 0;
    if (unit < 0 || unit > 3)
        return false;
    if (type == DATE)
        return unit < 2 && snprintf(to, room, unit ? "tdm" : "tdD") > 0;
    if (type == INTERVAL)
        return snprintf(to, room, "ti") > 0;
    if (type == DURATION)
        return snprintf(to, room, "tD%c", units[unit]) > 0;
    if (type == TIME)
        return lun__flatbuffer_field(t, 1, 4, 32) == (unit < 2 ? 32 : 64) &&
               snprintf(to, room, "tt%c", units[unit]) > 0;
    const char *zone = lun__flatbuffer_text(t, 1, &length);
    return snprintf(to, room, "ts%c:%.*s", units[unit], (int)(length < 60 ? length : 60),
                    zone ? zone : "") > 0;
}

/* The format of a type; false: Arrow has no such type. */
static bool format_of(int type, lun_flatbuffer_table t, char *to, size_t room)
{
    const char *name = type == INTEGER ? integer_format(t) : plain_format(type);
    const bool sized = type == DECIMAL || type == FIXED_BINARY || type == FIXED_LIST;
    const int64_t first = sized ? lun__flatbuffer_field(t, 0, 4, 0) : 0;
    if (type == FLOAT) {
        const int64_t precision = lun__flatbuffer_field(t, 0, 2, 0);
        name = precision < 0 || precision > 2 ? NULL : (const char *[]){"e", "f", "g"}[precision];
    }
    if (name)
        return snprintf(to, room, "%s", name) > 0;
    if (type == DECIMAL)
        return snprintf(to, room, "d:%d,%d,%d", (int)first, (int)lun__flatbuffer_field(t, 1, 4, 0),
                        (int)lun__flatbuffer_field(t, 2, 4, 128)) > 0;
    if (type == FIXED_BINARY || type == FIXED_LIST)
        return first >= 0 &&
               snprintf(to, room, type == FIXED_LIST ? "+w:%d" : "w:%d", (int)first) > 0;
    if (type == UNION)
        return snprintf(to, room, lun__flatbuffer_field(t, 0, 2, 0) ? "+ud:" : "+us:") > 0;
    return (type == DATE || type == TIME || type == TIMESTAMP || type == INTERVAL ||
            type == DURATION) &&
           time_format(type, t, to, room);
}

lun_ipc_way lun__ipc_schema_way(const char *format, int64_t *width)
{
    static const char letters[] = "cCsSiIlLefg", bytes[] = "11224488248";
    const char *letter = *format && !format[1] ? strchr(letters, *format) : NULL;
    *width = 8;
    if (letter) {
        *width = bytes[letter - letters] - '0';
        return LUN_IPC_FIXED;
    }
    if (*format == 't') {
        const bool narrow =
            !strcmp(format, "tdD") || !strcmp(format, "tts") || !strcmp(format, "ttm");
        *width = narrow ? 4 : 8;
        return format[1] == 'i' ? LUN_IPC_NESTED : LUN_IPC_FIXED; /* no column is of intervals */
    }
    if (*format == 'w' || *format == 'd') {
        const char *last = strrchr(format, ','), *colon = strchr(format, ':');
        *width = *format == 'd' ? strtoll(last + 1, NULL, 10) / 8 : strtoll(colon + 1, NULL, 10);
        return LUN_IPC_FIXED;
    }
    *width = *format == 'U' || *format == 'Z' ? 8 : *format == 'v' ? 16 : 4;
    return *format == 'b'                       ? LUN_IPC_BITS
           : *format == 'n'                     ? LUN_IPC_NOWHERE
           : *format == 'v'                     ? LUN_IPC_VIEWS
           : *format && strchr("uUzZ", *format) ? LUN_IPC_OFFSETS
                                                : LUN_IPC_NESTED;
}

/* ---- schemas --------------------------------------------------------------------------------- */

enum { DEEPEST = 64, MOST = 1 << 20 };

/* What is read of a schema. */
typedef struct counts {
    lun_ipc *x;
    lun_file_fault *fault;
    int64_t fields, nodes, fixed, views; /* of those before */
} counts;

void lun__ipc_schema_free(struct ArrowSchema *s)
{
    for (int64_t k = 0; k < s->n_children; k++) {
        if (s->children[k])
            lun__ipc_schema_free(s->children[k]);
        free(s->children[k]);
    }
    free(s->children);
    if (s->dictionary)
        lun__ipc_schema_free(s->dictionary);
    free(s->dictionary);
    free((char *)s->format);
    free((char *)s->name);
    *s = (struct ArrowSchema){.format = NULL};
}

static bool out_of_memory(counts *c)
{
    return lun__file_fault_of(c->fault, LUN_ENOMEM);
}

/* Counts the nodes and buffers of a field with that format. */
static void count(counts *c, const char *format)
{
    int64_t width;
    const lun_ipc_way way = lun__ipc_schema_way(format, &width);
    c->nodes++;
    c->views += way == LUN_IPC_VIEWS;
    c->fixed += way == LUN_IPC_OFFSETS ? 3 : 2;
    if (way == LUN_IPC_NOWHERE || !strcmp(format, "+r"))
        c->fixed -= 2;
    else if (!strcmp(format, "+s") || !strncmp(format, "+w", 2))
        c->fixed -= 1;
    else if (!strncmp(format, "+v", 2))
        c->fixed += 1;
    else if (!strncmp(format, "+u", 2)) /* types, offsets if dense, and once a validity */
        c->fixed += (format[2] == 'd') - 1 + (c->x->version < 4);
}

static bool read_field(counts *c, lun_flatbuffer_table t, int depth, bool counted,
                       lun_ipc_field *top, struct ArrowSchema *out);

/* counted: they have nodes and buffers in batches. */
static bool read_children(counts *c, lun_flatbuffer_table t, int depth, bool counted,
                          struct ArrowSchema *out)
{
    const lun_flatbuffer_vector v = lun__flatbuffer_vector(t, 5, 4);
    out->children = v.count ? calloc((size_t)v.count, sizeof *out->children) : NULL;
    if (v.count && !out->children)
        return out_of_memory(c);
    bool good = true;
    for (int64_t k = 0; good && k < v.count; k++) {
        out->children[k] = calloc(1, sizeof **out->children);
        out->n_children = k + 1;
        if (!out->children[k])
            return out_of_memory(c);
        good = read_field(c, lun__flatbuffer_element(v, k), depth + 1, counted, NULL,
                          out->children[k]);
    }
    return good;
}

/* Makes of a field of values that of codes with them as the dictionary. */
static bool make_coded(counts *c, lun_flatbuffer_table encoding, lun_ipc_field *top,
                       struct ArrowSchema *out)
{
    const lun_flatbuffer_table index = lun__flatbuffer_child(encoding, 1);
    const char *codes = index.at ? integer_format(index) : "i";
    struct ArrowSchema *values = calloc(1, sizeof *values);
    if (!values)
        return out_of_memory(c);
    *values = *out;
    values->name = NULL;
    *out = (struct ArrowSchema){.name = out->name, .dictionary = values};
    if (!codes)
        return lun__file_fault(c->fault, "format", "a dictionary has codes that are no integers");
    out->format = strdup(codes);
    if (top) {
        top->coded = true;
        top->id = lun__flatbuffer_field(encoding, 0, 8, 0);
    }
    return out->format || out_of_memory(c);
}

static bool read_field(counts *c, lun_flatbuffer_table t, int depth, bool counted,
                       lun_ipc_field *top, struct ArrowSchema *out)
{
    char format[96];
    int64_t length;
    const lun_flatbuffer_table encoding = lun__flatbuffer_child(t, 4);
    const char *name = lun__flatbuffer_text(t, 0, &length);
    if (depth > DEEPEST || ++c->fields > MOST)
        return lun__file_fault(c->fault, "unsupported",
                               "more than %d fields, or %d within each other", MOST, DEEPEST);
    if (t.in->bad ||
        !format_of((int)lun__flatbuffer_field(t, 2, 1, 0), lun__flatbuffer_child(t, 3), format,
                   sizeof format) ||
        t.in->bad)
        return lun__file_fault(c->fault, "format",
                               "the schema is damaged, or has a type that Arrow 5 "
                               "does not have");
    out->format = strdup(format);
    out->name = strndup(name ? name : "", (size_t)length);
    if (!out->format || !out->name)
        return out_of_memory(c);
    if (counted && encoding.at) {
        c->nodes++;
        c->fixed += 2;
    } else if (counted) {
        count(c, format);
    }
    if (name && memchr(name, 0, (size_t)length))
        return lun__file_fault(c->fault, "format", "the name of a column holds a NUL byte");
    return read_children(c, t, depth, counted && !encoding.at, out) &&
           (!encoding.at || make_coded(c, encoding, top, out));
}

bool lun__ipc_schema_read(lun_ipc *x, lun_flatbuffer_table schema, lun_file_fault *f)
{
    counts c = {.x = x, .fault = f};
    const lun_flatbuffer_vector v = lun__flatbuffer_vector(schema, 1, 4);
    if (lun__flatbuffer_field(schema, 0, 2, 0) != 0 && !schema.in->bad)
        return lun__file_fault(f, "unsupported", "the elements are big-endian");
    x->fields = calloc((size_t)v.count + 1, sizeof *x->fields);
    if (!x->fields)
        return lun__file_fault_of(f, LUN_ENOMEM);
    for (int64_t k = 0; k < v.count; k++) {
        lun_ipc_field *field = &x->fields[k];
        *field = (lun_ipc_field){.node = c.nodes, .fixed = c.fixed, .views = c.views};
        x->width = k + 1;
        if (!read_field(&c, lun__flatbuffer_element(v, k), 1, true, field, &field->schema))
            return false;
    }
    return !schema.in->bad || lun__file_fault(f, "format", "the schema is damaged");
}
