/* crc.h - CRC-32 as zip archives have it: of bytes in order, and of what stands one behind the
 * other. */
#ifndef LUN_CRC_H
#define LUN_CRC_H

#include <stdint.h>

/* Goes on with the CRC of what is before, 0 of nothing. */
uint32_t lun__crc32(uint32_t crc, const void *bytes, int64_t count);
/* Of what has the CRC `before` with `count` bytes behind it that have the CRC `behind`. */
uint32_t lun__crc32_join(uint32_t before, uint32_t behind, int64_t count);

#endif
