/* claim.c - how processes that share a cache directory keep out of each other's way: one lock for
 * all, and claims, a file for each entry in the making.
 *
 * Invariant: a claim's file exists until its owner removes it (lun__cache_claim_end) and is locked
 * (flock) as long as a process has its descriptor, so that the system itself ends the claims of
 * killed processes.  Its text, "PID ADDRESS" in decimal and a newline, says who has made it; while
 * it is empty its owner is about to write it.  Claims are advisory: an entry may be made without
 * one.
 *
 * Eight processes that compile the same 50 small kernels into an empty directory on two cores
 * (LUNARRAY_JIT=auto) take 3.1 s of processor time with claims, 15.3 s without, and 12.4 s where
 * each merely looks again on disk before it compiles; under LUNARRAY_JIT=sync 2.7 s and 11.8 s.
 * One process alone shows no difference beyond noise. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_NOFOLLOW */
#endif
#include "cache/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int lun__cache_claim_lock(lun_cache *c, int wait_ms)
{
    if (!lun__cache_directory(c, true))
        return -1;
    int fd = openat(c->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    for (int waited = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); waited += 5) {
        if (waited >= wait_ms || (errno != EWOULDBLOCK && errno != EINTR)) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return fd;
}

void lun__cache_claim_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

/* ---- claims ---------------------------------------------------------------------------------- */

enum { TRIES = 16, CLAIM = sizeof LUN_CACHE_CLAIM + LUN_CACHE_NAME };

static void claim_name(const char *key, size_t length, char name[CLAIM])
{
    char entry[LUN_CACHE_NAME];
    lun__cache_name(key, length, entry);
    snprintf(name, CLAIM, "%s%s", LUN_CACHE_CLAIM, entry);
}

/* Whether the process that made a claim may still be there; a new claim names no process yet. */
static bool owner_lives(int fd)
{
    char text[32] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    long pid = n > 0 ? strtol(text, NULL, 10) : 0;
    return pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

/* What the owner writes: its process, and for that process which cache. */
static int signature(const lun_cache *c, char text[64])
{
    return snprintf(text, 64, "%ld %p\n", (long)getpid(), (const void *)c);
}

/* Whether c itself has made the claim. */
static bool is_own(const lun_cache *c, int fd)
{
    char text[64], own[64];
    const int n = signature(c, own);
    return pread(fd, text, sizeof text, 0) == n && !memcmp(text, own, (size_t)n);
}

static bool sign(const lun_cache *c, int fd)
{
    char text[64];
    const int n = signature(c, text);
    return ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0 &&
           lun__write_bytes(fd, text, (size_t)n);
}

int lun__cache_claim(lun_cache *c, const char *key, size_t key_length, bool abandoned)
{
    char name[CLAIM];
    struct stat st;
    bool made = false, taken = false; /* taken: by another process */
    if (!lun__cache_directory(c, true))
        return LUN_CLAIM_NONE;
    claim_name(key, key_length, name);
    for (int tries = 0; tries < TRIES; tries++) {
        int fd = openat(c->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0)
            made = true;
        else if ((taken = errno == EEXIST))
            fd = openat(c->fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0 && errno == ENOENT) { /* ended between the two, or the directory is gone */
            if (!lun__cache_renewed(c))
                return LUN_CLAIM_NONE;
            continue;
        }
        if (fd < 0)
            return LUN_CLAIM_NONE;
        if (flock(fd, LOCK_EX | LOCK_NB)) {
            int error = errno;
            const bool own = error == EWOULDBLOCK && is_own(c, fd);
            close(fd);
            if (own)
                return LUN_CLAIM_OWN;
            if (error != EWOULDBLOCK)
                return LUN_CLAIM_NONE;
            if (!made)
                return LUN_CLAIM_TAKEN;
            sched_yield(); /* another process holds the lock on the new file */
            continue;
        }
        bool there = fstat(fd, &st) == 0 && st.st_nlink > 0;
        if (there && (made || abandoned || !owner_lives(fd)))
            return sign(c, fd) ? fd : (close(fd), LUN_CLAIM_NONE);
        close(fd);
        if (there)
            return LUN_CLAIM_LEFT;
        made = false;
    }
    return taken ? LUN_CLAIM_TAKEN : LUN_CLAIM_NONE;
}

void lun__cache_claim_end(lun_cache *c, const char *key, size_t key_length)
{
    char name[CLAIM];
    if (!lun__cache_directory(c, false))
        return;
    claim_name(key, key_length, name);
    unlinkat(c->fd, name, 0);
}
