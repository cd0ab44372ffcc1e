/* cache_test.c - the kernel cache on disk: entries survive, damage and hostile directories do not
 * get through, many processes may write at once. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cache/directory.h"

static char root[64];
static int lines; /* logged */

static void count(void *ctx, const char *text)
{
    (void)ctx;
    assert_non_null(text);
    assert_null(strchr(text, '\n'));
    lines++;
}

static lun_cache *open_cache(const char *dir)
{
    lun_cache *c = NULL;
    lines = 0;
    assert_int_equal(lun__cache_open(dir, LUN_CACHE_SIZE, count, NULL, &c), LUN_OK);
    return c;
}

static bool hit(lun_cache *c, const char *key, const char *want)
{
    void *bytes;
    size_t length;
    if (!lun__cache_entry_load(c, key, strlen(key), &bytes, &length))
        return false;
    assert_int_equal(length, strlen(want));
    assert_memory_equal(bytes, want, length);
    free(bytes);
    return true;
}

static void store(lun_cache *c, const char *key, const char *value)
{
    lun__cache_entry_store(c, key, strlen(key), value, strlen(value));
}

static const char *in_root(const char *name)
{
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", root, name);
    return path[turn];
}

/* Number of files whose name starts so, but for the sum of their sizes; the path of one of them. */
static int files(const char *dir, const char *start, char *path)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    int n = 0;
    if (!d)
        return 0;
    while ((e = readdir(d))) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (strncmp(e->d_name, start, strlen(start)) || !strcmp(e->d_name, "size"))
            continue;
        if (path)
            snprintf(path, 512, "%.200s/%.255s", dir, e->d_name);
        n++;
    }
    closedir(d);
    return n;
}

static int set_up(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/lunarray-cache-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[2 * sizeof root + 64];
    (void)state;
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", root, root);
    return system(command);
}

