/* utf8.c - UTF-8: checks, code points. */
#include "text/texts.h"

#include <string.h>

/* How many bytes a text has at s, by its first one; 0: none begins so. */
static int length_of(unsigned char first)
{
    return first < 0x80   ? 1
           : first < 0xc2 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf5 ? 4
                          : 0;
}

bool lun__utf8_valid(const char *s, int64_t n)
{
    const unsigned char *p = (const unsigned char *)s, *end = p + n;
    while (p < end) {
        const int bytes = length_of(*p);
        if (!*p || !bytes || end - p < bytes)
            return false;
        for (int k = 1; k < bytes; k++)
            if ((p[k] & 0xc0) != 0x80)
                return false;
        const bool wrong = (*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) ||
                           (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90);
        if (bytes > 2 && wrong)
            return false;
        p += bytes;
    }
    return true;
}

int64_t lun__utf8_count(const char *s, int64_t n)
{
    int64_t count = 0;
    for (int64_t k = 0; k < n; k++)
        count += ((unsigned char)s[k] & 0xc0) != 0x80;
    return count;
}

int64_t lun__utf8_skip(const char *s, int64_t n, int64_t count)
{
    int64_t at = 0;
    for (; count > 0 && at < n; count--)
        at += length_of((unsigned char)s[at]);
    return at;
}

uint32_t lun__utf8_get(const char *s, int *bytes)
{
    const unsigned char *p = (const unsigned char *)s;
    *bytes = length_of(*p);
    uint32_t point = *bytes == 1 ? *p : *p & (0x7fu >> *bytes);
    for (int k = 1; k < *bytes; k++)
        point = point << 6 | (p[k] & 0x3f);
    return point;
}

int lun__utf8_put(uint32_t point, char out[4])
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    const int bytes = point < 0x800 ? 2 : point <= 0xffff ? 3 : 4;
    for (int k = bytes - 1; k > 0; k--, point >>= 6)
        out[k] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(0xf00u >> bytes | point);
    return bytes;
}
