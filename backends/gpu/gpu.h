/* gpu.h - a backend on any driver of GPUs (driver.h): the functions of a lun_backend; see
 * backend.h.
 *
 * A lun_backend has an `open` and a `devices` of its own, which hand lun__gpu_open and
 * lun__gpu_preferred its driver; its other functions are those below as they stand. */
#ifndef LUN_GPU_H
#define LUN_GPU_H

#include "backend.h"
#include "gpu/driver.h"

lun_status lun__gpu_open(const lun_gpu_driver *driver, const lun_services *services,
                         const lun_opening *how, void **state, lun_abilities *out);
void lun__gpu_close(void *state);
lun_status lun__gpu_build(void *state, const lun_ir *ir, const char *text, lun_kernel **out);
void lun__gpu_kernel_release(void *state, lun_kernel *kernel);
lun_status lun__gpu_prepare(void *state, lun_kernel *kernel, lun_kernel_facts *out);
lun_status lun__gpu_source(void *state, const lun_ir *ir, lun_strbuf *out);
bool lun__gpu_takes(void *state, const lun_work *w, int64_t *scratch);
lun_status lun__gpu_begin(void *state, const lun_work *w, lun_work_mark *mark);
lun_status lun__gpu_wait_for(void *state, lun_work_mark mark, lun_wait_how how, bool *ended);
lun_status lun__gpu_buffer_new(void *state, int64_t bytes, lun_buffer **out);
lun_status lun__gpu_buffer_host(void *state, int64_t bytes, bool shared, lun_buffer **out);
void lun__gpu_buffer_free(void *state, lun_buffer *buffer);
lun_status lun__gpu_buffer_write(void *state, lun_buffer *to, int64_t offset, const void *host,
                                 int64_t bytes, lun_work_mark *mark);
lun_status lun__gpu_buffer_read(void *state, lun_buffer *from, int64_t offset, void *host,
                                int64_t bytes, lun_work_mark *mark);
lun_status lun__gpu_overlap_copy(void *state, lun_buffer *to, int64_t to_offset, void *other,
                                 lun_buffer *from, int64_t from_offset, int64_t bytes, bool *done);
/* The rows of an open state's devices. */
int lun__gpu_devices(void *state, lun_device *rows, int room);
/* True if the driver's best device is a GPU; no driver is asked on a machine without a device
 * node of one. */
bool lun__gpu_preferred(const lun_gpu_driver *driver);

/* The key of a text's program in the cache on disk: all that the compiler's output depends on. */
void lun__gpu_program_key(const char *backend, const lun_gpu_device *device, const char *bits,
                          const char *text, lun_strbuf *key);
/* Appends "clFinish: CL_OUT_OF_RESOURCES (-5): hint". */
void lun__gpu_state_failure_text(lun_strbuf *out, lun_gpu_failure failure);

#endif
