/* bundle.c - entries of the cache as one file, for machines that cannot make them.  Which entries,
 * and for which machines, a backend's abilities say; see backend.h.
 *
 * A file is a header, a line of n bytes that says for which machines it is, then entries:
 *
 *   offset  bytes
 *        0      8  "LUNBUND" and a zero byte
 *        8      4  format, 1
 *       12      4  n
 *       16      8  number of entries
 *       24      8  bytes behind the line
 *       32      n  the line
 *   and of each entry, from its own start, with a key of k and a payload of p bytes:
 *        0      8  k
 *        8      8  p
 *       16     16  XXH3 hash of key and payload, 128 bits, the highest byte first
 *       32      k  key, which begins with the line
 *   32 + k      p  payload; the next entry is behind it, without padding
 *
 * Numbers have the byte order of the machine: to another one the format is not 1.
 *
 * A bundle is code: an import takes it only from its user or root, from a file that nobody else can
 * write, whole, for this version and these instructions.  All entries are checked before the first
 * is stored; an export is renamed to its path when it is whole. */
#include "cache/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/replacing_file.h"

enum { FORMAT = 1, MOST = 1 << 30 };

static const char magic[8] = "LUNBUND";

typedef struct header {
    char magic[8];
    uint32_t format, line_bytes;
    uint64_t entries, bytes; /* behind the line */
} header;

typedef struct item {
    uint64_t key_bytes, payload_bytes;
    XXH128_canonical_t hash;
} item;

static XXH128_canonical_t hash_of(const void *bytes, size_t length)
{
    XXH128_canonical_t h;
    XXH128_canonicalFromHash(&h, XXH3_128bits(bytes, length));
    return h;
}

static lun_status failure(lun_strbuf *error, const char *path, const char *why)
{
    lun__strbuf_printf(error, "%s: %s", path, why);
    return error->failed ? LUN_ENOMEM : LUN_EIO;
}

/* ---- keys for other machines ----------------------------------------------------------------- */

/* The line that starts with `name` in a key's head, NULL: there is none. */
static const char *line_of(const char *key, const char *name)
{
    const char *end = strstr(key, "\n\n"), *p = strstr(key, name);
    return p && end && p < end && p > key && p[-1] == '\n' ? p : NULL;
}

/* Whether an entry is one of this machine's, of such instructions. */
static bool is_own(const lun_cache_machine *m, const char *key)
{
    const char *kind = line_of(key, m->kind);
    return !strncmp(key, m->first, strlen(m->first)) && kind && kind[strlen(m->kind)] == '\n';
}

void lun__cache_bundle_key(const lun_cache_machine *m, const char *key, size_t length,
                           lun_strbuf *out)
{
    lun_strbuf line = LUN_STRBUF_INIT, text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&line, "lunarray " LUN_VERSION " bits " LUN_BITS " kernels for %s\n",
                       m->name);
    lun__strbuf_add(&text, key ? key : "", length); /* which ends */
    out->failed |= line.failed | text.failed;
    const char *s = lun__strbuf_text(&text), *own = lun__strbuf_text(&line);
    const char *compiler = line_of(s, "compiler "), *flags = line_of(s, "flags ");
    if (!key) {
        lun__strbuf_puts(out, own);
    } else if (!strncmp(s, own, line.length)) { /* one that came from elsewhere */
        lun__strbuf_add(out, key, length);
    } else if (is_own(m, s) && compiler && flags) {
        lun__strbuf_puts(out, own);
        lun__strbuf_add(out, s, (size_t)(compiler - s));
        lun__strbuf_puts(out, flags);
    }
    lun__strbuf_free(&line);
    lun__strbuf_free(&text);
}

/* ---- export ---------------------------------------------------------------------------------- */

