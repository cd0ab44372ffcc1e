/* write_function.h - a C text whose head is read as a function of kernels. */
#ifndef LUN_WRITE_FUNCTION_H
#define LUN_WRITE_FUNCTION_H

#include "ctext/maker.h"

/* Makes the function, for m->division if there is one; m can do so again.  LUN_EARG with what is
 * wrong and where in m->error; LUN_ENOMEM. */
lun_status lun__cmaker_write(lun_cmaker *m, lun_ir_function **out);

#endif
