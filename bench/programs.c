/* programs.c - what bench/programs.lua times, as loops: 20 steps of n-body, 5 rounds of k-means,
 * 20 iterations of conjugate gradients in three passes each.  Built twice: VARIANT is "plain", and
 * "fast" where the compiler may change the order of sums.
 * usage: programs   (BENCH_REPS, BENCH_ONLY as in baselines/bench.h) */
#include <math.h>

#include "baselines/bench.h"

/* The same numbers from 0 to 1 in all three languages. */
static double *uniform(size_t n, double root)
{
    double *x = bench_alloc(n * sizeof *x, PAGES_HUGE);
    for (size_t i = 0; i < n; i++)
        x[i] = fmod((double)(i + 1) * sqrt(root), 1);
    return x;
}

static float *uniform32(size_t n, double root)
{
    const double *x = uniform(n, root);
    float *y = bench_alloc(n * sizeof *y, PAGES_HUGE);
    for (size_t i = 0; i < n; i++)
        y[i] = (float)x[i];
    return y;
}

enum { BODIES = 2000, STEPS = 20 };

typedef struct {
    double x[BODIES], y[BODIES], z[BODIES];
} vectors;

static vectors start, place, speed;

static double nbody(void)
{
    const double dt = 1e-6;
    double sum = 0;
    place = start;
    memset(&speed, 0, sizeof speed);
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < BODIES; i++) {
            double ax = 0, ay = 0, az = 0;
            for (int j = 0; j < BODIES; j++) {
                double dx = place.x[j] - place.x[i], dy = place.y[j] - place.y[i];
                double dz = place.z[j] - place.z[i];
                double near = 1 / sqrt(dx * dx + dy * dy + dz * dz + 0.0025);
                double pull = near * near * near;
                ax += pull * dx;
                ay += pull * dy;
                az += pull * dz;
            }
            speed.x[i] += dt * ax;
            speed.y[i] += dt * ay;
            speed.z[i] += dt * az;
        }
        for (int i = 0; i < BODIES; i++) {
            place.x[i] += dt * speed.x[i];
            place.y[i] += dt * speed.y[i];
            place.z[i] += dt * speed.z[i];
        }
    }
    for (int i = 0; i < BODIES; i++)
        sum += place.x[i];
    return sum;
}

enum { POINTS = 1 << 20, CENTRES = 16, ROUNDS = 5, BLOCK = 1024 };

static float *px, *py, *pz, centres[CENTRES][3];

/* The nearest centres of a block of points, centre by centre. */
static void nearest(int *restrict which, float *restrict least, size_t first)
{
    for (int c = 0; c < CENTRES; c++) {
        const float x = centres[c][0], y = centres[c][1], z = centres[c][2];
#pragma omp simd
        for (size_t i = 0; i < BLOCK; i++) {
            float dx = px[first + i] - x, dy = py[first + i] - y, dz = pz[first + i] - z;
            float d = dx * dx + dy * dy + dz * dz;
            int nearer = !c || d < least[i];
            which[i] = nearer ? c : which[i];
            least[i] = nearer ? d : least[i];
        }
    }
}

static double kmeans(void)
{
    double total = 0;
    for (int c = 0; c < CENTRES; c++) {
        centres[c][0] = px[c];
        centres[c][1] = py[c];
        centres[c][2] = pz[c];
    }
    for (int round = 0; round < ROUNDS; round++) {
        double sums[CENTRES][4] = {{0}};
#pragma omp parallel for schedule(static) reduction(+ : sums)
        for (size_t first = 0; first < POINTS; first += BLOCK) {
            int which[BLOCK];
            float least[BLOCK];
            nearest(which, least, first);
            for (size_t i = 0; i < BLOCK; i++) {
                double *sum = sums[which[i]];
                sum[0] += px[first + i];
                sum[1] += py[first + i];
                sum[2] += pz[first + i];
                sum[3]++;
            }
        }
        for (int c = 0; c < CENTRES; c++)
            for (int k = 0; k < 3; k++)
                centres[c][k] = (float)(sums[c][k] / fmax(sums[c][3], 1));
    }
    for (int c = 0; c < CENTRES; c++)
        for (int k = 0; k < 3; k++)
            total += (double)centres[c][k] * centres[c][k];
    return total;
}