static void test_stores_and_loads(void **state)
{
    (void)state;
    struct stat st;
    char path[512];
    lun_cache *c = open_cache(in_root("a/b/c"));
    assert_false(hit(c, "key", "value"));
    assert_int_equal(access(in_root("a"), F_OK), -1); /* a load makes nothing */
    store(c, "key", "value");
    assert_true(hit(c, "key", "value"));
    assert_false(hit(c, "kez", "value"));
    store(c, "key", "other value"); /* the last writer wins */
    store(c, "empty", "");
    assert_true(hit(c, "key", "other value"));
    lun__cache_close(c);
    c = open_cache(in_root("a/b/c"));
    assert_true(hit(c, "key", "other value"));
    assert_true(hit(c, "empty", ""));
    lun__cache_close(c);
    assert_int_equal(files(in_root("a/b/c"), "", path), 2);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(in_root("a/b/c"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(lines, 0);
    lun__cache_close(NULL);
}

/* One holds it at a time; others wait as long as they say. */
static void test_lock(void **state)
{
    (void)state;
    lun_cache *c = open_cache(in_root("locked")), *d = open_cache(in_root("locked")),
              *none = open_cache("");
    int lock = lun__cache_claim_lock(c, 0);
    assert_true(lock >= 0);
    assert_int_equal(lun__cache_claim_lock(d, 30), -1);
    lun__cache_claim_unlock(lock);
    lock = lun__cache_claim_lock(d, 30);
    assert_true(lock >= 0);
    lun__cache_claim_unlock(lock);
    lun__cache_claim_unlock(lun__cache_claim_lock(none, 0)); /* there is none */
    lun__cache_close(c);
    lun__cache_close(d);
    lun__cache_close(none);
}

static void test_places(void **state)
{
    (void)state;
    unsetenv("LUNARRAY_CACHE_DIR");
    setenv("XDG_CACHE_HOME", in_root("xdg"), 1);
    setenv("HOME", in_root("home"), 1);
    lun_cache *c = open_cache(NULL);
    store(c, "k", "1");
    lun__cache_close(c);
    assert_int_equal(files(in_root("xdg/lunarray"), "", NULL), 1);
    unsetenv("XDG_CACHE_HOME");
    c = open_cache(NULL);
    store(c, "k", "2");
    lun__cache_close(c);
    assert_int_equal(files(in_root("home/.cache/lunarray"), "", NULL), 1);
    setenv("LUNARRAY_CACHE_DIR", in_root("own"), 1);
    c = open_cache(NULL);
    store(c, "k", "3");
    assert_true(hit(c, "k", "3"));
    lun__cache_close(c);
    unsetenv("LUNARRAY_CACHE_DIR");
    c = open_cache("");
    store(c, "k", "4");
    assert_false(hit(c, "k", "4"));
    assert_int_equal(lines, 0); /* wanted so */
    lun__cache_close(c);
}

/* Every change of an entry's bytes is noticed, and the entry is removed. */
static void test_damage(void **state)
{
    (void)state;
    char path[512], value[700], whole[2048];
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = 0;
    lun_cache *c = open_cache(in_root("d"));
    store(c, "key", value);
    assert_int_equal(files(in_root("d"), "", path), 1);
    int fd = open(path, O_RDONLY);
    ssize_t size = read(fd, whole, sizeof whole);
    close(fd);
    assert_true(size > 700);
    for (int round = 0; round < 200; round++) {
        char bytes[4096];
        ssize_t n = size, at = round * 7919L % size;
        memcpy(bytes, whole, (size_t)size);
        memset(bytes + size, 0, sizeof bytes - (size_t)size);
        if (round % 4 == 0)
            bytes[at] = (char)(bytes[at] ^ (1 << round / 4 % 8)); /* flip */
        if (round % 4 == 1)
            n = at; /* cut */
        if (round % 4 == 2)
            memset(bytes + at, 0, (size_t)(size - at)); /* torn */
        if (round % 4 == 3)
            n = size + 1 + at; /* longer */
        fd = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
        assert_int_equal(write(fd, bytes, (size_t)n), n);
        close(fd);
        assert_false(hit(c, "key", value));
        assert_int_equal(access(path, F_OK), -1);
    }
    assert_int_equal(lines, 1); /* one line, not 200 */
    store(c, "key", value);
    assert_true(hit(c, "key", value));
    lun__cache_close(c);
}

/* What stands where an entry should be, and is none. */
static void test_foreign_entries(void **state)
{
    (void)state;
    char path[512], other[512];
    lun_cache *c = open_cache(in_root("f"));
    for (int way = 0; way < 6; way++) {
        store(c, "key", "value");
        assert_int_equal(files(in_root("f"), "", path), 1);
        snprintf(other, sizeof other, "%s", in_root("elsewhere"));
        unlink(other);
        if (way == 0)
            assert_int_equal(rename(path, other) || symlink(other, path), 0);
        if (way == 1)
            assert_int_equal(link(path, other), 0);
        if (way == 2)
            assert_int_equal(chmod(path, 0666), 0);
        if (way == 3)
            assert_int_equal(unlink(path) || mkdir(path, 0700), 0);
        if (way == 4)
            assert_int_equal(unlink(path) || mkfifo(path, 0600), 0);
        if (way == 5)
            assert_int_equal(truncate(path, (off_t)1 << 40), 0);
        assert_false(hit(c, "key", "value"));
        store(c, "key", "value");
        assert_true(hit(c, "key", "value"));
    }
    lun__cache_close(c);
}

/* Directories that are not to be trusted are not used, and told of once. */
static void test_hostile_directories(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_root("real"), 0700), 0);
    assert_int_equal(symlink("real", in_root("link")), 0);
    assert_int_equal(mkdir(in_root("open"), 0700) || chmod(in_root("open"), 0777), 0);
    assert_int_equal(mkdir(in_root("group"), 0700) || chmod(in_root("group"), 0770), 0);
    int fd = open(in_root("file"), O_CREAT | O_WRONLY, 0600);
    close(fd);
    assert_int_equal(mkfifo(in_root("fifo"), 0600), 0);
    static const char *const names[] = {"link", "open", "group", "file", "fifo", "file/below"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lun_cache *c = open_cache(in_root(names[i]));
        assert_false(hit(c, "k", "v"));
        assert_int_equal(lines, 0);
        store(c, "k", "v");
        store(c, "k", "v");
        assert_false(hit(c, "k", "v"));
        assert_int_equal(lines, 1);
        const char *scratch = lun__cache_scratch(c); /* elsewhere then */
        assert_non_null(scratch);
        assert_null(strstr(scratch, root));
        lun__cache_close(c);
    }
    assert_int_equal(files(in_root("real"), "", NULL) + files(in_root("open"), "", NULL), 0);
}

