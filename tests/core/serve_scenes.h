/* serve_scenes.h - ranks that serve, each a thread with a working directory of its own, so that a
 * path which begins there leads each elsewhere: to rank 0's file, or something else. */
#ifndef LUN_TESTS_SERVE_SCENES_H
#define LUN_TESTS_SERVE_SCENES_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lunarray_bind.h"
#include "ranks/ranks_state.h"

#include "engine_kit.h"

enum { RANKS = 6, N = 60000 };

/* What is at that name in a rank's directory. */
typedef enum scene { SAME, NOTHING, OTHER, COPY, FOLDER, FORBIDDEN } scene;

typedef struct server {
    pthread_t thread;
    lun_config config;
    scene scene;
    lun_status status;
} server;

static char top[] = "/tmp/lunarray_files_XXXXXX";
static server servers[RANKS];
static lun_ranks *group;
static char own[96], path[] = "/proc/thread-self/cwd/x.raw"; /* rank 0's file */
static char target[96];                                      /* that is written */
static const char mark[] = "0123456789";
enum { HEAD = 10, OUT_BYTES = HEAD + N * (int)sizeof(double) };

static void fill(const char *name, double shift)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    for (int i = 0; i < N; i++) {
        const double x = i + shift;
        assert_int_equal(fwrite(&x, sizeof x, 1, f), 1);
    }
    assert_int_equal(fclose(f), 0);
}

static void take_times(const char *name)
{
    struct stat as;
    assert_int_equal(stat(own, &as), 0);
    const struct timespec times[] = {as.st_mtim, as.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

/* A file that is to be written, or looks like it. */
static void make_out(const char *name, const char *its_mark)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, its_mark, sizeof mark, OUT_BYTES), sizeof mark);
    assert_int_equal(close(fd), 0);
}

/* The file to write to, as the rank sees it. */
static void settle_out(const char *folder, scene s)
{
    char name[96];
    snprintf(name, sizeof name, "%s/out.raw", folder);
    if (s == SAME || s == FORBIDDEN)
        assert_int_equal(link(target, name), 0);
    else if (s == FOLDER)
        assert_int_equal(mkdir(name, 0755), 0);
    else if (s == OTHER)
        make_out(name, "0123456780");
}

/* A folder in which the calling thread alone works from now on. */
static void settle(int rank, scene s)
{
    char folder[64], name[96];
    snprintf(folder, sizeof folder, "%s/%d", top, rank);
    snprintf(name, sizeof name, "%s/x.raw", folder);
    assert_int_equal(mkdir(folder, 0755), 0);
    assert_int_equal(unshare(CLONE_FS), 0);
    assert_int_equal(chdir(folder), 0);
    if (s == SAME || s == FORBIDDEN)
        assert_int_equal(link(own, name), 0);
    else if (s == FOLDER)
        assert_int_equal(mkdir(name, 0755), 0);
    else if (s == OTHER || s == COPY)
        fill(name, s == OTHER ? 0.5 : 0);
    if (s == OTHER || s == COPY)
        take_times(name);
    settle_out(folder, s);
    if (s == FORBIDDEN)
        (void)setfsuid(65534); /* of this thread */
}

static void *serve(void *arg)
{
    server *s = arg;
    settle(s->config.rank, s->scene);
    s->status = lun_serve(&s->config);
    return NULL;
}

static lun_config config_of(int rank)
{
    return (lun_config){.size = sizeof(lun_config),
                        .backend = "mpi",
                        .cache_dir = "",
                        .ranks = group,
                        .rank = rank};
}

static int open_first(void **state)
{
    static const scene scenes[RANKS] = {SAME, SAME, NOTHING, OTHER, FOLDER, FORBIDDEN};
    (void)state;
    snprintf(own, sizeof own, "%s/x.raw", top);
    fill(own, 0);
    assert_int_equal(chmod(own, 0600), 0);
    snprintf(target, sizeof target, "%s/out.raw", top);
    make_out(target, mark);
    setenv("LUNARRAY_RANK_BACKEND", "reference", 1);
    assert_int_equal(lun_ranks_new(RANKS, &group), LUN_OK);
    for (int i = 1; i < RANKS; i++) {
        const bool is_root = geteuid() == 0;
        const scene s = scenes[i] == FORBIDDEN && !is_root ? COPY : scenes[i];
        servers[i] = (server){.config = config_of(i), .scene = s};
        assert_int_equal(pthread_create(&servers[i].thread, NULL, serve, &servers[i]), 0);
    }
    const lun_config c = config_of(0);
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    assert_int_equal(chdir(top), 0);
    return 0;
}

static int close_first(void **state)
{
    char command[96];
    (void)state;
    int left = kit_engine_close();
    for (int i = 1; i < RANKS; i++) {
        pthread_join(servers[i].thread, NULL);
        left |= servers[i].status != LUN_OK;
    }
    lun_ranks_free(group);
    snprintf(command, sizeof command, "rm -rf %s/*", top);
    return left | (system(command) != 0);
}

/* Rank 0's file, as backends are told of it. */
static lun_file file_of(int *descriptor)
{
    lun_file f = {.number = 1000, .name = "x.raw", .path = path};
    *descriptor = lun__infile_open(own, &f.is);
    assert_true(*descriptor >= 0);
    assert_int_equal(lun__infile_ends(*descriptor, &f.is), 0);
    return f;
}

#endif
