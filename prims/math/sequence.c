/* sequence.c - the texts of the sequences, as they are quoted in generated programs; see
 * sequence.h. */
#include "math/sequence.h"

#include <inttypes.h>

#include "math/erf_rows.h"
#include "math/version.h"

#include "math_texts.h" /* made from the files of this folder */

#define NEED(name) (1u << LUN__TEXT_##name)

static const struct {
    const char *text;
    unsigned needs;
    bool wide;
} texts[LUN__TEXTS] = {
#define LUN_MATH_TEXT(name, wide, needs) {text_##name##_seq, needs, wide},
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
    "#undef HALVES\n#undef HALVES2\n#undef WORD\n#undef ROWS\n";

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

unsigned lun__sequence_texts(const lun_sequence *s)
{
    unsigned all = 1u << s->text;
    for (int k = s->text; k >= 0; k--) /* what a text needs stands before it */
        if (all >> k & 1)
            all |= texts[k].needs;
    return all;
}

bool lun__sequence_wide(unsigned set)
{
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

void lun__sequence_write(lun_strbuf *out, unsigned set, int bytes)
{
    if (!set)
        return;
    if (bytes)
        lun__strbuf_printf(out, "#define LUN_W %d\n", bytes);
    lun__strbuf_puts(out, bytes ? text_gnu_words_h : text_cl_words_h);
    if (set & NEED(erf_f64))
        write_erf_rows(out);
    for (int k = 0; k < LUN__TEXTS; k++)
        if (set >> k & 1)
            lun__strbuf_puts(out, texts[k].text);
    lun__strbuf_puts(out, end);
}
