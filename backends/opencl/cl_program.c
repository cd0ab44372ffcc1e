/* cl_program.c - texts to programs, and programs to bytes, by the drivers' compilers; see queue.h.
 * A program is its context's, but compiled for one device. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create, memmem */
#endif
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend.h"
#include "gpu/signal_guard.h"
#include "opencl/queue.h"

/* ---- stderr ---------------------------------------------------------------------------------- */

/* What a driver's compiler writes to the host's stderr: its own summary of errors, which the build
 * log has in full, is dropped, all else is written afterwards. */
typedef struct quiet {
    int kept, caught; /* descriptors; -1: nothing is caught */
} quiet;

/* From here to restore_stderr, what any thread of the process writes to stderr waits in memory.
 * One thread of the process at a time (gpu/signal_guard.h). */
static void catch_stderr(quiet *q)
{
    q->caught = memfd_create("lunarray-stderr", MFD_CLOEXEC);
    q->kept = q->caught < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (q->kept >= 0 && dup2(q->caught, STDERR_FILENO) >= 0)
        return;
    if (q->kept >= 0)
        close(q->kept);
    if (q->caught >= 0)
        close(q->caught);
    q->kept = q->caught = -1;
}

/* "2 warnings and 1 error generated.": clang's summary. */
static bool is_summary(const char *line, size_t n)
{
    static const char end[] = " generated.";
    size_t m = sizeof end - 1;
    return n > m && line[0] >= '0' && line[0] <= '9' && !memcmp(line + n - m, end, m) &&
           (memmem(line, n, "error", 5) || memmem(line, n, "warning", 7));
}

/* Writes the lines but for summaries. */
static void pass_on(const char *text, size_t length)
{
    while (length) {
        const char *newline = memchr(text, '\n', length);
        size_t n = newline ? (size_t)(newline - text) : length, whole = n + (newline ? 1 : 0);
        if (!is_summary(text, n) && !lun__write_bytes(STDERR_FILENO, text, whole))
            return;
        text += whole;
        length -= whole;
    }
}

static void restore_stderr(quiet *q)
{
    if (q->kept < 0)
        return;
    dup2(q->kept, STDERR_FILENO);
    close(q->kept);
    off_t length = lseek(q->caught, 0, SEEK_END);
    char *text =
        length > 0 ? mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, q->caught, 0) : MAP_FAILED;
    if (text != MAP_FAILED) {
        pass_on(text, (size_t)length);
        munmap(text, (size_t)length);
    }
    close(q->caught);
}

/* ---- texts to programs ----------------------------------------------------------------------- */

/* Under a guard. */
static bool build_program(lun_cl_queue *q, cl_program p, cl_int *code)
{
    quiet caught;
    catch_stderr(&caught);
    *code = q->cl->clBuildProgram(p, 1, &q->device, q->options, NULL, NULL);
    restore_stderr(&caught);
    return *code == CL_SUCCESS;
}

/* Appends what the compiler had to say. */
static void quote(lun_cl_queue *q, cl_program p, lun_strbuf *words)
{
    size_t length = 0;
    if (q->cl->clGetProgramBuildInfo(p, q->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) !=
            CL_SUCCESS ||
        length < 2)
        return;
    char *log = calloc(1, length + 1);
    if (log && q->cl->clGetProgramBuildInfo(p, q->device, CL_PROGRAM_BUILD_LOG, length, log,
                                            NULL) == CL_SUCCESS)
        lun__strbuf_puts(words, log);
    free(log);
}

lun_gpu_answer lun__cl_program_build(void *state, const char *text, void **program,
                                     lun_strbuf *words)
{
    lun_cl_queue *q = state;
    lun_guard g;
    cl_int code = CL_SUCCESS;
    const char *call = "clCreateProgramWithSource";
    lun__guard_enter(&g, false);
    cl_program p = q->cl->clCreateProgramWithSource(q->context, 1, &text, NULL, &code);
    if (p) {
        call = "clBuildProgram";
        if (!build_program(q, p, &code)) {
            quote(q, p, words);
            q->cl->clReleaseProgram(p);
            p = NULL;
        }
    }
    lun__guard_leave(&g);
    *program = p;
    return p ? LUN_GPU_OK : lun__opencl_queue_made(q, call, code);
}

void *lun__cl_program_load_binary(void *state, const void *bytes, size_t length)
{
    lun_cl_queue *q = state;
    lun_guard g;
    const unsigned char *binary = bytes;
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    lun__guard_enter(&g, false);
    cl_program p = q->cl->clCreateProgramWithBinary(q->context, 1, &q->device, &length, &binary,
                                                    &status, &code);
    if (p && (status != CL_SUCCESS || !build_program(q, p, &code))) {
        q->cl->clReleaseProgram(p);
        p = NULL;
    }
    lun__guard_leave(&g);
    return p;
}

/* The number of this queue's device among those of a program, which are the context's; -1: it
 * cannot be had.  *count: of them. */
static int device_in(lun_cl_queue *q, cl_program program, size_t *count)
{
    cl_device_id all[LUN_GPU_DEVICES];
    size_t bytes = 0;
    if (q->cl->clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof all, all, &bytes) != CL_SUCCESS)
        return -1;
    *count = bytes / sizeof *all;
    for (size_t i = 0; i < *count; i++)
        if (all[i] == q->device)
            return (int)i;
    return -1;
}

/* Of the binaries of a program's devices this one's. */
static unsigned char *binary_of(lun_cl_queue *q, cl_program program, size_t *length)
{
    size_t sizes[LUN_GPU_DEVICES] = {0}, count = 0;
    unsigned char *all[LUN_GPU_DEVICES] = {NULL};
    const int own = device_in(q, program, &count);
    *length = 0;
    if (own < 0 || q->cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes,
                                           NULL) != CL_SUCCESS)
        return NULL;
    all[own] = sizes[own] ? malloc(sizes[own]) : NULL;
    if (!all[own])
        return NULL;
    *length = sizes[own];
    if (q->cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof *all, all, NULL) ==
        CL_SUCCESS)
        return all[own];
    free(all[own]);
    return NULL;
}

void *lun__cl_program_take_binary(void *state, void *program, size_t *length)
{
    lun_cl_queue *q = state;
    lun_guard g;
    lun__guard_enter(&g, false);
    unsigned char *bytes = binary_of(q, program, length);
    lun__guard_leave(&g);
    return bytes;
}

void lun__cl_program_unload(void *state, void *program)
{
    ((lun_cl_queue *)state)->cl->clReleaseProgram(program);
}

lun_gpu_answer lun__cl_program_make_kernel(void *state, void *program, const char *name,
                                           void **kernel, int64_t *most)
{
    lun_cl_queue *q = state;
    cl_int code = CL_SUCCESS;
    size_t group = 0;
    *kernel = q->cl->clCreateKernel(program, name, &code);
    if (!*kernel)
        return lun__opencl_queue_made(q, "clCreateKernel", code);
    if (q->cl->clGetKernelWorkGroupInfo(*kernel, q->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                        &group, NULL) != CL_SUCCESS)
        group = 0;
    *most = (int64_t)group;
    return LUN_GPU_OK;
}

void lun__cl_program_free_kernel(void *state, void *kernel)
{
    ((lun_cl_queue *)state)->cl->clReleaseKernel(kernel);
}
