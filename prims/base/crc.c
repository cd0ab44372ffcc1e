/* crc.c - CRC-32 by zlib; see crc.h. */
#include "base/crc.h"

#include <zlib.h>

enum { AT_ONCE = 1 << 30 };

uint32_t lun__crc32(uint32_t crc, const void *bytes, int64_t count)
{
    const unsigned char *p = bytes;
    for (int64_t some; count > 0; count -= some, p += some) {
        some = count < AT_ONCE ? count : AT_ONCE;
        crc = (uint32_t)crc32(crc, p, (uInt)some);
    }
    return crc;
}

uint32_t lun__crc32_join(uint32_t before, uint32_t behind, int64_t count)
{
    return (uint32_t)crc32_combine(before, behind, (z_off_t)count);
}