/* Appends an entry of the directory under the key for other machines; nothing if it has none. */
static bool add_entry(lun_cache *c, const char *name, const lun_cache_machine *machine,
                      lun_strbuf *out)
{
    lun_strbuf key = LUN_STRBUF_INIT;
    lun_cache_file f;
    if (!lun__cache_entry_read(c, name, &f))
        return false;
    lun__cache_bundle_key(machine, f.key, f.key_length, &key);
    size_t from = out->length;
    if (key.length) {
        item i = {.key_bytes = key.length, .payload_bytes = f.length};
        lun__strbuf_add(out, (const char *)&i, sizeof i);
        lun__strbuf_add(out, key.text, key.length);
        lun__strbuf_add(out, f.payload, f.length);
        if (!out->failed) {
            i.hash = hash_of(out->text + from + sizeof i, key.length + f.length);
            memcpy(out->text + from, &i, sizeof i);
        }
    }
    bool any = key.length > 0;
    out->failed |= key.failed;
    lun__strbuf_free(&key);
    free(f.bytes);
    return any;
}

static uint64_t add_entries(lun_cache *c, const lun_cache_machine *machine, lun_strbuf *out)
{
    struct stat st;
    uint64_t count = 0;
    int fd = lun__cache_directory(c, false) ? openat(c->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                                            : -1;
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    for (struct dirent *e; !out->failed && (e = readdir(d));)
        if (lun__cache_evict_is_entry(c, e->d_name, &st))
            count += add_entry(c, e->d_name, machine, out);
    closedir(d);
    return count;
}

static lun_status write_file(const char *path, const lun_strbuf *head, const lun_strbuf *body,
                             lun_strbuf *error)
{
    lun_replacing_file f;
    if (head->failed || body->failed)
        return LUN_ENOMEM;
    lun__replacing_file_open(&f, path);
    lun__replacing_file_write(&f, head->text, head->length);
    lun__replacing_file_write(&f, body->text, body->length);
    const int code = lun__replacing_file_end(&f, true);
    return !code ? LUN_OK : code == ENOMEM ? LUN_ENOMEM : failure(error, path, strerror(code));
}

lun_status lun__cache_bundle_export(lun_cache *c, const char *path,
                                    const lun_cache_machine *machine, int64_t *count,
                                    lun_strbuf *error)
{
    lun_strbuf line = LUN_STRBUF_INIT, head = LUN_STRBUF_INIT, body = LUN_STRBUF_INIT;
    lun__cache_bundle_key(machine, NULL, 0, &line);
    header h = {.format = FORMAT, .line_bytes = (uint32_t)line.length};
    memcpy(h.magic, magic, sizeof magic);
    h.entries = add_entries(c, machine, &body);
    h.bytes = body.length;
    lun__strbuf_add(&head, (const char *)&h, sizeof h);
    lun__strbuf_add(&head, lun__strbuf_text(&line), line.length);
    head.failed |= line.failed;
    lun_status s = h.entries || body.failed
                       ? write_file(path, &head, &body, error)
                       : failure(error, path, "the cache holds no compiled kernels to export");
    *count = (int64_t)h.entries;
    lun__strbuf_free(&line);
    lun__strbuf_free(&head);
    lun__strbuf_free(&body);
    return s;
}

/* ---- import ---------------------------------------------------------------------------------- */

/* Why the bundle's bytes are none for this machine, NULL if they are. */
static const char *damage(const char *bytes, size_t size, header *h)
{
    if (size < sizeof *h)
        return "not a kernel bundle: too short";
    memcpy(h, bytes, sizeof *h);
    if (memcmp(h->magic, magic, sizeof magic) || h->format != FORMAT)
        return "not a kernel bundle";
    if (h->line_bytes > size - sizeof *h || h->bytes != size - sizeof *h - h->line_bytes)
        return "the bundle is incomplete or damaged";
    size_t at = sizeof *h + h->line_bytes;
    for (uint64_t k = 0; k < h->entries; k++) {
        item i;
        if (size - at < sizeof i)
            return "the bundle is incomplete or damaged";
        memcpy(&i, bytes + at, sizeof i);
        at += sizeof i;
        if (i.key_bytes > size - at || i.payload_bytes > size - at - i.key_bytes)
            return "the bundle is incomplete or damaged";
        XXH128_canonical_t hash = hash_of(bytes + at, (size_t)(i.key_bytes + i.payload_bytes));
        if (memcmp(&hash, &i.hash, sizeof hash))
            return "the checksum does not match: it is damaged";
        at += (size_t)(i.key_bytes + i.payload_bytes);
    }
    return at == size ? NULL : "the bundle is incomplete or damaged";
}

/* Every key opens with the line of this machine, or it would never be found. */
static bool keys_fit(const char *bytes, const header *h, const lun_strbuf *line)
{
    size_t at = sizeof *h + h->line_bytes;
    for (uint64_t k = 0; k < h->entries; k++) {
        item i;
        memcpy(&i, bytes + at, sizeof i);
        at += sizeof i;
        if (i.key_bytes < line->length || memcmp(bytes + at, line->text, line->length))
            return false;
        at += (size_t)(i.key_bytes + i.payload_bytes);
    }
    return true;
}

static void store_entries(lun_cache *c, const char *bytes, const header *h)
{
    size_t at = sizeof *h + h->line_bytes;
    for (uint64_t k = 0; k < h->entries; k++) {
        item i;
        memcpy(&i, bytes + at, sizeof i);
        at += sizeof i;
        lun__cache_entry_store(c, bytes + at, (size_t)i.key_bytes, bytes + at + i.key_bytes,
                               (size_t)i.payload_bytes);
        at += (size_t)(i.key_bytes + i.payload_bytes);
    }
}

/* Why an open file may not be a bundle, NULL if it may. */
static const char *distrust(const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return "not a file";
    if (st->st_uid != geteuid() && st->st_uid != 0)
        return "it belongs to another user, and a bundle is code";
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return "other users can write to it, and a bundle is code (chmod go-w)";
    return st->st_size > MOST ? "too large" : NULL;
}

/* The whole file, to be freed; NULL with the reason. */
static char *read_bundle(const char *path, size_t *size, const char **why)
{
    struct stat st;
    char *bytes = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *why = fd < 0 || fstat(fd, &st) ? strerror(errno) : distrust(&st);
    if (!*why) {
        *size = (size_t)st.st_size;
        bytes = malloc(*size + 1);
        *why = bytes ? NULL : "out of memory";
    }
    if (bytes && !lun__cache_entry_read_all(fd, bytes, *size)) {
        free(bytes);
        bytes = NULL;
        *why = "it cannot be read";
    }
    if (fd >= 0)
        close(fd);
    return bytes;
}

static lun_status import(lun_cache *c, const char *path, const char *bytes, size_t size,
                         const lun_strbuf *line, int64_t *count, lun_strbuf *error)
{
    header h;
    const char *why = damage(bytes, size, &h);
    if (why)
        return failure(error, path, why);
    const char *its = bytes + sizeof h;
    if (h.line_bytes != line->length || memcmp(its, line->text, line->length)) {
        lun__strbuf_printf(error, "%s: the bundle contains %.*s, but this program uses %s", path,
                           (int)strcspn(its, "\n") < (int)h.line_bytes ? (int)strcspn(its, "\n")
                                                                       : (int)h.line_bytes,
                           its, line->text);
        error->length -= error->length && error->text[error->length - 1] == '\n';
        if (error->text)
            error->text[error->length] = 0;
        return LUN_EIO;
    }
    if (!keys_fit(bytes, &h, line))
        return failure(error, path, "the checksum does not match: it is damaged");
    if (!lun__cache_directory(c, true))
        return failure(error, path, "there is no kernel cache to import it into");
    store_entries(c, bytes, &h);
    *count = (int64_t)h.entries;
    return LUN_OK;
}

lun_status lun__cache_bundle_import(lun_cache *c, const char *path,
                                    const lun_cache_machine *machine, int64_t *count,
                                    lun_strbuf *error)
{
    lun_strbuf line = LUN_STRBUF_INIT;
    const char *why;
    size_t size = 0;
    char *bytes = read_bundle(path, &size, &why);
    lun__cache_bundle_key(machine, NULL, 0, &line);
    lun_status s = line.failed ? LUN_ENOMEM
                   : bytes     ? import(c, path, bytes, size, &line, count, error)
                               : failure(error, path, why);
    free(bytes);
    lun__strbuf_free(&line);
    return s;
}
