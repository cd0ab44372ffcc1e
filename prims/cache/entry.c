/* entry.c - compiled kernels on disk: entries read and written; see backend.h for what backends
 * see.
 *
 * An entry is a file named by the XXH3 hash of its key, 128 bits as 32 hexadecimal digits.  Of a
 * key of k and a payload of p bytes, which are the backend's affair:
 *
 *   offset  bytes
 *        0      8  "LUNKERN" and a zero byte
 *        8      4  format, 1
 *       12      4  bytes of this header, 48
 *       16      8  k
 *       24      8  p
 *       32     16  XXH3 hash of the payload, 128 bits, the highest byte first
 *       48      k  key
 *   48 + k      p  payload; the file ends behind it
 *
 * Numbers have the byte order of the machine: to another one the format is not 1.
 *
 * Invariant: a file of such a name is whole, or a load removes it.  It is read whole and checked
 * before any of it is used, written under another name and renamed: the last writer wins, and all
 * writers of a key write the same.  Nothing is flushed to the disk: what a power failure cuts off
 * fails its check and is made anew. */
#include "cache/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { FORMAT = 1, ENTRY_LIMIT = 256 << 20 };

static const char magic[8] = "LUNKERN";

typedef struct header {
    char magic[8];
    uint32_t format, header_bytes;
    uint64_t key_bytes, payload_bytes;
    XXH128_canonical_t payload_hash;
} header;

/* ---- loading --------------------------------------------------------------------------------- */

static XXH128_canonical_t hash_of(const void *bytes, size_t length)
{
    XXH128_canonical_t h;
    XXH128_canonicalFromHash(&h, XXH3_128bits(bytes, length));
    return h;
}

bool lun__cache_entry_read_all(int fd, char *to, size_t n)
{
    while (n) {
        ssize_t got = read(fd, to, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        n -= (size_t)got;
    }
    return true;
}

/* Why the bytes of a file are no entry for this key (NULL: for its own), NULL if they are. */
static const char *damage(const char *file, size_t size, const char *key, size_t key_length)
{
    header h;
    if (size < sizeof h)
        return "too short";
    memcpy(&h, file, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) || h.format != FORMAT || h.header_bytes != sizeof h)
        return "not a cache entry";
    size_t left = size - sizeof h;
    if (h.key_bytes > left || h.payload_bytes != left - h.key_bytes)
        return "sizes do not match";
    if (!key)
        key_length = (size_t)h.key_bytes;
    if (key && (h.key_bytes != key_length || memcmp(file + sizeof h, key, key_length)))
        return "it belongs to another key";
    XXH128_canonical_t hash = hash_of(file + sizeof h + key_length, (size_t)h.payload_bytes);
    return memcmp(&hash, &h.payload_hash, sizeof hash)
               ? "the checksum does not match: it is damaged"
               : NULL;
}

/* Why a file cannot be an entry of this cache, NULL if it may be.  A replaced file has no name. */
static const char *foreign(const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return "not a file";
    if (st->st_uid != geteuid() || (st->st_mode & (S_IWGRP | S_IWOTH)) || st->st_nlink > 1)
        return "other users can write to it";
    return st->st_size > ENTRY_LIMIT ? "too large" : NULL;
}

/* Takes the payload out of an open entry; NULL with the reason in *why, or without one if it may be
 * whole but cannot be had now. */
static void *take(int fd, const char *key, size_t key_length, size_t *length, const char **why)
{
    struct stat st;
    if (fstat(fd, &st))
        return NULL;
    if ((*why = foreign(&st)))
        return NULL;
    size_t size = (size_t)st.st_size;
    char *file = malloc(size + 1);
    if (!file)
        return NULL;
    *why = lun__cache_entry_read_all(fd, file, size) ? damage(file, size, key, key_length)
                                                     : "it cannot be read";
    if (*why) {
        free(file);
        return NULL;
    }
    lun__cache_evict_used(fd, &st);
    *length = size - sizeof(header) - key_length;
    memmove(file, file + sizeof(header) + key_length, *length);
    return file;
}

