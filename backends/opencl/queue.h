/* queue.h - a queue of OpenCL, and what the files of this folder do with it.
 *
 *   opencl.c         opening, memory, kernels that run; the tables
 *   cl_program.c     programs and kernels
 *   sub_devices.c    parts of devices
 *   cl_transfer.c    transfers beside kernels
 */
#ifndef LUN_OPENCL_QUEUE_H
#define LUN_OPENCL_QUEUE_H

#include "opencl/api.h"

typedef struct lun_cl_queue {
    const lun_cl *cl;
    cl_device_id device;
    const char *options;
    cl_context context;
    cl_command_queue queue, transfers; /* transfers: NULL: none yet */
    lun_gpu_failure *failure;          /* the last one */
} lun_cl_queue;

/* ---- answers --------------------------------------------------------------------------------- */

/* The answer to a call that makes something: its failure is of that call alone. */
static inline lun_gpu_answer lun__opencl_queue_made(lun_cl_queue *q, const char *call, cl_int code)
{
    if (code == CL_SUCCESS)
        return LUN_GPU_OK;
    *q->failure = lun__opencl_api_failure(call, code);
    return lun__opencl_api_sense(code) == LUN_CL_REFUSED ? LUN_GPU_REFUSED : LUN_GPU_FAILED;
}

/* The answer to a call that works on the queue: its failure may mean that the device is lost. */
static inline lun_gpu_answer lun__opencl_queue_worked(lun_cl_queue *q, const char *call,
                                                      cl_int code)
{
    lun_gpu_answer answer = lun__opencl_queue_made(q, call, code);
    return answer && lun__opencl_api_sense(code) == LUN_CL_LOST ? LUN_GPU_LOST : answer;
}

/* The handles as OpenCL takes them: NULL where there are none. */
static inline const cl_event *lun__opencl_queue_events(lun_gpu_after after)
{
    return after.count ? (const cl_event *)after.mark : NULL;
}

/* ---- of the driver's table, see gpu/driver.h ------------------------------------------------- */

lun_gpu_answer lun__sub_device_split(const void *library, const lun_gpu_device *device, int parts,
                                     void **ids, lun_gpu_failure *failure);
void lun__sub_device_keep(const void *library, void *const *ids, int parts);
void lun__sub_device_drop(const void *library, void *const *ids, int parts);

lun_gpu_answer lun__cl_program_build(void *state, const char *text, void **program,
                                     lun_strbuf *words);
void *lun__cl_program_load_binary(void *state, const void *bytes, size_t length);
void *lun__cl_program_take_binary(void *state, void *program, size_t *length);
void lun__cl_program_unload(void *state, void *program);
lun_gpu_answer lun__cl_program_make_kernel(void *state, void *program, const char *name,
                                           void **kernel, int64_t *most);
void lun__cl_program_free_kernel(void *state, void *kernel);

lun_gpu_answer lun__cl_transfer_send(void *state, void *memory, int64_t offset, const void *from,
                                     int64_t bytes, lun_gpu_after after, void **mark);
lun_gpu_answer lun__cl_transfer_copy(void *state, void *to, int64_t to_offset, void *from,
                                     int64_t from_offset, int64_t bytes, lun_gpu_after after,
                                     void **mark);
bool lun__cl_transfer_shares(const void *state, const void *other);
lun_gpu_answer lun__cl_transfer_keep_mark(void *state, void *mark);
void lun__cl_transfer_free_mark(void *state, void *mark);
lun_gpu_answer lun__cl_transfer_wait_mark(void *state, void *mark);

#endif
