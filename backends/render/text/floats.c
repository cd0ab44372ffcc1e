/* floats.c - table/floats.def quoted into kernels; see floats.h. */
#include "render/text/floats.h"

#include <string.h>

#define LUN_FLOAT_NARROW(...)
#define LUN_FLOAT_WIDEN(...) #__VA_ARGS__
static const char widen[] =
#include "table/floats.def"
    ;
#undef LUN_FLOAT_NARROW
#undef LUN_FLOAT_WIDEN
#define LUN_FLOAT_WIDEN(...)
#define LUN_FLOAT_NARROW(...) #__VA_ARGS__
static const char narrow[] =
#include "table/floats.def"
    ;

void lun__floats_put(lun_strbuf *out, lun_dtype to, lun_dtype from, const char *words,
                     const char *sum)
{
    bool widens = lun__dtype_is_stored(from);
    const lun_dtype_row *small = lun__dtype_get(widens ? from : to),
                        *wide = lun__dtype_get(widens ? to : from);
    lun__strbuf_printf(out, "    typedef lun_u%d WORD;\n    typedef %s WORDS;\n", 8 * wide->bytes,
                       words);
    lun__strbuf_printf(
        out,
        "    enum { SMALL_E = %d, SMALL_M = %d, WIDE_E = %d, WIDE_M = %d };\n"
        "#define BELOW(x, y) ((WORD)0 - (((x) - (y)) >> (WIDE_E + WIDE_M)))\n#define ",
        small->exponent, small->mantissa, wide->exponent, wide->mantissa);
    lun__strbuf_puts(out, widens ? "SUB(x, y) " : "ADD(x, y) ");
    lun__strbuf_printf(out, sum, widens ? '-' : '+');
    lun__strbuf_puts(out, "\n    WORDS r;\n");
    for (const char *p = widens ? widen : narrow, *end; *p; p = *end ? end + 1 : end) {
        p += *p == ' ';
        end = strchr(p, ';');
        if (!end)
            break;
        lun__strbuf_printf(out, "    %.*s;\n", (int)(end - p), p);
    }
    lun__strbuf_printf(out, "#undef BELOW\n#undef %s\n", widens ? "SUB" : "ADD");
}
