/* package.c - skeletons packed and unpacked: the calls of the public header. */
#include "api/package/package.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "base/sized.h"

static const char MAGIC[8] = "lunpack";

/* ---- packing --------------------------------------------------------------------------------- */

static int rank_for(const lun_skeleton_use *u)
{
    int rank = 1;
    for (int k = 0; k < u->axes; k++) {
        const int needs = u->axis[k] < 0 ? -u->axis[k] : u->axis[k] + 1;
        rank = needs > rank ? needs : rank;
    }
    return rank;
}

/* Axes that count from the end as those of an array of so many. */
static lun_skeleton_use resolved(const lun_skeleton_use *u, int rank)
{
    lun_skeleton_use x = *u;
    for (int k = 0; k < u->axes; k++)
        x.axis[k] = u->axis[k] < 0 ? rank + u->axis[k] : u->axis[k];
    return x;
}

/* Calls the skeleton on arrays of one element of these dtypes; nothing is evaluated. */
static lun_status ask(lun_engine *e, const lun_skeleton_use *u, const lun_dtype *dtypes)
{
    const int64_t ones[LUN_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    const int rank = rank_for(u);
    const lun_skeleton_use x = resolved(u, rank);
    lun_array *in[LUN_MAX_OPERANDS] = {NULL}, *outs[LUN_MAX_OUTPUTS] = {NULL};
    lun_status s = rank <= LUN_MAX_RANK ? LUN_OK : lun__fail(e, LUN_EARG, "an axis is too large");
    int results = 0;
    for (int k = 0; s == LUN_OK && k < u->elements; k++)
        s = lun_tensor(e, NULL, rank, ones, dtypes[k], &in[k]);
    if (s == LUN_OK)
        s = lun_skeleton_call(e, &x, in, u->elements, outs, LUN_MAX_OUTPUTS, &results);
    for (int k = 0; s == LUN_OK && k < results; k++)
        lun_release(outs[k]);
    for (int k = 0; k < u->elements; k++)
        if (in[k])
            lun_release(in[k]);
    return s;
}

static lun_status check_parts(lun_engine *e, const lun_skeleton_use *u, const lun_dtype *dtypes,
                              int variants)
{
    if (u->kind > LUN_SKELETON_SCAN)
        return lun__fail(e, LUN_EARG, "a map, zip, reduce or scan expected");
    if (u->elements < 1 || u->elements > LUN_MOST_VALUES)
        return lun__fail(e, LUN_EARG, "a skeleton of 1 to %d arrays expected, not of %d",
                         LUN_MOST_VALUES, u->elements);
    if (!u->f || u->f->text)
        return lun__fail(e, LUN_EARG,
                         "C text is not packed: its source is what another process compiles");
    if (u->axes < 0)
        return lun__fail(e, LUN_EARG, "an empty list of axes is not packed");
    for (int k = 0; k < variants * u->elements; k++)
        if (dtypes[k] >= LUN_DTYPE_COUNT)
            return lun__fail(e, LUN_EDTYPE, "functions of %s are not packed",
                             lun_dtype_name(dtypes[k]));
    return LUN_OK;
}

/* All questions of calls with these dtypes, answered into r. */
static lun_status record(lun_engine *e, const lun_skeleton_use *u, const lun_dtype *dtypes,
                         int variants, lun_recording *r)
{
    lun_function *f = NULL;
    lun_skeleton_use x = *u;
    r->f = u->f;
    lun_status s = lun__record_function_new(e, r, &f);
    x.f = f;
    for (int k = 0; s == LUN_OK && k < variants; k++)
        s = ask(e, &x, dtypes + (ptrdiff_t)k * u->elements);
    lun_function_release(f);
    return s;
}

static void put_header(lun_strbuf *to, const char *bits, const lun_strbuf *body)
{
    char text[LUN_PACKAGE_BITS] = {0}, library[LUN_PACKAGE_LIBRARY] = {0};
    strncpy(text, bits, sizeof text - 1);
    strncpy(library, lun_version(), sizeof library - 1);
    lun__strbuf_add(to, MAGIC, sizeof MAGIC);
    lun__bytes_put_i32(to, LUN_PACKAGE_VERSION);
    lun__bytes_put_i32(to, (int32_t)lun__write_package_names());
    lun__strbuf_add(to, text, sizeof text);
    lun__strbuf_add(to, library, sizeof library);
    lun__bytes_put_i64(to, (int64_t)body->length);
    lun__bytes_put_i32(to, (int32_t)lun__crc32(0, body->text, (int64_t)body->length));
    lun__strbuf_add(to, body->text, body->length);
}

/* What is written is read: a function that no engine would take is refused here. */
static lun_status try_bytes(lun_engine *e, const lun_strbuf *bytes)
{
    lun_package *p = NULL;
    const lun_status s = lun_unpack(e, bytes->text, bytes->length, &p);
    lun_package_release(p);
    return s;
}

lun_status lun_pack(lun_engine *e, const lun_skeleton_use *given, const lun_dtype *dtypes,
                    int variants, void **bytes, size_t *length)
{
    LUN_NEED(e, given && dtypes && bytes && length);
    lun_skeleton_use u = {0};
    lun_recording r = {.answers = LUN_STRBUF_INIT};
    lun_strbuf body = LUN_STRBUF_INIT, whole = LUN_STRBUF_INIT;
    lun__sized_take(&u, given, sizeof u);
    lun_status s = check_parts(e, &u, dtypes, variants);
    if (s == LUN_OK && u.f->front.specialise)
        s = record(e, &u, dtypes, variants, &r);
    if (s == LUN_OK)
        s = lun__write_package(e, &u, &r, &body);
    if (s == LUN_OK)
        put_header(&whole, lun__backend_bits(&e->services), &body);
    if (s == LUN_OK && whole.failed)
        s = lun__fail_nomem(e);
    if (s == LUN_OK)
        s = try_bytes(e, &whole);
    if (s == LUN_OK) {
        *bytes = whole.text;
        *length = whole.length;
        whole = (lun_strbuf)LUN_STRBUF_INIT;
    }
    lun__record_function_free(&r);
    lun__strbuf_free(&body);
    lun__strbuf_free(&whole);
    return s;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

/* The version of the bits for which it was packed must be the engine's. */
static lun_status check_bits(lun_engine *e, const char *bits)
{
    char own[LUN_PACKAGE_BITS] = {0};
    strncpy(own, lun__backend_bits(&e->services), sizeof own - 1);
    if (memcmp(bits, own, sizeof own) == 0)
        return LUN_OK;
    return lun__fail(e, LUN_EARG,
                     "the package was made for bits %.7s, this engine computes bits %s", bits, own);
}

/* from becomes what is behind the header. */
static lun_status take_header(lun_engine *e, lun_bytes *from)
{
    const char *magic = lun__bytes_take_raw(from, sizeof MAGIC);
    if (!magic || memcmp(magic, MAGIC, sizeof MAGIC) != 0)
        return lun__fail(e, LUN_EARG, "not a package of lun.pack");
    const int32_t version = lun__bytes_take_i32(from);
    const uint32_t names = (uint32_t)lun__bytes_take_i32(from);
    const char *bits = lun__bytes_take_raw(from, LUN_PACKAGE_BITS);
    const char *library = lun__bytes_take_raw(from, LUN_PACKAGE_LIBRARY);
    const int64_t length = lun__bytes_take_i64(from);
    const uint32_t crc = (uint32_t)lun__bytes_take_i32(from);
    if (from->bad || length != from->left)
        return lun__fail(e, LUN_EARG,
                         "the package has not the length that it says: it was cut, or "
                         "something was appended");
    if (lun__crc32(0, from->at, from->left) != crc)
        return lun__fail(e, LUN_EARG, "the package is damaged: its checksum is another one");
    if (version != LUN_PACKAGE_VERSION || names != lun__write_package_names())
        return lun__fail(e, LUN_EARG,
                         "the package was written by Lunarray %.15s in a form that %s does not "
                         "read: pack the skeleton again",
                         library, lun_version());
    return check_bits(e, bits);
}

lun_status lun_unpack(lun_engine *e, const void *bytes, size_t length, lun_package **out)
{
    LUN_NEED(e, (bytes || !length) && out);
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_bytes from = {bytes, length > INT64_MAX ? INT64_MAX : (int64_t)length, false};
    lun_status s = take_header(e, &from);
    lun_package *p = s == LUN_OK ? calloc(1, sizeof *p) : NULL;
    if (s == LUN_OK && !p)
        s = lun__fail_nomem(e);
    if (s != LUN_OK)
        return s;
    p->engine = e;
    p->use.size = sizeof p->use;
    s = lun__read_package(e, &from, p, &why);
    if (s == LUN_ENOMEM)
        s = lun__fail_nomem(e);
    else if (s == LUN_EARG && why.length)
        s = lun__fail(e, LUN_EARG, "the package is not a skeleton: %s", lun__strbuf_text(&why));
    lun__strbuf_free(&why);
    if (s == LUN_OK)
        *out = p;
    else
        lun_package_release(p);
    return s;
}

void lun_package_release(lun_package *p)
{
    if (!p)
        return;
    for (int k = 0; k < LUN_MOST_VALUES; k++)
        if (p->use.id[k])
            lun_release(p->use.id[k]);
    lun_function_release(p->use.f);
    free(p);
}

void lun_package_describe(const lun_package *p, lun_skeleton_use *out)
{
    (void)lun__sized_give(out, &p->use, sizeof p->use);
}

int lun_package_arrays(const lun_package *p)
{
    return p ? p->use.elements : 0;
}

/* Result k in the dtype that the skeleton's option names. */
static lun_status convert(const lun_package *p, int k, lun_array **a)
{
    const lun_dtype t = p->use.out[p->use.outs > 0 ? k : 0];
    lun_array *cast;
    if (!p->use.outs || (p->use.outs > 0 && k >= p->use.outs) || lun_dtype_of(*a) == t)
        return LUN_OK;
    const lun_status s = lun_cast(p->engine, *a, t, &cast);
    if (s == LUN_OK) {
        lun_release(*a);
        *a = cast;
    }
    return s;
}

lun_status lun_package_apply(lun_package *p, lun_array *const *arrays, int count, lun_array **outs,
                             int room, int *results)
{
    if (!p)
        return LUN_EARG;
    lun_engine *e = p->engine;
    LUN_NEED(e, arrays && outs && results);
    int64_t shape[LUN_MAX_RANK];
    if (count != p->use.elements)
        return lun__fail(e, LUN_EARG, "the package takes %d array%s, got %d", p->use.elements,
                         p->use.elements == 1 ? "" : "s", count);
    if (!arrays[0])
        return lun__fail(e, LUN_EARG, "no array given (NULL)");
    const lun_skeleton_use u = resolved(&p->use, lun_shape(arrays[0], shape));
    lun_status s = lun_skeleton_call(e, &u, arrays, count, outs, room, results);
    for (int k = 0; s == LUN_OK && k < *results; k++) {
        s = convert(p, k, &outs[k]);
        for (int i = 0; s != LUN_OK && i < *results; i++)
            lun_release(outs[i]);
    }
    return s;
}
