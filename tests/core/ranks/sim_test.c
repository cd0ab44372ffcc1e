/* sim_test.c - the transport of simulated ranks, without an engine: what a seed decides and what it
 * leaves as it is, its clock, calls that are lost, ranks that are killed or hang. That it carries
 * bytes as all transports do is in net_test.c; engines on it are in ranks_faults_test.c and the
 * spec `simulated`. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/net.h"

enum { RANKS = 3 };

typedef struct rank {
    pthread_t thread;
    lun_net *n;
    void (*program)(struct rank *r);
    char got[64]; /* what the program has seen, a letter each */
    double seconds;
} rank;

static void *run(void *arg)
{
    rank *r = arg;
    r->program(r);
    r->n->calls->close(r->n);
    return NULL;
}

static void run_ranks(rank *all, const char *text, void (*program)(rank *r))
{
    lun_net_group *g = lun__threads_group_new(RANKS);
    char why[512];
    memset(all, 0, RANKS * sizeof *all);
    for (int i = 0; i < RANKS; i++) {
        all[i].program = program;
        all[i].n = lun__net_sim(g, i, text, why, sizeof why);
        assert_non_null(all[i].n);
    }
    lun__threads_group_free(g);
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, run, &all[i]), 0);
    for (int i = 0; i < RANKS; i++)
        pthread_join(all[i].thread, NULL);
}

static void note(rank *r, char letter)
{
    r->got[strlen(r->got)] = letter;
}

/* Looks, and rests for up to a millisecond, until there is a message with one of the tags up to
 * `most`; false: a call has failed. */
