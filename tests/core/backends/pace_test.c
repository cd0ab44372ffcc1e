/* pace_test.c - when a run goes to the team: simulated machines, on which runs take what a function
 * says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "openmp/threads/pace.h"

enum { COUNT = 1 << 18, RUNS = 3000 };

/* What run number i takes the team, on a machine where one thread takes 40000 ns. */
typedef double machine(int i);

static const double alone_ns = 40000;

static double quiet(int i)
{
    return i % 7 ? 22000 : 25000;
}

static double deaf(int i) /* helpers never come in time */
{
    (void)i;
    return 300000;
}

static double crowded(int i) /* helpers wait for a time slice of another process */
{
    (void)i;
    return 4e6;
}

static double hiccup(int i) /* one run in a hundred takes ten times as long */
{
    return i % 100 == 50 ? 400000 : 22000;
}

static double crowded_once(int i)
{
    return i == 500 ? 4e6 : 22000;
}

static double crowded_at_first(int i)
{
    return i < 300 ? 4e6 : 22000;
}

static double no_gain(int i) /* sharing costs what it brings */
{
    (void)i;
    return 42000;
}

typedef struct outcome {
    int by_team, late_by_team; /* of all runs; of the last third */
    double ns;
} outcome;

static outcome simulate(lun_pace *p, lun_rate *r, machine *team, double guess_ns)
{
    outcome o = {0};
    for (int i = 0; i < RUNS; i++) {
        lun_pace_plan plan = lun__pace_plan(p, r, COUNT, guess_ns, 2);
        double ns = plan.team ? team(i) : alone_ns;
        o.by_team += plan.team;
        o.late_by_team += plan.team && i >= RUNS / 3 * 2;
        o.ns += ns;
        if (plan.timed)
            lun__pace_note(p, r, COUNT, &plan, ns);
    }
    return o;
}

/* Bounds: runs of the team, the last third's, and all time in that of one thread. */
static const struct {
    const char *name;
    machine *team;
    int least, most, late;
    double time;
} machines[] = {
    {"quiet", quiet, RUNS * 95 / 100, RUNS, RUNS * 32 / 100, 0.6},
    {"deaf", deaf, 1, RUNS / 20, 0, 1.15},
    {"crowded", crowded, 1, RUNS / 100, 0, 1.2},
    {"hiccup", hiccup, RUNS * 90 / 100, RUNS, RUNS * 30 / 100, 0.75},
    {"crowded once", crowded_once, RUNS * 60 / 100, RUNS, RUNS * 32 / 100, 0.9},
    {"crowded at first", crowded_at_first, RUNS / 4, RUNS, RUNS * 32 / 100, 1.2},
    {"no gain", no_gain, 1, RUNS / 4, 0, 1.05},
};

static void test_machines(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        lun_pace pace = {0};
        lun_rate rate = {0};
        outcome o = simulate(&pace, &rate, machines[m].team, 60000);
        double time = o.ns / (RUNS * alone_ns);
        if (o.by_team < machines[m].least || o.by_team > machines[m].most ||
            o.late_by_team < machines[m].late || time > machines[m].time)
            fail_msg("%s: %d by the team, %d late, %.3f of one thread's time", machines[m].name,
                     o.by_team, o.late_by_team, time);
    }
}

/* What one kernel wins does not pay for another that loses. */
static void test_kernels_apart(void **state)
{
    lun_pace pace = {0};
    lun_rate wins = {0}, loses = {0};
    int by_team = 0;
    (void)state;
    for (int i = 0; i < RUNS; i++) {
        for (int k = 0; k < 2; k++) {
            lun_rate *r = k ? &loses : &wins;
            lun_pace_plan plan = lun__pace_plan(&pace, r, COUNT, 60000, 2);
            by_team += plan.team && k;
            if (plan.timed)
                lun__pace_note(&pace, r, COUNT, &plan, plan.team ? k ? 48000 : 20000 : alone_ns);
        }
    }
    assert_in_range(by_team, 1, RUNS / 20);
}

/* Short runs stay with one thread, long ones with the team, whatever happened. */
static void test_lengths(void **state)
{
    lun_pace pace = {0};
    lun_rate small = {0}, large = {0}, unknown = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        lun_pace_plan plan = lun__pace_plan(&pace, &small, 1 << 15, 5000, 2);
        assert_false(plan.team);
        if (plan.timed)
            lun__pace_note(&pace, &small, 1 << 15, &plan, 2000);
    }
    assert_float_equal(lun__pace_plan(&pace, &small, 1 << 15, 5000, 2).alone_ns, 2000, 1);
    for (int i = 0; i < 1000; i++) {
        lun_pace_plan plan = lun__pace_plan(&pace, &large, 1 << 25, 2e7, 2);
        assert_true(plan.team);
        if (plan.timed)
            lun__pace_note(&pace, &large, 1 << 25, &plan, 1e9);
    }
    /* the first run as the guess says, the next three alone */
    assert_true(lun__pace_plan(&pace, &unknown, COUNT, 60000, 2).team);
    for (int i = 0; i < 3; i++)
        assert_false(lun__pace_plan(&pace, &unknown, COUNT, 60000, 2).team);
    assert_false(lun__pace_plan(&pace, &unknown, 1 << 14, 6000, 2).team);
}

/* A kernel whose elements become costlier, or cheaper, is found out. */
static void test_changing_work(void **state)
{
    static const double thousands[] = {1, 30, 1, 100};
    lun_pace pace = {0};
    lun_rate rate = {0};
    (void)state;
    for (size_t phase = 0; phase < sizeof thousands / sizeof *thousands; phase++) {
        double alone = thousands[phase] * 1000;
        int by_team = 0;
        for (int i = 0; i < RUNS; i++) {
            lun_pace_plan plan = lun__pace_plan(&pace, &rate, COUNT, 60000, 2);
            double ns = plan.team ? alone / 2 + 3000 : alone;
            by_team += plan.team && i >= RUNS / 2;
            if (plan.timed)
                lun__pace_note(&pace, &rate, COUNT, &plan, ns);
        }
        if (alone < 4000)
            assert_in_range(by_team, 0, RUNS / 50);
        else
            assert_in_range(by_team, RUNS * 4 / 10, RUNS);
    }
}

/* One thread that was disturbed while it was measured is not taken for slow: neither once, nor for
 * as long as a run that is the team's without question. */
static void test_disturbed_measure(void **state)
{
    static const double first[][3] = {{30000, 3000, 9000}, {9e6, 8e6, 5e6}, {3000, 9e6, 9e6}};
    (void)state;
    for (size_t f = 0; f < sizeof first / sizeof *first; f++) {
        lun_pace pace = {0};
        lun_rate rate = {0};
        int by_team = 0, alone = 0;
        for (int i = 0; i < RUNS; i++) {
            lun_pace_plan plan = lun__pace_plan(&pace, &rate, COUNT, 60000, 2);
            by_team += plan.team;
            if (!plan.timed)
                continue;
            double ns = plan.team ? 40000 : alone < 3 ? first[f][alone] : 3000;
            alone += !plan.team;
            lun__pace_note(&pace, &rate, COUNT, &plan, ns);
        }
        assert_in_range(by_team, 1, RUNS / 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines),          cmocka_unit_test(test_kernels_apart),
        cmocka_unit_test(test_lengths),           cmocka_unit_test(test_changing_work),
        cmocka_unit_test(test_disturbed_measure),
    };
    return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
