-- Thirteen C texts as users of SkelCL and OpenCL C write them: the same elements on every backend, those that Lua computes.

local lun = require "lunarray"
local expect = require "expect"

local backends = lun.backends()

local function numbers(n, f)
    local t = {}
    for i = 1, n do
        t[i] = f(i)
    end
    return t
end

local n = 100
local xs = numbers(n, function(i) return (i * 37 % 101 - 50) / 8 end)
local ys = numbers(n, function(i) return (i * 53 % 97) / 16 + 0.5 end)
local places = numbers(n, function(i) return i - 1 end)

-- ---------------------------------------------------------------- the same in Lua

local function horner(x, c)
    local value = c[#c]
    for k = #c - 1, 1, -1 do
        value = value * x + c[k]
    end
    return value
end

local function smoothstep(low, high, x)
    local t = math.max(0, math.min(1, (x - low) / (high - low)))
    return t * t * (3 - 2 * t)
end

local function rounds(x, y)
    local u, v, k = 0.0, 0.0, 0
    while k < 50 and u * u + v * v <= 4 do
        u, v, k = u * u - v * v + x, 2 * u * v + y, k + 1
    end
    return k
end

local function normal(x) -- Abramowitz and Stegun, 26.2.17
    local k = 1 / (1 + 0.2316419 * math.abs(x))
    local p = 1 - math.exp(-x * x / 2) * 0.3989422804014327 * k *
        (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    return x < 0 and 1 - p or p
end

local function call_price(s, k)
    local t, r, v = 0.5, 0.02, 0.3
    local d1 = (math.log(s / k) + (r + v * v / 2) * t) / (v * math.sqrt(t))
    return s * normal(d1) - k * math.exp(-r * t) * normal(d1 - v * math.sqrt(t))
end

local function hash(x)
    local function u32(v) return v & 0xffffffff end
    x = u32(x * 2654435761)
    x = u32(x << 13 | x >> 19) ~ x
    return u32(x * 5 + 0xe6546b64) >> 7
end

local function runge_kutta(x)
    local h = 0.125
    local function d(t, v) return t - v * v end
    for k = 0, 3 do
        local t = k * h
        local a = d(t, x)
        local b = d(t + h / 2, x + h / 2 * a)
        local c = d(t + h / 2, x + h / 2 * b)
        local e = d(t + h, x + h * c)
        x = x + h / 6 * (a + 2 * b + 2 * c + e)
    end
    return x
end

local function neighbour(t, i) return t[math.max(1, math.min(n, i))] end

-- ---------------------------------------------------------------- the examples

-- Each: what runs, what it gives, units in the last place that a function of floats may be off.
local examples = {
    ["saxpy"] = { function()
        return lun.zip "double func(double x, double y, double a) { return a * x + y; }"(lun.vector(xs), lun.vector(ys), 2.5)
    end, expect.map(function(x, y) return 2.5 * x + y end, xs, ys) },

    ["a dot product"] = { function()
        local mult = lun.zip "double func(double x, double y) { return x * y; }"
        local sum = lun.reduce("double func(double x, double y) { return x + y; }", 0)
        return lun.vector { sum(mult(lun.vector(xs), lun.vector(ys))):value() }
    end, (function()
        local s = 0.0
        for i = 1, n do
            s = s + xs[i] * ys[i] -- sums of eighths times sixteenths are exact
        end
        return { s }
    end)() },

    ["a polynomial in an array"] = { function()
        return lun.map [[
            double polynomial(double x, __global const double *c, int degree)
            {
                double value = c[degree];
                for (int k = degree - 1; k >= 0; k--)
                    value = value * x + c[k];
                return value;
            }]](lun.vector(xs), lun.vector { 1.0, 0.5, -2.0, 0.25 }, 3)
    end, expect.map(function(x) return horner(x, { 1.0, 0.5, -2.0, 0.25 }) end, xs) },

    ["Mandelbrot's set"] = { function()
        return lun.zip [[
            typedef struct { double re, im; } complex_t;
            complex_t next(complex_t z, complex_t c)
            {
                complex_t r = { z.re * z.re - z.im * z.im + c.re, 2 * z.re * z.im + c.im };
                return r;
            }
            int func(double x, double y)
            {
                complex_t z = {0, 0}, c = {x, y};
                int k = 0;
                while (k < 50 && z.re * z.re + z.im * z.im <= 4) {
                    z = next(z, c);
                    ++k;
                }
                return k;
            }]](lun.vector(xs) / 4, lun.vector(ys) / 4)
    end, expect.map(function(x, y) return rounds(x / 4, y / 4) end, xs, ys) },

    ["the price of an option"] = { function()
        return lun.zip [[
            #define INV_SQRT_2PI 0.3989422804014327
            static double normal(double x)
            {
                const double k = 1 / (1 + 0.2316419 * fabs(x));
                const double p = 1 - exp(-x * x / 2) * INV_SQRT_2PI * k *
                    (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
                return x < 0 ? 1 - p : p;
            }
            double call(double s, double k, double t, double r, double v)
            {
                double d1 = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
                return s * normal(d1) - k * exp(-r * t) * normal(d2);
            }]](lun.vector(ys), lun.vector(ys) + 0.25, 0.5, 0.02, 0.3)
    end, expect.map(function(y) return call_price(y, y + 0.25) end, ys), 4000 },

    ["a blur of neighbours by a helper"] = { function()
        return lun.map [[
            double at(const double *row, int i, int n) { return row[clamp(i, 0, n - 1)]; }
            double blur(int i, const double *row, int n)
            {
                return 0.25 * at(row, i - 1, n) + 0.5 * at(row, i, n) + 0.25 * at(row, i + 1, n);
            }]](lun.vector(places, "i32"), lun.vector(xs), n)
    end, numbers(n, function(i)
        return 0.25 * neighbour(xs, i - 1) + 0.5 * xs[i] + 0.25 * neighbour(xs, i + 1)
    end) },

    ["edges of a picture"] = { function()
        return lun.map [[
            constant int weight[3] = {-1, 0, 1};
            int sobel(int i, const uchar *picture, int width)
            {
                int x = i % width, y = i / width, gx = 0, gy = 0;
                if (x == 0 || y == 0 || x == width - 1 || y == width - 1)
                    return 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++) {
                        int p = picture[(y + dy) * width + x + dx];
                        gx += weight[dx + 1] * (2 - abs(dy)) * p;
                        gy += weight[dy + 1] * (2 - abs(dx)) * p;
                    }
                return min(255, abs(gx) + abs(gy));
            }]](lun.vector(places, "i32"), lun.vector(numbers(n, function(i) return i * i % 256 end), "u8"), 10)
    end, numbers(n, function(i)
        local x, y, gx, gy = (i - 1) % 10, (i - 1) // 10, 0, 0
        if x == 0 or y == 0 or x == 9 or y == 9 then
            return 0
        end
        for dy = -1, 1 do
            for dx = -1, 1 do
                local at = (y + dy) * 10 + x + dx + 1
                local p = at * at % 256
                gx, gy = gx + dx * (2 - math.abs(dy)) * p, gy + dy * (2 - math.abs(dx)) * p
            end
        end
        return math.min(255, math.abs(gx) + math.abs(gy))
    end) },

    ["a product of matrices"] = { function()
        return lun.map [[
            double multiply(uint i, global const double *A, global const double *B, uint size)
            {
                uint row = i / size, col = i % size;
                double sum = 0;
                for (uint k = 0; k < size; ++k)
                    sum += A[row * size + k] * B[k * size + col];
                return sum;
            }]](lun.vector(places, "u32"), lun.vector(xs), lun.vector(ys), 10)
    end, numbers(n, function(i)
        local row, col, sum = (i - 1) // 10, (i - 1) % 10, 0.0
        for k = 0, 9 do
            sum = sum + xs[row * 10 + k + 1] * ys[k * 10 + col + 1]
        end
        return sum
    end) },

    ["colours between two"] = { function()
        return lun.map "double tone(double x) { return mix(0.125, 0.875, smoothstep(-4.0, 4.0, x)) * step(-5.0, x); }"(
            lun.vector(xs))
    end, expect.map(function(x)
        return (0.125 + (0.875 - 0.125) * smoothstep(-4, 4, x)) * (x < -5 and 0.0 or 1.0)
    end, xs) },

    ["a hash of integers"] = { function()
        return lun.map [[
            uint hash(uint x)
            {
                x *= 2654435761u;
                x = rotate(x, 13u) ^ x;
                return mad24(0u, 0u, x * 5 + 0xe6546b64) >> 7;
            }]](lun.vector(places, "u32"))
    end, expect.map(hash, places) },

    ["steps of a differential equation"] = { function()
        return lun.map [[
            double d(double t, double x) { return t - x * x; }
            double solve(double x)
            {
                const double h = 0.125;
                for (int k = 0; k < 4; k++) {
                    double t = k * h, k1 = d(t, x), k2 = d(t + h / 2, x + h / 2 * k1);
                    double k3 = d(t + h / 2, x + h / 2 * k2), k4 = d(t + h, x + h * k3);
                    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
                }
                return x;
            }]](lun.vector(ys))
    end, expect.map(runge_kutta, ys) },

    ["the largest so far"] = { function()
        return lun.scan("double larger(double x, double y) { return fmax(x, y); }", -math.huge, { inclusive = true })(
            lun.vector(xs))
    end, (function()
        local most, t = -math.huge, {}
        for i, x in ipairs(xs) do
            most = math.max(most, x)
            t[i] = most
        end
        return t
    end)() },

    ["forces between bodies"] = { function()
        return lun.map [[
            double force(int i, const double *kernel, const double *mass, int n)
            {
                private double f = 0, local = kernel[i];
                for (int j = 0; j < n; j++) {
                    double d = kernel[j] - local;
                    if (j != i && d != 0)
                        f += mass[j] * d * pown(rsqrt(d * d + 0.25), 3);
                }
                return f;
            }]](lun.vector(places, "i32"), lun.vector(xs), lun.vector(ys), n)
    end, numbers(n, function(i)
        local f = 0.0
        for j = 1, n do
            local d = xs[j] - xs[i]
            if j ~= i and d ~= 0 then
                local r = 1 / math.sqrt(d * d + 0.25)
                f = f + ys[j] * d * (r * r * r)
            end
        end
        return f
    end), 1000 },
}

for _, backend in ipairs(backends) do
    describe("a user's C text on " .. backend, function()
        setup(function() lun.use(backend) end)
        teardown(function() lun.use(backends[1]) end)
        for name, example in pairs(examples) do
            it("computes " .. name, function()
                local run, wanted, units = table.unpack(example)
                if units then
                    expect.close(wanted, run(), units)
                else
                    expect.elements(wanted, run())
                end
            end)
        end
    end)
end
