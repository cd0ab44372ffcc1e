/* door_test.c - libraries of the system in one process: a failed search is repeated only when the
 * variable has changed, and a library that is open stays the one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lunarray_bind.h"

static char folder[] = "/tmp/door_XXXXXX";

/* A library of that name in the folder that says that version. */
static void make(const char *name, const char *version)
{
    char command[1024];
    snprintf(command, sizeof command,
             "printf 'const char *duckdb_library_version(void) { return \"%s\"; }\\n"
             "void duckdb_fetch_chunk(void) {}\\nvoid duckdb_interrupt(void) {}\\n"
             "void duckdb_create_table_function(void) {}\\n' > %s/a.c && "
             "cc -shared -fPIC -o %s/%s %s/a.c",
             version, folder, folder, name, folder);
    assert_int_equal(0, system(command));
}

/* The variable names that file. */
static void name(const char *file)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    assert_int_equal(0, setenv("LUNARRAY_DUCKDB", path, 1));
}

static void expect_none(lun_engine *e, const char *words)
{
    lun_door d = {.size = sizeof d};
    assert_int_equal(LUN_EIO, lun_door_open(e, "duckdb", &d));
    assert_non_null(strstr(lun_error(e), words));
    assert_non_null(strstr(lun_error(e), "\nGet libduckdb from DuckDB's releases"));
    assert_null(d.version);
}

static void test_tries(void **state)
{
    (void)state;
    lun_engine *e;
    lun_door d = {.size = sizeof d};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(LUN_OK, lun_open(NULL, &e));
    assert_true(lun_door_describe(0, &d));
    assert_string_equal("duckdb", d.name);
    assert_null(d.path);
    assert_false(lun_door_describe(8, &d));
    assert_false(lun_door_describe(-1, &d));
    name("first.so");
    expect_none(e, "first.so: not found");
    make("first.so", "v1.2.0"); /* there now, but the failure is kept */
    expect_none(e, "first.so: not found");
    make("old.so", "v0.9.0");
    name("old.so");
    expect_none(e, "DuckDB 0.9.0 is too old: 1.1 or newer is needed");
    name("first.so");
    assert_int_equal(LUN_OK, lun_door_open(e, "duckdb", &d));
    assert_string_equal("1.2.0", d.version);
    assert_non_null(strstr(d.path, "/first.so"));
    make("second.so", "v2.0.0");
    name("second.so"); /* the first one is open */
    assert_int_equal(LUN_OK, lun_door_open(e, "duckdb", &d));
    assert_string_equal("1.2.0", d.version);
    lun_close(e);
    assert_int_equal(LUN_OK, lun_open(NULL, &e)); /* for all engines of the process */
    assert_int_equal(LUN_OK, lun_door_open(e, "duckdb", NULL));
    assert_int_equal(LUN_EARG, lun_door_open(e, "duck", NULL));
    assert_int_equal(LUN_EARG, lun_door_open(e, NULL, NULL));
    assert_int_equal(LUN_EARG, lun_door_open(NULL, "duckdb", NULL));
    d.size = 0;
    assert_int_equal(LUN_EARG, lun_door_open(e, "duckdb", &d));
    assert_non_null(strstr(lun_error(e), "without its size"));
    lun_close(e);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(0, system(command));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