static bool take(rank *r, int most, int *tag, char *letter)
{
    const lun_net_calls *c = r->n->calls;
    while (true) {
        for (*tag = 1; *tag <= most; ++*tag) {
            lun_net_found found = {-1, -1};
            lun_net_request *request = NULL;
            if (!c->probe(r->n, LUN_NET_ANY, *tag, &found))
                return false;
            if (found.count == 1)
                return c->irecv(r->n, found.from, *tag, letter, 1, &request) &&
                       c->test(r->n, &request) && !request;
        }
        c->rest(r->n, 1000000);
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Ranks 1 and 2 send a, b by tag 1 and c by tag 2 to rank 0; A, B, C those of rank 2. */
static void orders(rank *r)
{
    lun_net_request *none = NULL;
    int tag;
    char letter;
    for (int k = 0; r->n->rank && k < 3; k++) {
        letter = (char)((r->n->rank == 1 ? 'a' : 'A') + k);
        assert_true(r->n->calls->isend(r->n, 0, k < 2 ? 1 : 2, &letter, 1, &none) && !none);
    }
    for (int k = 0; !r->n->rank && k < 6; k++)
        if (take(r, 2, &tag, &letter))
            note(r, letter);
}

/* Messages of a pair and tag come in their order, all others in any; a seed says the same each
 * time. */
static void test_order(void **state)
{
    int across = 0, pairs = 0;
    (void)state;
    for (int seed = 0; seed < 60; seed++) {
        rank all[RANKS], again[RANKS];
        char text[32];
        snprintf(text, sizeof text, "%d,late=%d", seed, seed % 2 ? 0 : 50);
        run_ranks(all, text, orders);
        run_ranks(again, text, orders);
        const char *got = all[0].got;
        assert_string_equal(got, again[0].got);
        assert_int_equal(strlen(got), 6);
        assert_true(strchr(got, 'a') < strchr(got, 'b') && strchr(got, 'A') < strchr(got, 'B'));
        across += strchr(got, 'c') < strchr(got, 'b');
        pairs += strchr(got, 'A') < strchr(got, 'a');
    }
    assert_true(across > 5 && across < 55);
    assert_true(pairs > 5 && pairs < 55);
}

/* A long send is done when its message has come, or at once: both happen, and the bytes that come
 * are those of before. */
static void lends(rank *r)
{
    enum { LONG = 10000 };
    static char bytes[LONG]; /* rank 0's */
    char got[LONG];
    const lun_net_calls *c = r->n->calls;
    lun_net_request *request = NULL;
    lun_net_found found = {-1, -1};
    if (r->n->rank == 0) {
        memset(bytes, 'x', sizeof bytes);
        assert_true(c->isend(r->n, 1, 7, bytes, LONG, &request));
        note(r, request ? 'w' : 'd');
        while (request)
            assert_true(c->test(r->n, &request));
        memset(bytes, 'y', sizeof bytes);
    } else if (r->n->rank == 1) {
        while (found.count < 0)
            assert_true(c->probe(r->n, 0, 7, &found));
        assert_true(c->irecv(r->n, 0, 7, got, LONG, &request) && c->test(r->n, &request));
        note(r, got[0]);
        note(r, got[LONG - 1]);
    }
}

static void test_long_messages(void **state)
{
    int waited = 0;
    (void)state;
    for (int seed = 0; seed < 40; seed++) {
        rank all[RANKS];
        char text[16];
        snprintf(text, sizeof text, "%d", seed);
        run_ranks(all, text, lends);
        assert_string_equal(all[1].got, "xx");
        waited += all[0].got[0] == 'w';
    }
    assert_true(waited > 5 && waited < 35);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Rank 0 rests for an hour, 1 sends a message after half of one, 2 looks for one after a minute:
 * more than ten minutes of silence fail all calls. */
static void rests(rank *r)
{
    const int64_t minute = INT64_C(60) * 1000000000;
    const lun_net_calls *c = r->n->calls;
    lun_net_request *none = NULL;
    if (r->n->rank == 1) {
        c->rest(r->n, 30 * minute);
        note(r, c->isend(r->n, 0, 1, "m", 1, &none) ? 'o' : 'f');
        return;
    }
    c->rest(r->n, r->n->rank ? minute : 60 * minute);
    note(r, c->probe(r->n, LUN_NET_ANY, 1, &(lun_net_found){-1, -1}) ? 'o' : 'f');
}

/* Below the ten minutes after which ranks are said to hang. */
static void short_rests(rank *r)
{
    const int64_t second = 1000000000;
    const lun_net_calls *c = r->n->calls;
    lun_net_request *none = NULL;
    const double begun = c->now(r->n);
    if (r->n->rank == 1) {
        c->rest(r->n, 30 * second);
        assert_true(c->isend(r->n, 0, 1, "m", 1, &none));
    } else {
        c->rest(r->n, (r->n->rank ? 1 : 90) * second);
    }
    r->seconds = c->now(r->n) - begun;
}

static void test_time(void **state)
{
    const double wanted[RANKS] = {30, 30, 1};
    (void)state;
    for (int seed = 0; seed < 10; seed++) {
        rank all[RANKS];
        char text[32];
        snprintf(text, sizeof text, "%d,late=1000", seed);
        run_ranks(all, text, short_rests);
        for (int i = 0; i < RANKS; i++)
            assert_true(all[i].seconds >= wanted[i] && all[i].seconds < wanted[i] + 0.0011);
    }
}

static void test_hang(void **state)
{
    rank all[RANKS];
    (void)state;
    run_ranks(all, "1", rests);
    for (int i = 0; i < RANKS; i++)
        assert_string_equal(all[i].got, i == 2 ? "o" : "f");
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Rank 1 sends five letters; rank 0 takes what comes until nothing has come for a second. */
static void sends_five(rank *r)
{
    const lun_net_calls *c = r->n->calls;
    lun_net_request *request = NULL;
    char letter;
    int tag;
    for (int k = 0; r->n->rank == 1 && k < 5; k++) {
        letter = (char)('a' + k);
        const bool ok = c->isend(r->n, 0, 1, &letter, 1, &request);
        note(r, !ok ? 'f' : request ? 'l' : 'd');
        if (!ok) {
            for (int i = 0; i < (int)strlen(r->n->error) && i < 8; i++)
                note(r, r->n->error[i]);
            c->abandon(r->n);
            return;
        }
    }
    const double begun = c->now(r->n);
    while (!r->n->rank && c->now(r->n) < begun + 1) {
        lun_net_found found;
        assert_true(c->probe(r->n, 1, 1, &found));
        if (found.count == 1) {
            assert_true(take(r, 1, &tag, &letter));
            note(r, letter);
        } else {
            c->rest(r->n, 10000000);
        }
    }
}

/* What a killed rank sent before comes; from its call on all fail. */
static void test_kill(void **state)
{
    (void)state;
    for (int seed = 0; seed < 10; seed++) {
        rank all[RANKS];
        char text[32];
        snprintf(text, sizeof text, "%d,kill=1@4", seed);
        run_ranks(all, text, sends_five);
        assert_string_equal(all[1].got, "dddfkilled");
        assert_string_equal(all[0].got, "abc");
    }
}

/* A call that is lost fails, or is never done, and the others go on. */
static void test_lose(void **state)
{
    int fails = 0, silent = 0;
    (void)state;
    for (int seed = 0; seed < 20; seed++) {
        rank all[RANKS];
        char text[32];
        snprintf(text, sizeof text, "%d,lose=1@3", seed);
        run_ranks(all, text, sends_five);
        if (!strcmp(all[1].got, "ddldd") && !strcmp(all[0].got, "abde"))
            silent++;
        else if (!strcmp(all[1].got, "ddfthe call") && !strcmp(all[0].got, "ab"))
            fails++;
        else
            fail_msg("seed %d: '%s' and '%s'", seed, all[1].got, all[0].got);
    }
    assert_true(fails > 2 && silent > 2);
}

/* A slow rank has its turns, and few of them while others want one. */
static void counts(rank *r)
{
    lun_net_found found;
    for (int k = 0; k < 100; k++)
        assert_true(r->n->calls->probe(r->n, LUN_NET_ANY, 1, &found));
    r->seconds = r->n->calls->now(r->n);
}

static void test_slow(void **state)
{
    (void)state;
    for (int seed = 0; seed < 10; seed++) {
        rank all[RANKS];
        char text[32];
        snprintf(text, sizeof text, "%d,slow=1", seed);
        run_ranks(all, text, counts);
        assert_true(all[1].seconds > all[0].seconds && all[1].seconds > all[2].seconds);
    }
}

int main(void)
{
    alarm(300); /* a hang is a failure */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order), cmocka_unit_test(test_long_messages),
        cmocka_unit_test(test_time),  cmocka_unit_test(test_hang),
        cmocka_unit_test(test_kill),  cmocka_unit_test(test_lose),
        cmocka_unit_test(test_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