/* n^3 points inside a border of zeros. */
enum { SIDE = 128, ROW = SIDE + 2, PLANE = ROW * ROW, ITERATIONS = 20 };

static double *b, *x, *r, *p, *q;

static size_t row(int i)
{
    return (size_t)(i / SIDE + 1) * PLANE + (size_t)(i % SIDE + 1) * ROW + 1;
}

/* q = A p; p q. */
static double multiply(void)
{
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double *restrict u = p + row(i);
        double *restrict y = q + row(i);
        for (int k = 0; k < SIDE; k++) {
            y[k] = 6 * u[k] -
                   (u[k - PLANE] + u[k + PLANE] + u[k - ROW] + u[k + ROW] + u[k - 1] + u[k + 1]);
            sum += u[k] * y[k];
        }
    }
    return sum;
}

/* x += alpha p; r -= alpha q; r r. */
static double move(double alpha)
{
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < SIDE * SIDE; i++) {
        const size_t at = row(i);
        double *restrict u = x + at, *restrict s = r + at;
        const double *restrict v = p + at, *restrict y = q + at;
        for (int k = 0; k < SIDE; k++) {
            u[k] += alpha * v[k];
            s[k] -= alpha * y[k];
            sum += s[k] * s[k];
        }
    }
    return sum;
}

/* p = r + beta p. */
static void turn(double beta)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SIDE * SIDE; i++) {
        double *restrict v = p + row(i);
        const double *restrict s = r + row(i);
        for (int k = 0; k < SIDE; k++)
            v[k] = s[k] + beta * v[k];
    }
}

static double dot(const double *u, const double *v)
{
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < SIDE * PLANE; i++)
        sum += u[i + PLANE] * v[i + PLANE];
    return sum;
}

static double cg(void)
{
    const size_t bytes = (size_t)(SIDE + 2) * PLANE * sizeof *b;
    memset(x, 0, bytes);
    memcpy(r, b, bytes);
    memcpy(p, b, bytes);
    double rr = dot(r, r);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        double next = move(rr / multiply());
        turn(next / rr);
        rr = next;
    }
    return dot(x, b);
}

static void check(const char *name, double result)
{
    printf("check %s %s %.17g\n", name, VARIANT, result);
}

int main(void)
{
    double *list[] = {uniform(BODIES, 2), uniform(BODIES, 3), uniform(BODIES, 5)};
    memcpy(start.x, list[0], sizeof start.x);
    memcpy(start.y, list[1], sizeof start.y);
    memcpy(start.z, list[2], sizeof start.z);
    px = uniform32(POINTS, 2);
    py = uniform32(POINTS, 3);
    pz = uniform32(POINTS, 5);
    double **grids[] = {&b, &x, &r, &p, &q}, *numbers = uniform(SIDE * SIDE * SIDE, 2);
    for (int k = 0; k < 5; k++)
        *grids[k] = bench_alloc((size_t)(SIDE + 2) * PLANE * sizeof *b, PAGES_HUGE);
    for (int i = 0; i < SIDE * SIDE; i++)
        memcpy(b + row(i), numbers + (size_t)i * SIDE, SIDE * sizeof *b);

    check("nbody", nbody());
    check("kmeans", kmeans());
    check("cg", cg());
    double total = 0;
    BENCH("nbody", VARIANT, 1e6 * STEPS * BODIES * BODIES, "pairs/us", total += nbody());
    BENCH("kmeans", VARIANT, 1e6 * ROUNDS * POINTS, "points/us", total += kmeans());
    BENCH("cg", VARIANT, 1e6 * ITERATIONS * SIDE * SIDE * SIDE, "points/us", total += cg());
    return isfinite(total) ? 0 : 1;
}
