/* osem.c - what bench/osem.lua does, by hand: in OpenMP C, or with "opencl" by the kernels of
 * osem.cl on the first OpenCL device. Prints "pass hand ms", in processor time, the least of the
 * repetitions, and the image's sum and its largest voxel. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 32, VOXELS = N * N * N, EVENTS = 20000, SUBSETS = 4, MOST = 3 * N, EACH = 16 };

static double ends[SUBSETS][6][EVENTS], f[VOXELS], c[VOXELS];

static void make_events(void)
{
    for (int s = 0; s < SUBSETS; s++)
        for (int i = 0; i < EVENTS; i++)
            for (int d = 0; d < 6; d++) {
                unsigned k = (unsigned)((s * EVENTS + i + 1) * 6 + d);
                double u = (double)(k * 2654435761u) / 4294967296.0;
                ends[s][d][i] = d == 0 ? -1.0 : d == 3 ? N + 1.0 : N * u;
            }
}

/* ---- OpenMP ---------------------------------------------------------------------------------- */

static int within(double x)
{
    int k = (int)floor(x);
    return k < 0 ? 0 : k > N - 1 ? N - 1 : k;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static void project_event(double e[6][EVENTS], int i)
{
    int voxel[MOST], count = 0;
    double length[MOST];
    double x = e[0][i], y = e[1][i], z = e[2][i];
    double dx = e[3][i] - x, dy = e[4][i] - y, dz = e[5][i] - z;
    double x0 = -x / dx, y0 = -y / dy, z0 = -z / dz;
    double x1 = (N - x) / dx, y1 = (N - y) / dy, z1 = (N - z) / dz;
    double from = most(most(least(x0, x1), least(y0, y1)), least(z0, z1));
    double to = least(least(most(x0, x1), most(y0, y1)), most(z0, z1));
    int px = within(x + from * dx), py = within(y + from * dy), pz = within(z + from * dz);
    int sx = dx > 0 ? 1 : -1, sy = dy > 0 ? 1 : -1, sz = dz > 0 ? 1 : -1;
    double whole = sqrt(dx * dx + dy * dy + dz * dz), fp = 0;
    while (from < to && count < MOST) {
        double nx = (px + (sx > 0) - x) / dx, ny = (py + (sy > 0) - y) / dy;
        double nz = (pz + (sz > 0) - z) / dz, next = least(least(nx, ny), least(nz, to));
        voxel[count] = (pz * N + py) * N + px;
        length[count] = (next - from) * whole;
        fp += f[voxel[count]] * length[count];
        count++;
        if (next == nx)
            px += sx;
        else if (next == ny)
            py += sy;
        else
            pz += sz;
        int in = px >= 0 && px < N && py >= 0 && py < N && pz >= 0 && pz < N;
        from = next < to && in ? next : to;
    }
    for (int k = 0; k < count; k++) {
#pragma omp atomic
        c[voxel[k]] += length[k] / fp;
    }
}

static void pass(void)
{
    for (int k = 0; k < VOXELS; k++)
        f[k] = 1;
    for (int s = 0; s < SUBSETS; s++) {
        memset(c, 0, sizeof c);
#pragma omp parallel for
        for (int i = 0; i < EVENTS; i++)
            project_event(ends[s], i);
#pragma omp parallel for
        for (int k = 0; k < VOXELS; k++)
            if (c[k] > 0)
                f[k] *= c[k];
    }
}

/* ---- OpenCL ---------------------------------------------------------------------------------- */

static cl_command_queue queue;
static cl_kernel project, update;
static cl_mem image, errors, events[SUBSETS][6];

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "osem: %s: %d\n", what, code);
    exit(1);
}

static char *read_text(const char *path)
{
    static char text[1 << 14];
    FILE *file = fopen(path, "r");
    if (!file || !fread(text, 1, sizeof text - 1, file))
        check(CL_INVALID_PROGRAM, path);
    fclose(file);
    return text;
}

static void open_device(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    char options[64];
    const char *text = read_text("bench/osem.cl");
    check(clGetPlatformIDs(1, &platform, NULL), "no platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "context");
    queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check(code, "program");
    snprintf(options, sizeof options, "-DN=%d -DMOST=%d", N, MOST);
    check(clBuildProgram(program, 1, &device, options, NULL, NULL), "build");
    project = clCreateKernel(program, "project", &code);
    check(code, "project");
    update = clCreateKernel(program, "update", &code);
    check(code, "update");
    image = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof f, NULL, &code);
    errors = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof c, NULL, &code);
    for (int s = 0; s < SUBSETS; s++)
        for (int d = 0; d < 6; d++) {
            events[s][d] = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                          sizeof ends[s][d], ends[s][d], &code);
            check(code, "events");
        }
}

static void run_subset(int s)
{
    const double zero = 0;
    const cl_int count = EVENTS, voxels = VOXELS;
    const size_t items = (EVENTS + EACH - 1) / EACH, each = VOXELS;
    check(clEnqueueFillBuffer(queue, errors, &zero, sizeof zero, 0, sizeof c, 0, NULL, NULL),
          "fill");
    clSetKernelArg(project, 0, sizeof errors, &errors);
    clSetKernelArg(project, 1, sizeof image, &image);
    for (cl_uint d = 0; d < 6; d++)
        clSetKernelArg(project, 2 + d, sizeof(cl_mem), &events[s][d]);
    clSetKernelArg(project, 8, sizeof count, &count);
    check(clEnqueueNDRangeKernel(queue, project, 1, NULL, &items, NULL, 0, NULL, NULL), "project");
    clSetKernelArg(update, 0, sizeof image, &image);
    clSetKernelArg(update, 1, sizeof errors, &errors);
    clSetKernelArg(update, 2, sizeof voxels, &voxels);
    check(clEnqueueNDRangeKernel(queue, update, 1, NULL, &each, NULL, 0, NULL, NULL), "update");
}

static void pass_on_device(void)
{
    const double one = 1;
    check(clEnqueueFillBuffer(queue, image, &one, sizeof one, 0, sizeof f, 0, NULL, NULL), "fill");
    for (int s = 0; s < SUBSETS; s++)
        run_subset(s);
    check(clEnqueueReadBuffer(queue, image, CL_TRUE, 0, sizeof f, f, 0, NULL, NULL), "read");
}

int main(int argc, char **argv)
{
    const char *text = getenv("BENCH_REPS");
    int reps = text ? atoi(text) : 7, largest = 0;
    void (*run)(void) = pass;
    double best = 1e30, sum = 0;
    make_events();
    if (argc > 1 && !strcmp(argv[1], "opencl")) {
        open_device();
        run = pass_on_device;
    }
    for (int rep = -2; rep < reps; rep++) {
        clock_t start = clock();
        run();
        double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
        if (rep >= 0 && ms < best)
            best = ms;
    }
    for (int k = 0; k < VOXELS; k++) {
        sum += f[k];
        largest = f[k] > f[largest] ? k : largest;
    }
    printf("pass hand %.6f\nimage hand %.10g %d\n", best, sum, largest + 1);
    return 0;
}
