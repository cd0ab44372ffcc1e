/* dgemm.c - what bench/dgemm.lua does, by hand on one thread: in C, or with "opencl" by the kernels
 * of dgemm.cl on the first OpenCL device. Prints "name hand ms", in processor time, the least of
 * the repetitions; in C the peak of a core, too. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 512, ROWS = 8, COLUMNS = 16, TALL = 128 };
static double A[N * N], B[N * N], C[N * N];

static void print(const char *name, void (*body)(void))
{
    const char *text = getenv("BENCH_REPS");
    int reps = text ? atoi(text) : 7;
    double best = 1e30;
    for (int rep = -2; rep < reps; rep++) {
        clock_t start = clock();
        body();
        double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
        if (rep >= 0 && ms < best)
            best = ms;
    }
    printf("%s hand %.6f\n", name, best);
}

/* The product that stands in C now. */
static void check(const char *name)
{
    for (int i = 0; i < N; i += 37)
        for (int j = 0; j < N; j += 41) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += A[i * N + k] * B[k * N + j];
            if (fabs(sum - C[i * N + j]) > 1e-9) {
                fprintf(stderr, "dgemm: %s: element %d, %d is wrong\n", name, i, j);
                exit(1);
            }
        }
}

/* ---- in C ------------------------------------------------------------------------------------ */

typedef double lanes __attribute__((vector_size(64)));

static inline __attribute__((always_inline)) void tile(const double *b, int stride, int i0, int j0)
{
    lanes left[ROWS] = {{0}}, right[ROWS] = {{0}};
    for (int k = 0; k < N; k++) {
        lanes l, r;
        memcpy(&l, &b[k * stride], sizeof l);
        memcpy(&r, &b[k * stride + 8], sizeof r);
        for (int i = 0; i < ROWS; i++) {
            left[i] += A[(i0 + i) * N + k] * l;
            right[i] += A[(i0 + i) * N + k] * r;
        }
    }
    for (int i = 0; i < ROWS; i++) {
        memcpy(&C[(i0 + i) * N + j0], &left[i], sizeof left[i]);
        memcpy(&C[(i0 + i) * N + j0 + 8], &right[i], sizeof right[i]);
    }
}

static void tiles(void)
{
    for (int i = 0; i < N; i += ROWS)
        for (int j = 0; j < N; j += COLUMNS)
            tile(&B[j], N, i, j);
}

static void panels(void)
{
    static double panel[N * COLUMNS] __attribute__((aligned(64)));
    for (int tall = 0; tall < N; tall += TALL)
        for (int j = 0; j < N; j += COLUMNS) {
            for (int k = 0; k < N; k++)
                memcpy(&panel[k * COLUMNS], &B[k * N + j], sizeof *B * COLUMNS);
            for (int i = 0; i < TALL; i += ROWS)
                tile(panel, COLUMNS, tall + i, j);
        }
}

/* Independent chains of fused operations: 12 * 2^20 * 8 of them. */
static void peak(void)
{
    enum { CHAINS = 12, ROUNDS = 1 << 20 };
    static volatile double sink;
    lanes s[CHAINS], a = {0.999}, b = {1e-3};
    for (int k = 0; k < CHAINS; k++)
        s[k] = b;
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < CHAINS; k++)
            s[k] = s[k] * a + b;
    for (int k = 0; k < CHAINS; k++)
        sink = s[k][0] + s[k][7];
    (void)sink;
}

/* ---- in OpenCL ------------------------------------------------------------------------------- */

static cl_command_queue queue;
static cl_kernel kernels[2];
static cl_mem memory[3];

static void need(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "dgemm: %s: %d\n", what, code);
    exit(1);
}

static char *read_text(const char *path)
{
    static char text[1 << 14];
    FILE *file = fopen(path, "r");
    if (!file || !fread(text, 1, sizeof text - 1, file))
        need(CL_INVALID_PROGRAM, path);
    fclose(file);
    return text;
}

static void open_device(void)
{
    static double *const from[] = {A, B, C};
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    char options[96];
    const char *text = read_text("bench/dgemm.cl");
    need(clGetPlatformIDs(1, &platform, NULL), "no platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    need(code, "context");
    queue = clCreateCommandQueue(context, device, 0, &code);
    need(code, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    need(code, "program");
    snprintf(options, sizeof options, "-DN=%d -DROWS=%d -DCOLUMNS=%d -DTALL=%d", N, ROWS, COLUMNS,
             TALL);
    need(clBuildProgram(program, 1, &device, options, NULL, NULL), "build");
    kernels[0] = clCreateKernel(program, "tiles", &code);
    need(code, "tiles");
    kernels[1] = clCreateKernel(program, "panels", &code);
    need(code, "panels");
    for (cl_uint k = 0; k < 3; k++) {
        memory[k] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof A,
                                   from[k], &code);
        need(code, "memory");
        for (int i = 0; i < 2; i++)
            need(clSetKernelArg(kernels[i], k, sizeof(cl_mem), &memory[k]), "argument");
    }
}

static void run(int kernel, size_t high, const size_t *group)
{
    const size_t items[] = {N / high, N / COLUMNS};
    need(clEnqueueNDRangeKernel(queue, kernels[kernel], 2, NULL, items, group, 0, NULL, NULL),
         "launch");
    need(clEnqueueReadBuffer(queue, memory[2], CL_TRUE, 0, sizeof C, C, 0, NULL, NULL), "read");
}

static void tiles_on_device(void)
{
    run(0, ROWS, NULL);
}

static void panels_on_device(void)
{
    static const size_t one[] = {1, 1};
    run(1, TALL, one);
}

int main(int argc, char **argv)
{
    const int opencl = argc > 1 && !strcmp(argv[1], "opencl");
    for (int i = 0; i < N * N; i++) {
        A[i] = (double)(i % 7) / 7;
        B[i] = (double)(i % 5) / 5;
    }
    if (opencl)
        open_device();
    print("tiles", opencl ? tiles_on_device : tiles);
    check("tiles");
    memset(C, 0, sizeof C);
    print("panels", opencl ? panels_on_device : panels);
    check("panels");
    if (!opencl)
        print("peak", peak);
    return 0;
}
