-- Listing 3.4: list-mode OSEM by skeletons of C text: a map over index numbers, each of which takes a bunch of events
-- and adds to the error image c through a pointer, and a zip that makes the next image of it. On several places each
-- has its part of the index numbers and an error image of its own; they are added up where c is distributed anew. The
-- image is flat, and events are lines along its rows and columns; c counts parts of 1: all orders give the same.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/listing_3_04.lua
local lun = require "lunarray"

lun.use "openmp/4"
local N, SUBSETS, EVENTS, BUNCHES = 8, 3, 60, 16

local forward_projection = lun.map [[
#define UNIT 1099511627776.0 /* what c counts: parts of 1 */
void project(int bunch, const int *events, int count, int bunches, const double *f, long *c, int n) {
    for (int i = bunch; i < count; i += bunches) {
        const int first = events[2 * i], step = events[2 * i + 1];
        double fp = 0;
        for (int m = 0; m < n; m++) fp += f[first + m * step];
        for (int m = 0; m < n; m++) LUN_ATOMIC_ADD(c, first + m * step, (long)(UNIT / fp));
    }
}]]
local update = lun.zip "(double x, long c) { return c > 0 ? x * (c / 1099511627776.0) : x; }"

-- Events of a subset: where each line begins, and the step to its next voxel; more of them cross the middle.
math.randomseed(7)
local function read_events()
    local events = {}
    for i = 1, EVENTS do
        local at = math.random() < 0.7 and math.random(3, 4) or math.random(0, N - 1)
        events[2 * i - 1], events[2 * i] = i % 2 == 0 and at or at * N, i % 2 == 0 and N or 1
    end
    return events
end

local f, plain = lun.ones(N * N):copy(), {}
for k = 1, N * N do plain[k] = 1.0 end
local index = lun.range(0, BUNCHES - 1):cast "i32"
for l = 1, SUBSETS do
    local list = read_events()
    local events, c = lun.vector(list, "i32"), lun.zeros(N * N, "i64"):copy():distribute "copy"
    f:distribute "copy"
    forward_projection(index, events, EVENTS, BUNCHES, f, c, N)
    local differ = select(2, c:distribution()).diverged
    c:distribute("block", { combine = "+" })
    f:distribute "block"
    f = update(f, c):eval()

    -- The same loops in plain Lua.
    local own = {}
    for i = 1, EVENTS do
        local first, step, fp = list[2 * i - 1], list[2 * i], 0.0
        for m = 0, N - 1 do fp = fp + plain[first + m * step + 1] end
        for m = 0, N - 1 do
            local k = first + m * step + 1
            own[k] = (own[k] or 0) + (2.0 ^ 40 / fp) // 1 | 0
        end
    end
    local same = true
    for k = 1, N * N do
        plain[k] = own[k] and plain[k] * (own[k] / 2.0 ^ 40) or plain[k]
        same = same and plain[k] == f[k]
    end
    print(("subset %d: copies differ: %s, bits of plain Lua: %s"):format(l, differ, same))
end