static void test_scratch(void **state)
{
    (void)state;
    struct stat st;
    char path[512];
    lun_cache *c = open_cache(in_root("s"));
    const char *scratch = lun__cache_scratch(c);
    assert_non_null(scratch);
    assert_int_equal(stat(scratch, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_ptr_equal(lun__cache_scratch(c), scratch);
    snprintf(path, sizeof path, "%s/left", scratch);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    pid_t child = fork();
    if (child == 0) { /* must not take the parent's directory away */
        lun__cache_close(c);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    assert_int_equal(access(path, F_OK), 0);
    lun__cache_close(c);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(files(in_root("s"), "", NULL), 0);
}

/* What killed writers left an hour ago goes with the first store; what is fresh stays. */
static void test_sweep(void **state)
{
    (void)state;
    lun_cache *c = open_cache(in_root("w"));
    store(c, "k", "v");
    lun__cache_close(c);
    struct timespec old[2] = {{.tv_sec = time(NULL) - 4000}, {.tv_sec = time(NULL) - 4000}};
    close(open(in_root("w/.tmp-1-0-0"), O_CREAT | O_WRONLY, 0600));
    close(open(in_root("w/.tmp-2-0-0"), O_CREAT | O_WRONLY, 0600));
    mkdir(in_root("w/scratch-old"), 0700);
    close(open(in_root("w/scratch-old/k0.c"), O_CREAT | O_WRONLY, 0600));
    assert_int_equal(utimensat(AT_FDCWD, in_root("w/.tmp-1-0-0"), old, 0), 0);
    close(open(in_root("w/claim-old"), O_CREAT | O_WRONLY, 0600));
    close(open(in_root("w/claim-new"), O_CREAT | O_WRONLY, 0600));
    assert_int_equal(utimensat(AT_FDCWD, in_root("w/scratch-old"), old, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, in_root("w/claim-old"), old, 0), 0);
    c = open_cache(in_root("w"));
    assert_true(hit(c, "k", "v"));
    assert_int_equal(files(in_root("w"), ".tmp-", NULL), 2); /* a load sweeps nothing */
    store(c, "l", "v");
    assert_int_equal(files(in_root("w"), ".tmp-", NULL), 1);
    assert_int_equal(files(in_root("w"), "scratch-", NULL), 0);
    assert_int_equal(files(in_root("w"), "claim-", NULL), 1);
    lun__cache_close(c);
}

static int claim(lun_cache *c, const char *key, bool abandoned)
{
    return lun__cache_claim(c, key, strlen(key), abandoned);
}

/* A claim is one process' at a time, until it is ended; those of killed
 * processes delay no other. */
static void test_claims(void **state)
{
    (void)state;
    lun_cache *c = open_cache(in_root("c")), *d = open_cache(in_root("c"));
    int mine = claim(c, "k", false);
    assert_true(mine >= 0);
    assert_int_equal(fcntl(mine, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(claim(d, "k", false), LUN_CLAIM_TAKEN);
    assert_int_equal(claim(d, "k", true), LUN_CLAIM_TAKEN); /* not abandoned */
    assert_int_equal(claim(c, "k", false), LUN_CLAIM_OWN);
    int other = claim(d, "l", false);
    assert_true(other >= 0);
    int copy = dup(mine); /* as a child has it */
    close(mine);
    assert_int_equal(claim(d, "k", false), LUN_CLAIM_TAKEN);
    close(copy);
    assert_int_equal(claim(d, "k", false), LUN_CLAIM_LEFT);
    assert_int_equal(claim(d, "k", false), LUN_CLAIM_LEFT); /* looking is not taking */
    lun__cache_claim_end(c, "k", 1);
    mine = claim(d, "k", false);
    assert_true(mine >= 0);
    close(mine);
    mine = claim(c, "k", true);
    assert_true(mine >= 0);
    close(mine);
    close(other);
    pid_t child = fork();
    if (child == 0)
        _exit(claim(c, "m", false) < 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    mine = claim(c, "m", false); /* its owner is no more */
    assert_true(mine >= 0);
    close(mine);
    assert_int_equal(files(in_root("c"), "claim-", NULL), 3);
    lun_cache_state survey;
    store(c, "e", "v");
    lun__cache_survey(c, false, &survey);
    assert_int_equal(survey.entries, 1);
    lun__cache_close(c);
    lun__cache_close(d);
    c = open_cache("");
    assert_int_equal(claim(c, "k", false), LUN_CLAIM_NONE);
    lun__cache_close(c);
}

/* Processes that claim the same key at once: never two have it. */
static void test_claims_exclude(void **state)
{
    (void)state;
    pid_t children[4];
    for (int p = 0; p < 4; p++) {
        children[p] = fork();
        if (children[p])
            continue;
        lun_cache *c = NULL;
        int wrong = lun__cache_open(in_root("x"), LUN_CACHE_SIZE, NULL, NULL, &c) != LUN_OK;
        for (int i = 0; i < 2000 && !wrong; i++) {
            int fd = claim(c, "k", false);
            if (fd < 0)
                continue;
            int lock = open(in_root("x-inside"), O_CREAT | O_EXCL | O_WRONLY, 0600);
            wrong |= lock < 0;
            close(lock);
            unlink(in_root("x-inside"));
            lun__cache_claim_end(c, "k", 1);
            close(fd);
        }
        lun__cache_close(c);
        _exit(wrong);
    }
    for (int p = 0; p < 4; p++) {
        int status;
        waitpid(children[p], &status, 0);
        assert_int_equal(status, 0);
    }
}

/* Bytes of the entries in a directory. */
static int64_t entry_bytes(const char *dir)
{
    lun_cache_state survey;
    lun_cache *c = open_cache(dir);
    assert_true(lun__cache_directory(c, false));
    lun__cache_survey(c, false, &survey);
    lun__cache_close(c);
    return survey.bytes;
}

static lun_cache *open_bounded(const char *dir, int64_t size)
{
    lun_cache *c = NULL;
    assert_int_equal(lun__cache_open(dir, size, NULL, NULL, &c), LUN_OK);
    return c;
}

/* Stores an entry of 4000 bytes under a number; its content says which. */
static void store_number(lun_cache *c, int number)
{
    char key[32], value[4000] = "";
    snprintf(key, sizeof key, "key %d", number);
    snprintf(value, sizeof value, "value %d", number);
    lun__cache_entry_store(c, key, strlen(key), value, sizeof value);
}

static bool has_number(lun_cache *c, int number)
{
    char key[32], value[32];
    void *bytes;
    size_t length;
    snprintf(key, sizeof key, "key %d", number);
    snprintf(value, sizeof value, "value %d", number);
    if (!lun__cache_entry_load(c, key, strlen(key), &bytes, &length))
        return false;
    assert_int_equal(length, 4000);
    assert_string_equal(bytes, value);
    free(bytes);
    return true;
}

/* The entry of a number was used that many seconds ago. */
static void set_used(const char *dir, int number, int seconds)
{
    char key[32], path[600], name[LUN_CACHE_NAME];
    snprintf(key, sizeof key, "key %d", number);
    lun__cache_name(key, strlen(key), name);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    struct timespec t = {.tv_sec = time(NULL) - seconds};
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){t, t}, 0), 0);
}

/* The directory stays below its limit; what was used last stays, by any process; a lost or wrong
 * sum is made anew. */
static void test_size_is_bounded(void **state)
{
    (void)state;
    enum { LIMIT = 100000, FIT = 20 }; /* 20 entries of 4.1 KB are below seven eighths of it */
    char dir[512], size[600];
    snprintf(dir, sizeof dir, "%s", in_root("b"));
    snprintf(size, sizeof size, "%s/size", dir);
    lun_cache *c = open_bounded(dir, LIMIT);
    for (int i = 0; i < FIT; i++) {
        store_number(c, i);
        set_used(dir, i, 10000 - i);
    }
    assert_true(has_number(c, 3)); /* is used now */
    assert_true(has_number(c, 0));
    for (int i = 0; i < 500; i++) {
        store_number(c, 1000 + i);
        set_used(dir, 1000 + i, 5000 - i);
        assert_in_range(entry_bytes(dir), 1, LIMIT);
    }
    assert_true(has_number(c, 3) && has_number(c, 0) && has_number(c, 1499) && has_number(c, 1490));
    assert_false(has_number(c, 1) || has_number(c, 4) || has_number(c, 1400));

    static const char *const sums[] = {"", "x", "                  -7\n", "9223372036854775807 \n",
                                       "                   0\n"};
    for (size_t k = 0; k < sizeof sums / sizeof sums[0]; k++) {
        int fd = open(size, O_WRONLY | O_TRUNC);
        assert_int_equal(write(fd, sums[k], strlen(sums[k])), strlen(sums[k]));
        close(fd);
        for (int i = 0; i < 60; i++)
            store_number(c, 2000 + i);
        assert_in_range(entry_bytes(dir), 1, 2 * LIMIT); /* 0 in it is believed once */
    }
    for (int i = 0; i < 60; i++)
        store_number(c, 3000 + i);
    assert_in_range(entry_bytes(dir), 1, LIMIT);
    unlink(size);
    assert_int_equal(mkdir(size, 0700), 0); /* without a sum entries are stored all the same */
    store_number(c, 4000);
    assert_true(has_number(c, 4000));
    lun__cache_close(c);
}

/* An entry beyond the limit on its own does not stay for long, and nothing fails. */
static void test_entry_beyond_limit(void **state)
{
    (void)state;
    lun_cache *c = open_bounded(in_root("tiny"), 1000);
    for (int i = 0; i < 5; i++) {
        store_number(c, i);
        assert_true(has_number(c, i));
        assert_int_equal(files(in_root("tiny"), "", NULL), 1);
    }
    lun__cache_close(c);
}

/* Processes that store and load at once: the directory stays near its limit, each load gives the
 * whole entry or none. */
static void test_bounded_processes(void **state)
{
    (void)state;
    enum { PROCESSES = 3, LIMIT = 60000 };
    pid_t children[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        if (children[p])
            continue;
        lun_cache *c = open_bounded(in_root("p"), LIMIT);
        for (int i = 0; i < 600; i++) {
            store_number(c, p * 1000 + i);
            (void)has_number(c, (p + 1) % PROCESSES * 1000 + i);
            (void)has_number(c, p * 1000 + i - 5);
        }
        lun__cache_close(c);
        _exit(0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_int_equal(status, 0);
    }
    lun_cache *c = open_bounded(in_root("p"), LIMIT);
    store_number(c, 9999);
    lun__cache_close(c);
    assert_in_range(entry_bytes(in_root("p")), 1, LIMIT + PROCESSES * 5000);
}

/* A directory that cannot be written gives what is in it. */
static void test_read_only(void **state)
{
    (void)state;
    lun_cache *c = open_bounded(in_root("r"), 100000);
    store_number(c, 1);
    set_used(in_root("r"), 1, 1000);
    lun__cache_close(c);
    assert_int_equal(chmod(in_root("r"), 0500), 0);
    c = open_bounded(in_root("r"), 100);
    assert_true(has_number(c, 1));
    store_number(c, 2);
    assert_true(has_number(c, 1) || geteuid() == 0); /* root may write there */
    lun__cache_close(c);
}

/* A directory that goes away is made again; where that fails, nothing is worse than a miss. */
static void test_failing_writes(void **state)
{
    (void)state;
    lun_cache *c = open_cache(in_root("gone"));
    store(c, "k", "v");
    assert_int_equal(system(strcat(strcpy((char[600]){0}, "rm -rf "), in_root("gone"))), 0);
    assert_false(hit(c, "k", "v"));
    store(c, "k", "v");
    assert_true(hit(c, "k", "v"));
    assert_int_equal(lines, 0);
    assert_int_equal(system(strcat(strcpy((char[600]){0}, "rm -rf "), in_root("gone"))), 0);
    int fd = claim(c, "k", false);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(system(strcat(strcpy((char[600]){0}, "rm -rf "), in_root("gone"))), 0);
    close(open(in_root("gone"), O_CREAT | O_WRONLY, 0600)); /* a file in its place */
    assert_int_equal(claim(c, "k", false), LUN_CLAIM_NONE);
    store(c, "k", "v");
    store(c, "k", "v");
    assert_false(hit(c, "k", "v"));
    assert_int_equal(lines, 1);
    lun__cache_close(c);
}

/* Processes that write and read the same keys at once never see anything but whole entries. */
static void test_many_processes(void **state)
{
    (void)state;
    pid_t children[4];
    for (int p = 0; p < 4; p++) {
        children[p] = fork();
        if (children[p])
            continue;
        lun_cache *c = NULL;
        int wrong = lun__cache_open(in_root("m"), LUN_CACHE_SIZE, NULL, NULL, &c) != LUN_OK,
            hits = 0;
        for (int round = 0; round < 150 && !wrong; round++) {
            char key[16], value[4000];
            void *bytes;
            size_t length;
            snprintf(key, sizeof key, "key %d", round % 5);
            memset(value, 'a' + round % 5, sizeof value);
            lun__cache_entry_store(c, key, strlen(key), value, sizeof value);
            if (!lun__cache_entry_load(c, key, strlen(key), &bytes, &length))
                continue;
            hits++;
            wrong = length != sizeof value || memcmp(bytes, value, length) != 0;
            free(bytes);
        }
        lun__cache_close(c);
        _exit(wrong || hits != 150);
    }
    for (int p = 0; p < 4; p++) {
        int status;
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(files(in_root("m"), "", NULL), 5);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stores_and_loads),
        TEST(test_lock),
        TEST(test_places),
        TEST(test_damage),
        TEST(test_foreign_entries),
        TEST(test_scratch),
        TEST(test_hostile_directories),
        TEST(test_sweep),
        TEST(test_claims),
        TEST(test_claims_exclude),
        TEST(test_size_is_bounded),
        TEST(test_entry_beyond_limit),
        TEST(test_bounded_processes),
        TEST(test_read_only),
        TEST(test_failing_writes),
        TEST(test_many_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
