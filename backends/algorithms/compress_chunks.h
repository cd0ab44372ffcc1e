/* compress_chunks.h - what compress_chunks.c does with a block.  Private to the room. */
#ifndef LUN_COMPRESS_CHUNKS_H
#define LUN_COMPRESS_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

/* Writes the elements of `from` whose bool in `mask` is true to `to`, in order; count: how many of
 * the n are.  Nothing behind them is touched. */
typedef void (*lun_packer)(const void *from, const uint8_t *mask, int64_t n, void *to,
                           int64_t count);
/* The same for the numbers first, first + 1, ... */
typedef void (*lun_numberer)(int64_t first, const uint8_t *mask, int64_t n, int64_t *to,
                             int64_t count);

/* For elements of so many bytes, a power of two up to 8. */
lun_packer lun__pack_block_elements(int bytes);
lun_numberer lun__pack_block_numbers(void);

#endif
