/* struct.c - a host's descriptions of its structs: checked before they are used, and copied. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api/record/record.h"
#include "base/sized.h"

enum { MOST_LANES = 64, MOST_DEPTH = 8 };

/* The bytes of a field, of its elements together, from the beginning of the outermost struct on. */
typedef struct span {
    size_t from, to;
    const char *name;
} span;

typedef struct checking {
    lun_engine *e;
    const lun_struct *outer;
    span span[MOST_LANES];
    int64_t spans, lanes;
} checking;

/* Whether a name is one for scripts and in C: letters, digits and _, a letter first. */
static bool is_name(const char *name)
{
    static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const size_t letters = 2 * (size_t)('z' - 'a' + 1);
    return name && *name && memchr(rest, *name, letters) && !name[strspn(name, rest)];
}

/* LUN_ERANGE, LUN_EARG: the elements of field f of r, `bytes` of them together, of `size` each, are
 * not inside of r, not aligned, or another field's too; `base`: where r begins in the outermost
 * struct. */
static lun_status check_place(checking *c, const lun_struct *r, const lun_field *f, size_t base,
                              size_t size, size_t bytes)
{
    const size_t at = base + f->offset;
    if (f->offset > r->bytes || bytes > r->bytes - f->offset)
        return lun__fail(c->e, LUN_ERANGE,
                         "field '%s' of %s: bytes %zu to %zu are beyond the struct's %zu", f->name,
                         r->name, f->offset, f->offset + bytes, r->bytes);
    if (at % size || c->outer->bytes % size)
        return lun__fail(c->e, LUN_EARG,
                         "field '%s' of %s: %zu, its byte in a struct of %zu, and that have to be "
                         "multiples of %zu, the size of a %s",
                         f->name, r->name, at, c->outer->bytes, size, lun_dtype_name(f->dtype));
    for (int64_t k = 0; k < c->spans; k++)
        if (at < c->span[k].to && c->span[k].from < at + bytes)
            return lun__fail(c->e, LUN_EARG, "fields '%s' and '%s' of %s share bytes",
                             c->span[k].name, f->name, c->outer->name);
    c->span[c->spans++] = (span){at, at + bytes, f->name};
    return LUN_OK;
}

/* A field that is no struct: its dtype, extents and place. */
static lun_status check_elements(checking *c, const lun_struct *r, const lun_field *f, size_t base)
{
    const lun_dtype part = lun_complex_part(f->dtype);
    const bool complex = part != LUN_DTYPE_COUNT;
    int64_t count = complex ? 2 : 1; /* elements of kernels */
    if (!complex && (unsigned)f->dtype >= LUN_DTYPE_COUNT)
        return lun__fail(c->e, LUN_EDTYPE, "field '%s' of %s: records have no fields of %s",
                         f->name, r->name,
                         lun_dtype_name(f->dtype) ? lun_dtype_name(f->dtype) : "that dtype");
    if (f->rank < 0 || f->rank > 2)
        return lun__fail(c->e, LUN_ESHAPE, "field '%s' of %s: its rank is %d: 0, 1 or 2 expected",
                         f->name, r->name, f->rank);
    for (int k = 0; k < f->rank; k++) {
        if (f->extent[k] < 1)
            return lun__fail(c->e, LUN_ESHAPE, "field '%s' of %s: extent " LUN_NTH " is %lld",
                             f->name, r->name, k, (long long)f->extent[k]);
        if (f->extent[k] <= MOST_LANES)
            count *= f->extent[k];
        else
            count = MOST_LANES + 1;
    }
    if (count > MOST_LANES - c->lanes)
        return lun__fail(c->e, LUN_EARG, "%s has more than %d elements in its fields",
                         c->outer->name, MOST_LANES);
    c->lanes += count;
    const size_t size = (size_t)lun_dtype_size(complex ? part : f->dtype);
    return check_place(c, r, f, base, size, size * (size_t)count);
}

static lun_status check(checking *c, const lun_struct *r, size_t base, int depth);

