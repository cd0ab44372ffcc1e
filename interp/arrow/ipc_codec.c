/* ipc_codec.c - frames of lz4 and zstd, by the functions of their libraries. */
#include <stddef.h>
#include <string.h>

#include "arrow/ipc_state.h"

/* Functions, in the order of `function`. */
static const char *const lz4_names[] = {"LZ4F_createDecompressionContext",
                                        "LZ4F_decompress",
                                        "LZ4F_freeDecompressionContext",
                                        "LZ4F_isError",
                                        "LZ4F_compressFrame",
                                        "LZ4F_compressFrameBound",
                                        NULL};
static const char *const zstd_names[] = {"ZSTD_decompress", "ZSTD_isError", "ZSTD_compress",
                                         "ZSTD_compressBound", NULL};
enum { LZ4_CREATE, LZ4_DECOMPRESS, LZ4_FREE, LZ4_IS_ERROR, LZ4_COMPRESS, LZ4_BOUND };
enum { ZSTD_DECOMPRESS, ZSTD_IS_ERROR, ZSTD_COMPRESS, ZSTD_BOUND };
enum { LZ4_VERSION = 100, ZSTD_LEVEL = 1 };

typedef size_t create_fn(void **context, unsigned version);
typedef size_t decompress_fn(void *context, void *to, size_t *room, const void *from, size_t *n,
                             const void *options);
typedef size_t free_fn(void *context);
typedef unsigned is_error_fn(size_t code);
typedef size_t frame_fn(void *to, size_t room, const void *from, size_t n, const void *options);
typedef size_t frame_bound_fn(size_t n, const void *options);
typedef size_t whole_fn(void *to, size_t room, const void *from, size_t n);
typedef size_t compress_fn(void *to, size_t room, const void *from, size_t n, int level);
typedef size_t bound_fn(size_t n);

bool lun__ipc_codec_open(lun_engine *e, int codec, lun_ipc_library *out, lun_file_fault *f)
{
    const char *const *names = codec == LUN_IPC_LZ4 ? lz4_names : zstd_names;
    const char *door = codec == LUN_IPC_LZ4 ? "lz4" : "zstd";
    *out = (lun_ipc_library){.codec = codec};
    for (int k = 0; codec != LUN_IPC_NONE && names[k]; k++)
        if (lun_door_function(e, door, names[k], &out->function[k]) != LUN_OK)
            return lun__file_fault(f, "library", "%s", lun_error(e));
    return true;
}

/* A frame of lz4 states its sizes in at least 1 byte of 255 each; a block of zstd, of 128 KiB at
 * most, takes 4 bytes. */
bool lun__ipc_codec_explains(int codec, int64_t n, int64_t made)
{
    const int64_t most = codec == LUN_IPC_LZ4 ? 256 : 1 << 16;
    return made >= 0 && made / most <= n;
}

static const char *unpack_lz4(const lun_ipc_library *l, const char *bytes, size_t n, char *to,
                              size_t room)
{
    create_fn *create = (create_fn *)l->function[LZ4_CREATE];
    decompress_fn *decompress = (decompress_fn *)l->function[LZ4_DECOMPRESS];
    free_fn *end = (free_fn *)l->function[LZ4_FREE];
    is_error_fn *is_error = (is_error_fn *)l->function[LZ4_IS_ERROR];
    void *context = NULL;
    size_t at = 0, made = 0, code = 1;
    if (is_error(create(&context, LZ4_VERSION)))
        return "memory";
    while (code && !is_error(code)) {
        size_t some = room - made, read = n - at;
        code = decompress(context, to + made, &some, bytes + at, &read, NULL);
        at += read;
        made += some;
        if (code && !some && !read)
            break;
    }
    (void)end(context);
    return code || made != room ? "a buffer is no frame of lz4 of the length that it states" : NULL;
}

const char *lun__ipc_codec_unpack(const lun_ipc_library *l, const void *bytes, int64_t n, void *to,
                                  int64_t room)
{
    if (l->codec == LUN_IPC_LZ4)
        return unpack_lz4(l, bytes, (size_t)n, to, (size_t)room);
    whole_fn *decompress = (whole_fn *)l->function[ZSTD_DECOMPRESS];
    is_error_fn *is_error = (is_error_fn *)l->function[ZSTD_IS_ERROR];
    const size_t made = decompress(to, (size_t)room, bytes, (size_t)n);
    return is_error(made) || made != (size_t)room
               ? "a buffer is no frame of zstd of the length that it states"
               : NULL;
}

int64_t lun__ipc_codec_bound(const lun_ipc_library *l, int64_t n)
{
    if (l->codec == LUN_IPC_LZ4)
        return (int64_t)((frame_bound_fn *)l->function[LZ4_BOUND])((size_t)n, NULL);
    return (int64_t)((bound_fn *)l->function[ZSTD_BOUND])((size_t)n);
}

int64_t lun__ipc_codec_pack(const lun_ipc_library *l, const void *bytes, int64_t n, void *to,
                            int64_t room)
{
    const bool is_lz4 = l->codec == LUN_IPC_LZ4;
    is_error_fn *is_error = (is_error_fn *)l->function[is_lz4 ? LZ4_IS_ERROR : ZSTD_IS_ERROR];
    const size_t made =
        is_lz4 ? ((frame_fn *)l->function[LZ4_COMPRESS])(to, (size_t)room, bytes, (size_t)n, NULL)
               : ((compress_fn *)l->function[ZSTD_COMPRESS])(to, (size_t)room, bytes, (size_t)n,
                                                             ZSTD_LEVEL);
    return is_error(made) ? -1 : (int64_t)made;
}