bool lun__cache_entry_read(lun_cache *c, const char *name, lun_cache_file *out)
{
    struct stat st;
    header h;
    int fd = openat(c->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool well = fd >= 0 && fstat(fd, &st) == 0 && !foreign(&st);
    size_t size = well ? (size_t)st.st_size : 0;
    char *file = well ? malloc(size + 1) : NULL;
    well = file && lun__cache_entry_read_all(fd, file, size) && !damage(file, size, NULL, 0);
    if (fd >= 0)
        close(fd);
    if (!well) {
        free(file);
        return false;
    }
    memcpy(&h, file, sizeof h);
    *out = (lun_cache_file){.bytes = file,
                            .key = file + sizeof h,
                            .payload = file + sizeof h + h.key_bytes,
                            .key_length = (size_t)h.key_bytes,
                            .length = (size_t)h.payload_bytes};
    return true;
}

bool lun__cache_entry_load(lun_cache *c, const char *key, size_t key_length, void **bytes,
                           size_t *length)
{
    char name[LUN_CACHE_NAME];
    const char *why = NULL;
    if (!lun__cache_directory(c, false))
        return false;
    lun__cache_name(key, key_length, name);
    int fd = openat(c->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        if (errno != ELOOP && errno != ENXIO && errno != EACCES)
            return false; /* none there, or none to be had now: no memory, no descriptor */
        why = strerror(errno);
    } else {
        void *payload = take(fd, key, key_length, length, &why);
        close(fd);
        if (payload)
            *bytes = payload;
        if (!why)
            return payload != NULL;
    }
    lun__cache_log_once(c, &c->logged_damage, "a damaged entry is rebuilt", why);
    if (unlinkat(c->fd, name, 0) && errno == EISDIR)
        unlinkat(c->fd, name, AT_REMOVEDIR);
    return false;
}

/* ---- storing --------------------------------------------------------------------------------- */

/* Writes an entry under a name of its own; false with errno. */
static bool write_entry(lun_cache *c, const char *name, const char *key, size_t key_length,
                        const void *bytes, size_t length)
{
    header h = {.format = FORMAT,
                .header_bytes = sizeof h,
                .key_bytes = key_length,
                .payload_bytes = length,
                .payload_hash = hash_of(bytes, length)};
    memcpy(h.magic, magic, sizeof magic);
    int fd = openat(c->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool well = lun__write_bytes(fd, &h, sizeof h) && lun__write_bytes(fd, key, key_length) &&
                lun__write_bytes(fd, bytes, length);
    int error = errno;
    if (close(fd) && well) {
        well = false;
        error = errno;
    }
    errno = error;
    return well;
}

void lun__cache_entry_store(lun_cache *c, const char *key, size_t key_length, const void *bytes,
                            size_t length)
{
    char name[LUN_CACHE_NAME], temporary[96];
    struct timespec t;
    if (!lun__cache_directory(c, true))
        return;
    lun__cache_sweep(c);
    lun__cache_evict_make_room(c, (int64_t)(sizeof(header) + key_length + length));
    lun__cache_name(key, key_length, name);
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(temporary, sizeof temporary, ".tmp-%ld-%u-%ld-%p", (long)getpid(), c->serial++,
             (long)t.tv_nsec, (void *)c);
    for (int tries = 0; tries < 2; tries++) {
        if (write_entry(c, temporary, key, key_length, bytes, length) &&
            renameat(c->fd, temporary, c->fd, name) == 0)
            return;
        if (errno != ENOENT || !lun__cache_renewed(c))
            break;
    }
    lun__cache_log_once(c, &c->logged_store, "an entry cannot be written", strerror(errno));
    unlinkat(c->fd, temporary, 0);
}
