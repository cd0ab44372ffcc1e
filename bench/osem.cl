/* The kernels of osem.c in OpenCL, by hand: events of a subset, of which a work-item has 16, and
 * the next image. N and MOST are given to the compiler. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

static void add(volatile __global double *at, double x)
{
    volatile __global ulong *bits = (volatile __global ulong *)at;
    ulong old = *bits, seen;
    while ((seen = atom_cmpxchg(bits, old, as_ulong(as_double(old) + x))) != old)
        old = seen;
}

__kernel void project(__global double *c, __global const double *f, __global const double *ax,
                      __global const double *ay, __global const double *az,
                      __global const double *bx, __global const double *by,
                      __global const double *bz, int events)
{
    int voxel[MOST];
    double length[MOST];
    for (int i = get_global_id(0) * 16, last = min(i + 16, events); i < last; i++) {
        double x = ax[i], y = ay[i], z = az[i], dx = bx[i] - x, dy = by[i] - y, dz = bz[i] - z;
        double x0 = -x / dx, y0 = -y / dy, z0 = -z / dz;
        double x1 = (N - x) / dx, y1 = (N - y) / dy, z1 = (N - z) / dz;
        double from = fmax(fmax(fmin(x0, x1), fmin(y0, y1)), fmin(z0, z1));
        double to = fmin(fmin(fmax(x0, x1), fmax(y0, y1)), fmax(z0, z1));
        int px = clamp((int)floor(x + from * dx), 0, N - 1);
        int py = clamp((int)floor(y + from * dy), 0, N - 1);
        int pz = clamp((int)floor(z + from * dz), 0, N - 1);
        int sx = dx > 0 ? 1 : -1, sy = dy > 0 ? 1 : -1, sz = dz > 0 ? 1 : -1, count = 0;
        double whole = sqrt(dx * dx + dy * dy + dz * dz), fp = 0;
        while (from < to && count < MOST) {
            double nx = (px + (sx > 0) - x) / dx, ny = (py + (sy > 0) - y) / dy;
            double nz = (pz + (sz > 0) - z) / dz, next = fmin(fmin(nx, ny), fmin(nz, to));
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
            bool in = px >= 0 && px < N && py >= 0 && py < N && pz >= 0 && pz < N;
            from = next < to && in ? next : to;
        }
        for (int k = 0; k < count; k++)
            add(&c[voxel[k]], length[k] / fp);
    }
}

__kernel void update(__global double *f, __global const double *c, int voxels)
{
    int k = get_global_id(0);
    if (k < voxels && c[k] > 0)
        f[k] *= c[k];
}
