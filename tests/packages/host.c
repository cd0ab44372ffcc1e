/* host.c - a program as a user of the packages builds it: the sum of three numbers. */
#include <lunarray.h>
#include <stdio.h>

int main(void)
{
    const double x[] = {1, 2, 3};
    lun_engine *e;
    lun_array *a;
    lun_value v;
    if (lun_open(NULL, &e) != LUN_OK)
        return 1;
    lun_status s = lun_vector(e, x, 3, LUN_F64, &a);
    if (s == LUN_OK) {
        s = lun_total(e, LUN_SUM, a, 0, &v);
        lun_release(a);
    }
    if (s == LUN_OK)
        printf("%g\n", v.as.d);
    lun_close(e);
    return s != LUN_OK;
}
