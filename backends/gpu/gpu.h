/* gpu.h - a backend on any driver of GPUs (driver.h): the functions of a lun_backend; see
 * backend.h.
 *
 * A lun_backend has an `open` and a `preferred` of its own, which hand lun__gpu_open and
 * lun__gpu_preferred its driver; its other functions are those below as they stand. */
#ifndef LUN_GPU_H
#define LUN_GPU_H

#include "backend.h"
#include "gpu/driver.h"

lun_status lun__gpu_open(const lun_gpu_driver *driver, const lun_services *services, int device,
                         void **state);
/* The same beside another one, see backend.h. */
lun_status lun__gpu_beside(void *state, const lun_services *services, int device, void **out);
void lun__gpu_link_peer(void *state, void *other);
void lun__gpu_close(void *state);
lun_status lun__gpu_finish(void *state);
int lun__gpu_groups(void *state, int64_t *team_bytes);
bool lun__gpu_fits(void *state, const lun_kernel *kernel);
lun_status lun__gpu_build(void *state, const lun_ir *ir, const char *text, lun_kernel **out);
void lun__gpu_release(void *state, lun_kernel *kernel);
lun_status lun__gpu_run(void *state, lun_kernel *kernel, lun_launch *launch);
lun_status lun__gpu_submit_run(void *state, lun_kernel *kernel, lun_launch *launch);
lun_status lun__gpu_advance(void *state, bool *given);
lun_status lun__gpu_collect(void *state);
lun_status lun__gpu_combine(void *state, lun_kernel *kernel, lun_launch *launch, uint64_t *cells,
                            int64_t pairs);
int64_t lun__gpu_product_room(void *state, const lun_product *p);
lun_status lun__gpu_product(void *state, const lun_product *p);
lun_status lun__gpu_pad(void *state, const lun_padding *p, int bytes, const lun_buffer *from,
                        int64_t origin, lun_buffer *to);
lun_status lun__gpu_transfer(void *state, const lun_transfer *t);
lun_status lun__gpu_source(void *state, const lun_ir *ir, lun_strbuf *out);
int lun__gpu_devices(void *state, lun_device *rows, int room);
lun_status lun__gpu_buffer_new(void *state, int64_t bytes, lun_buffer **out);
void lun__gpu_buffer_free(void *state, lun_buffer *buffer);
lun_status lun__gpu_upload(void *state, lun_buffer *to, int64_t offset, const void *host,
                           int64_t bytes);
lun_status lun__gpu_download(void *state, lun_buffer *from, int64_t offset, void *host,
                             int64_t bytes);
lun_status lun__gpu_send(void *state, lun_buffer *to, int64_t offset, const void *host,
                         int64_t bytes);
lun_status lun__gpu_settle(void *state);
lun_status lun__gpu_copy(void *state, lun_buffer *to, int64_t to_offset, void *other,
                         lun_buffer *from, int64_t from_offset, int64_t bytes, bool *done);
/* True if the driver's best device is a GPU; no driver is asked on a machine without a device
 * node of one. */
bool lun__gpu_preferred(const lun_gpu_driver *driver);

/* The key of a text's program in the cache on disk: all that the compiler's output depends on. */
void lun__gpu_key(const char *backend, const lun_gpu_device *device, const char *text,
                  lun_strbuf *key);
/* Appends "clFinish: CL_OUT_OF_RESOURCES (-5): hint". */
void lun__gpu_failure_text(lun_strbuf *out, lun_gpu_failure failure);

#endif
