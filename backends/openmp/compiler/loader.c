/* loader.c - loads shared objects from memory; see loader.h.
 *
 * The dynamic linker takes two objects of the same name for one.  A file in memory has the name of
 * its descriptor, which is reused; so its inode number is spelled out in the path that is handed
 * over, as a row of "/" and "/./".
 *
 * Invariant: the list from loader.first on has each loaded object once, by hash and length of
 * its bytes; users > 0 of all. An object whose loader has ended is in no list: link and bytes
 * are NULL. *bytes is the sum of what they take. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include "openmp/compiler/loader.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "backend.h"
#include "base/loading_lock.h"
#include "math/sequence.h"

/* ---- is it whole? ---------------------------------------------------------------------------- */

static bool within(uint64_t offset, uint64_t size, size_t length)
{
    return offset <= length && size <= length - offset;
}

bool lun__loader_check(const void *bytes, size_t length)
{
    static const unsigned char cls = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    const char *file = bytes;
    ElfW(Ehdr) own, e;
    if (length < sizeof e)
        return false;
    memcpy(&e, file, sizeof e);
    if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != cls || e.e_type != ET_DYN)
        return false;
    /* a machine's number: that of the object that holds this code */
    Dl_info here;
    if (!dladdr((void *)(uintptr_t)lun__loader_check, &here))
        return false;
    memcpy(&own, here.dli_fbase, sizeof own);
    if (e.e_machine != own.e_machine || e.e_ident[EI_DATA] != own.e_ident[EI_DATA])
        return false;
    if (e.e_phentsize != sizeof(ElfW(Phdr)) || e.e_phnum == 0)
        return false;
    if (!within(e.e_phoff, (uint64_t)e.e_phnum * sizeof(ElfW(Phdr)), length))
        return false;
    if (!within(e.e_shoff, (uint64_t)e.e_shnum * e.e_shentsize, length))
        return false;
    for (int i = 0; i < e.e_phnum; i++) {
        ElfW(Phdr) p;
        memcpy(&p, file + e.e_phoff + (size_t)i * sizeof p, sizeof p);
        if (p.p_filesz > p.p_memsz || !within(p.p_offset, p.p_filesz, length))
            return false;
    }
    return true;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* A path to descriptor fd that no other file has had: one bit of the inode number after another. */
static void spell_path(int fd, ino_t inode, char *path, size_t room)
{
    size_t n = (size_t)snprintf(path, room, "/proc/self/fd");
    for (uint64_t i = (uint64_t)inode; i && n + 16 < room; i >>= 1)
        n += (size_t)snprintf(path + n, room - n, "%s", i & 1 ? "/." : "/");
    snprintf(path + n, room - n, "/%d", fd);
}

/* The object at path; NULL with the linker's reason. */
static void *load(const char *path, const char **error)
{
    lun__loading_lock_begin();
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    lun__loading_lock_end();
    *error = object ? NULL : dlerror(); /* each thread has its own */
    return object;
}

static void *open_in_memory(const void *bytes, size_t length, lun_strbuf *why)
{
    char path[256];
    struct stat st;
    void *object = NULL;
    const char *error;
    int fd = memfd_create("lunarray-kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || !lun__write_bytes(fd, bytes, length) || fstat(fd, &st) ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)) {
        lun__strbuf_printf(why, "memory file: %s", strerror(errno));
    } else {
        spell_path(fd, st.st_ino, path, sizeof path);
        object = load(path, &error);
        if (!object)
            lun__strbuf_puts(why, error ? error : "the dynamic linker rejects it");
    }
    if (fd >= 0)
        close(fd);
    return object;
}

static void *open_in_directory(const void *bytes, size_t length, const char *directory,
                               lun_strbuf *why)
{
    char path[4096];
    void *object = NULL;
    const char *error;
    if (snprintf(path, sizeof path, "%s/load-XXXXXX", directory) >= (int)sizeof path)
        return NULL;
    int fd = mkostemp(path, O_CLOEXEC);
    bool written = fd >= 0 && lun__write_bytes(fd, bytes, length);
    if (fd >= 0)
        written = close(fd) == 0 && written;
    if (written) {
        object = load(path, &error);
        if (!object)
            lun__strbuf_printf(why, "; %s", error ? error : "the dynamic linker rejects it");
    } else {
        lun__strbuf_printf(why, "; %s: %s", path, strerror(errno));
    }
    if (fd >= 0)
        unlink(path);
    return object;
}

/* ---- objects --------------------------------------------------------------------------------- */

struct lun_object {
    void *handle;
    XXH128_hash_t hash; /* of its bytes */
    size_t length;
    int users;
    int64_t *bytes;           /* its loader's counter */
    lun_object *next, **link; /* link: what points to this one; NULL: its loader has ended */
};

/* Its pages, and what the dynamic linker keeps of it. */
static int64_t taken_by(const lun_object *o)
{
    enum { LINKER = 2048 };
    return (int64_t)(sizeof *o + o->length) + LINKER;
}

static lun_object *find_loaded(const lun_loader *l, XXH128_hash_t hash, size_t length)
{
    lun_object *o = l->first;
    while (o && (o->length != length || !XXH128_isEqual(o->hash, hash)))
        o = o->next;
    return o;
}

lun_object *lun__loader_open(lun_loader *l, const void *bytes, size_t length, const char *fallback,
                             lun_strbuf *why)
{
    if (!lun__loader_check(bytes, length)) {
        lun__strbuf_puts(why, "not a whole shared object for this machine");
        return NULL;
    }
    XXH128_hash_t hash = XXH3_128bits(bytes, length);
    lun_object *o = find_loaded(l, hash, length);
    if (o) {
        o->users++;
        return o;
    }
    o = malloc(sizeof *o);
    if (!o) {
        lun__strbuf_puts(why, "out of memory");
        return NULL;
    }
    *o = (lun_object){
        .hash = hash, .length = length, .users = 1, .bytes = l->bytes, .next = l->first};
    o->handle = open_in_memory(bytes, length, why);
    if (!o->handle && fallback)
        o->handle = open_in_directory(bytes, length, fallback, why);
    if (!o->handle) {
        free(o);
        return NULL;
    }
    const void **loops = dlsym(o->handle, LUN_SEQUENCE_LOOPS);
    if (loops)
        *loops = l->loops;
    o->link = &l->first;
    if (o->next)
        o->next->link = &o->next;
    l->first = o;
    if (o->bytes)
        *o->bytes += taken_by(o);
    return o;
}

void *lun__loader_find(const lun_object *object, const char *name)
{
    return dlsym(object->handle, name);
}

void lun__loader_close(lun_object *o)
{
    if (!o || --o->users > 0)
        return;
    lun__loading_lock_begin();
    dlclose(o->handle);
    lun__loading_lock_end();
    if (o->bytes)
        *o->bytes -= taken_by(o);
    if (o->link) {
        *o->link = o->next;
        if (o->next)
            o->next->link = o->link;
    }
    free(o);
}

void lun__loader_end(lun_loader *l)
{
    while (l->first) {
        lun_object *o = l->first;
        l->first = o->next;
        o->next = NULL;
        o->link = NULL;
        o->bytes = NULL;
    }
}