/* Field k of r. */
static lun_status check_field(checking *c, const lun_struct *r, int k, size_t base, int depth)
{
    const lun_field *f = &r->fields[k];
    if (!is_name(f->name))
        return lun__fail(c->e, LUN_EARG,
                         "field " LUN_NTH " of %s has no name of letters, digits and _, a letter "
                         "first",
                         k, r->name);
    for (int i = 0; i < k; i++)
        if (!strcmp(r->fields[i].name, f->name))
            return lun__fail(c->e, LUN_EARG, "two fields of %s have the name '%s'", r->name,
                             f->name);
    if (!f->record)
        return check_elements(c, r, f, base);
    if (f->rank)
        return lun__fail(c->e, LUN_ESHAPE,
                         "field '%s' of %s: arrays of structs are no fields: give each its own",
                         f->name, r->name);
    if (depth == MOST_DEPTH)
        return lun__fail(c->e, LUN_EARG, "field '%s' of %s: structs in structs, more than %d deep",
                         f->name, r->name, MOST_DEPTH);
    if (LUN_HAS(f->record, bytes) &&
        (f->offset > r->bytes || f->record->bytes > r->bytes - f->offset))
        return lun__fail(c->e, LUN_ERANGE,
                         "field '%s' of %s: bytes %zu to %zu are beyond the struct's %zu", f->name,
                         r->name, f->offset, f->offset + f->record->bytes, r->bytes);
    return check(c, f->record, base + f->offset, depth + 1);
}

static lun_status check(checking *c, const lun_struct *r, size_t base, int depth)
{
    lun_status s = LUN_OK;
    if (!LUN_HAS(r, bytes))
        return lun__fail(c->e, LUN_EARG, "a lun_struct without its size");
    if (!is_name(r->name))
        return lun__fail(c->e, LUN_EARG,
                         "a struct has no name of letters, digits and _, a letter first");
    if (r->count < 1 || r->count > MOST_LANES || !r->fields)
        return lun__fail(c->e, LUN_EARG, "%s has %d fields: 1 to %d expected", r->name,
                         r->fields ? r->count : 0, MOST_LANES);
    if (r->bytes > PTRDIFF_MAX)
        return lun__fail(c->e, LUN_ERANGE, "%s: a struct of %zu bytes", r->name, r->bytes);
    for (int k = 0; s == LUN_OK && k < r->count; k++)
        s = check_field(c, r, k, base, depth);
    return s;
}

lun_status lun__struct_check(lun_engine *e, const lun_struct *r)
{
    checking c = {.e = e, .outer = r};
    return check(&c, r, 0, 1);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* What a copy of r takes: structs and fields, and behind all of them the names. */
static void measure(const lun_struct *r, size_t *structs, size_t *names)
{
    *structs += sizeof *r + (size_t)r->count * sizeof *r->fields;
    *names += strlen(r->name) + 1;
    for (int k = 0; k < r->count; k++) {
        *names += strlen(r->fields[k].name) + 1;
        if (r->fields[k].record)
            measure(r->fields[k].record, structs, names);
    }
}

static const char *put_name(char **names, const char *name)
{
    char *at = *names;
    const size_t bytes = strlen(name) + 1;
    memcpy(at, name, bytes);
    *names += bytes;
    return at;
}

/* Puts a copy of r at *at, which moves behind it. */
static lun_struct *put(char **at, char **names, const lun_struct *r)
{
    lun_struct *own = (lun_struct *)(void *)*at;
    lun_field *fields = (lun_field *)(void *)(*at + sizeof *own);
    *at += sizeof *own + (size_t)r->count * sizeof *fields;
    *own = (lun_struct){.size = sizeof *own,
                        .name = put_name(names, r->name),
                        .fields = fields,
                        .count = r->count,
                        .bytes = r->bytes};
    for (int k = 0; k < r->count; k++) {
        fields[k] = r->fields[k];
        fields[k].name = put_name(names, r->fields[k].name);
        if (r->fields[k].record)
            fields[k].record = put(at, names, r->fields[k].record);
    }
    return own;
}

lun_struct *lun__struct_copy(const lun_struct *r)
{
    size_t structs = 0, bytes = 0;
    measure(r, &structs, &bytes);
    char *block = malloc(structs + bytes), *at = block, *names = block + structs;
    return block ? put(&at, &names, r) : NULL;
}
