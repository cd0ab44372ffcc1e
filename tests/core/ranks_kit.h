/* ranks_kit.h - engines that are ranks, each in a thread of its own, which run one function. */
#ifndef RANKS_KIT_H
#define RANKS_KIT_H

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lunarray_bind.h"

enum { MOST = 8 };

typedef struct rank {
    pthread_t thread;
    lun_engine *e;
    int mype, npes;
    void (*program)(struct rank *r);
    bool ok;
    char error[512];
} rank;

/* A test of one rank; what fails is told once all have ended. */
#define EXPECT(condition)                                                                 \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "rank %d, line %d: %s (%s)\n", r->mype, __LINE__, #condition, \
                    lun_error(r->e));                                                     \
            r->ok = false;                                                                \
            return;                                                                       \
        }                                                                                 \
    } while (0)

static void *run(void *arg)
{
    rank *r = arg;
    r->ok = true;
    r->program(r);
    lun_close(r->e);
    return NULL;
}

static void keep_log(void *ctx, const char *text)
{
    snprintf(ctx, sizeof((rank *)0)->error, "%s", text);
}

/* Runs the program on so many ranks and fails where one has. */
static void run_ranks(rank *all, int npes, void (*program)(rank *r))
{
    lun_ranks *group;
    assert_int_equal(lun_ranks_new(npes, &group), LUN_OK);
    memset(all, 0, (size_t)npes * sizeof *all);
    for (int i = 0; i < npes; i++) {
        lun_config c = {.size = sizeof c, .backend = "reference", .ranks = group, .rank = i};
        c.log = keep_log;
        c.log_ctx = all[i].error;
        assert_int_equal(lun_rank(&c), i);
        assert_int_equal(lun_open(&c, &all[i].e), LUN_OK);
        assert_int_equal(lun_spmd_start(all[i].e), LUN_OK);
        assert_int_equal(lun_spmd_start(all[i].e), LUN_OK);
        assert_int_equal(lun_spmd_npes(all[i].e), npes);
        assert_int_equal(lun_spmd_mype(all[i].e), i);
        all[i].mype = i;
        all[i].npes = npes;
        all[i].program = program;
    }
    lun_ranks_free(group);
    for (int i = 0; i < npes; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, run, &all[i]), 0);
    for (int i = 0; i < npes; i++)
        pthread_join(all[i].thread, NULL);
    for (int i = 0; i < npes; i++)
        assert_true(all[i].ok);
}

#endif
