/* A host whose structs are records of its scripts: nothing is copied, what a script writes into a
 * field stands in the host's structs:
 *
 *     cc records.c $(pkg-config --cflags --libs lunarray) -o records && ./records
 *
 * prints:
 *     script: 2 of 4 bodies are above the ground
 *     (0, 4.755) falls at -4.9
 *     (1, 2.51) falls at -4.9
 *     (2, 0) lies still
 *     (3, 0) lies still
 *     heaviest of them: 8 kg
 *     records: Body has no field 'speed'
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <lunarray.h>

typedef struct body {
    double x, y, fall; /* fall: metres a second */
    float mass;
    int32_t owner; /* the script need not know it */
    bool falls;
} body;

static const char script[] =
    "bodies.fall = lun.where(bodies.falls, bodies.fall - 9.8 * dt, 0)\n"
    "bodies.y = lun.fmax(bodies.y + bodies.fall * dt / 2, 0)\n"
    "bodies.falls = bodies.y:gt(0)\n"
    "print(('script: %d of %d bodies are above the ground'):format(bodies.falls:sum(), #bodies))";

static lun_engine *e;

static void need(lun_status s)
{
    if (s == LUN_OK)
        return;
    fprintf(stderr, "records: %s: %s\n", lun_status_name(s), lun_error(e));
    exit(EXIT_FAILURE);
}

int main(void)
{
    body all[4] = {{0, 5.98, 0, 2, 11, true},
                   {1, 3.735, 0, 3, 12, true},
                   {2, 0.5, 0, 5, 13, true},
                   {3, 0, 0, 8, 14, false}};
    const lun_field fields[] = {LUN_FIELD(body, y, LUN_F64), LUN_FIELD(body, fall, LUN_F64),
                                LUN_FIELD(body, mass, LUN_F32), LUN_FIELD(body, falls, LUN_BOOL)};
    const lun_struct type = {sizeof type, "Body", fields, 4, sizeof(body)};
    lun_array *bodies, *mass, *none;
    lun_value most;

    need(lun_open(NULL, &e));
    need(lun_wrap_records(e, all, 4, &type, NULL, NULL, &bodies));
    need(lun_setglobal(e, "bodies", bodies));
    need(lun_setnumber(e, "dt", 0.5));
    need(lun_dostring(e, script));
    for (int i = 0; i < 4; i++) {
        printf("(%g, %g) ", all[i].x, all[i].y);
        if (all[i].falls)
            printf("falls at %g\n", all[i].fall);
        else
            printf("lies still\n");
    }

    /* The fields are arrays, with or without scripts. */
    need(lun_record_field(e, bodies, "mass", &mass));
    need(lun_total(e, LUN_MAX, mass, 0, &most));
    printf("heaviest of them: %g kg\n", most.as.d);
    if (lun_record_field(e, bodies, "speed", &none) != LUN_OK)
        printf("records: %s\n", lun_error(e));
    lun_release(mass);
    lun_release(bodies);
    lun_close(e);
    return 0;
}
