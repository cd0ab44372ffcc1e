/* sequence.c - the texts of the sequences, as they are quoted in generated programs; see
 * sequence.h. */
#include "math/sequence.h"

#include <inttypes.h>
#include <string.h>

#include "math/erf_rows.h"
#include "math/version.h"

#include "math_texts.h" /* made from the files of this folder */

#define NEED(name) (1u << LUN__TEXT_##name)

static const struct {
    const char *text;
    unsigned needs;
    bool wide, far;
} texts[LUN__TEXTS] = {
#define LUN_MATH_TEXT(name, wide, far, needs) {text_##name##_seq, needs, wide, far},
#include "math/texts.def"
#undef LUN_MATH_TEXT
};

/* The words end with the texts: what follows may have names like them. */
static const char end[] =
    "#undef F64\n#undef F32\n#undef I64\n#undef I32\n#undef COLD\n#undef TABLE\n#undef INF\n"
    "#undef INFF\n#undef QNAN\n#undef QNANF\n#undef C\n#undef CF\n#undef BITS\n#undef BITSF\n"
    "#undef REAL\n#undef REALF\n#undef LT\n#undef LTF\n#undef LE\n#undef LEF\n#undef EQ\n"
    "#undef EQF\n#undef NE\n#undef NEF\n#undef SEL\n#undef SELF\n#undef SELS\n#undef SELSF\n"
    "#undef ANY\n#undef ANYF\n#undef ANYS\n#undef ANYSF\n#undef ANYNOT\n#undef ANYNOTF\n"
    "#undef MIN\n#undef MINF\n#undef MAX\n#undef MAXF\n#undef FMA\n#undef FMAF\n#undef "
    "SQRT\n#undef SQRTF\n"
    "#undef FAR\n#undef HALVES\n#undef HALVES2\n#undef WORD\n#undef ROWS\n";

const lun_sequence *lun__sequence(lun_op op, lun_dtype t, int version)
{
    enum { NARROW_F32 = 0, NARROW_F64 = 1 };
    static const lun_sequence rows[LUN_VERSIONS][LUN_OP_COUNT][2] = {
#define LUN_FUNCTION(ROW, DTYPE, version, arity, name, text, bound) \
    [LUN_VERSION_##version][LUN_OP_##ROW][NARROW_##DTYPE] = {#name, LUN__TEXT_##text, bound},
#include "math/functions.def"
#undef LUN_FUNCTION
    };
    static const lun_sequence none;
    const int wide = lun__dtype_is_double(t);
    if (version < 0 || !lun__dtype_is_plain_float(t))
        return &none;
    while (version < LUN_VERSIONS - 1 && !rows[version][op][wide].name)
        version++;
    return &rows[version][op][wide];
}

/* A set with what its texts need; what stands for the far ones needs nothing. */
static unsigned closed(unsigned set, bool by_library)
{
    for (int k = LUN__TEXTS - 1; k >= 0; k--) /* what a text needs stands before it */
        if (set >> k & 1 && !(by_library && texts[k].far))
            set |= texts[k].needs;
    return set;
}

bool lun__sequence_wide(unsigned set)
{
    set = closed(set, false);
    for (int k = 0; k < LUN__TEXTS; k++)
        if (set >> k & 1 && texts[k].wide)
            return true;
    return false;
}

static void write_erf_rows(lun_strbuf *out)
{
    lun__strbuf_printf(out, "TABLE(lun_seq_erf_rows[%d]) = {", LUN_ERF_ROWS * 4);
    for (int k = 0; k < LUN_ERF_ROWS * 4; k++)
        lun__strbuf_printf(out, "0x%" PRIx64 ",%s", lun_seq_erf_rows[k], k % 4 == 3 ? "\n" : "");
    lun__strbuf_puts(out, "};\n");
}

/* Where a function of functions.def stands among the library's loops; -1: none. */
static int loop_of(const char *name, size_t length)
{
    enum { NARROW_F32 = 0, NARROW_F64 = 1 };
    static const struct {
        const char *name;
        int at;
    } rows[] = {
#define LUN_FUNCTION(ROW, DTYPE, version, arity, name, text, bound) \
    {#name, (LUN_VERSION_##version * 2 + NARROW_##DTYPE) * LUN_OP_COUNT + LUN_OP_##ROW},
#include "math/functions.def"
#undef LUN_FUNCTION
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strlen(rows[k].name) == length && memcmp(rows[k].name, name, length) == 0)
            return rows[k].at;
    return -1;
}

/* The cold functions of a far text, lun_seq_far_NAME(x), by the library. */
static void write_by_library(lun_strbuf *out, const char *text)
{
    static const char f32[] = "COLD F32 lun_seq_far_", f64[] = "COLD F64 lun_seq_far_";
    enum { PREFIX = sizeof f32 - 1 };
    for (const char *at = text; (at = strstr(at, "COLD ")) != NULL; at += PREFIX) {
        if (strncmp(at, f32, PREFIX) != 0 && strncmp(at, f64, PREFIX) != 0)
            continue;
        const int length = (int)strcspn(at, ")"), name = (int)strcspn(at + PREFIX, "(");
        const int loop = loop_of(at + PREFIX, (size_t)name);
        if (loop >= 0)
            lun__strbuf_printf(out, "%.*s) FAR(%.3s, x, %d)\n", length, at, at + 5, loop);
    }
}

void lun__sequence_write(lun_strbuf *out, unsigned set, lun_sequence_form form)
{
    if (!set)
        return;
    set = closed(set, form.by_library);
    if (form.bytes)
        lun__strbuf_printf(out, "#define LUN_W %d\n", form.bytes);
    lun__strbuf_puts(out, form.bytes ? text_gnu_words_h : text_cl_words_h);
    if (form.by_library)
        lun__strbuf_puts(out, "__attribute__((weak, visibility(\"default\"))) "
                              "lun_w_loop *const *" LUN_SEQUENCE_LOOPS ";\n");
    if (set & NEED(erf_f64))
        write_erf_rows(out);
    for (int k = 0; k < LUN__TEXTS; k++) {
        if (!(set >> k & 1))
            continue;
        if (form.by_library && texts[k].far)
            write_by_library(out, texts[k].text);
        else
            lun__strbuf_puts(out, texts[k].text);
    }
    lun__strbuf_puts(out, end);
}
