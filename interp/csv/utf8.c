/* utf8.c - whether bytes are text: UTF-8 (RFC 3629: no surrogates, nothing overlong, nothing above
 * U+10FFFF) without NUL. */
#include "csv/mask.h"
#include "csv/piece.h"

static bool follows(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/* Bytes of the character at p, of at most `left`; 0: it is none. */
static int character(const unsigned char *p, int64_t left)
{
    unsigned char c = p[0];
    if (c < 0x80)
        return c != 0;
    if (c < 0xC2 || c > 0xF4 || left < 2 || !follows(p[1]))
        return 0;
    if (c < 0xE0)
        return 2;
    if (left < 3 || !follows(p[2]))
        return 0;
    if (c < 0xF0)
        return (c != 0xE0 || p[1] >= 0xA0) && (c != 0xED || p[1] < 0xA0) ? 3 : 0;
    if (left < 4 || !follows(p[3]))
        return 0;
    return (c != 0xF0 || p[1] >= 0x90) && (c != 0xF4 || p[1] < 0x90) ? 4 : 0;
}

int64_t lun__csv_utf8_no_text(const char *text, int64_t length)
{
    int64_t i = 0;
    while (i < length) {
        lun__csv_block b = lun__csv_mask_load(text + i);
        uint64_t odd = lun__csv_mask_high(b) | lun__csv_mask_equal(b, 0);
        if (length - i < 64)
            odd &= lun__csv_mask_first(length - i);
        if (!odd) {
            i += 64;
            continue;
        }
        i += __builtin_ctzll(odd);
        int n;
        do {
            n = character((const unsigned char *)text + i, length - i);
            if (!n)
                return i;
            i += n;
        } while (i < length && (text[i] & 0x80));
    }
    return -1;
}
