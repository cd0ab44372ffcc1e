-- y = a * x + y the explicit way: no default device and no copy by itself. Memory of each device is filled, a task is
-- given to a queue of it, and its result copied back; all devices work at the same time. One source is the kernel of
-- all of them.
-- Usage: lunarray examples/daxpy.lua [elements]
-- prints:
--     1000003 elements on every backend: a * x + y, to the last bit
local lun = require "lunarray"

local n, a = tonumber(arg[1]) or 1000003, 2.5
local x, y = lun.random(n, { seed = 1 }):eval(), lun.random(n, { seed = 2 }):eval()

-- Each thread has so many elements, known when it is compiled: the loop runs in vectors.
local function daxpy(t, ys, xs, factor)
    local first = t:index()
    for i = first, math.min(first + t:elements() - 1, #ys) do ys[i] = factor * xs[i] + ys[i] end
end

local work = {}
for _, device in ipairs(lun.backends()) do
    local queue = lun.queue(device, { async = true })
    local dx, dy = lun.buffer(device, n), lun.buffer(device, n)
    local result = lun.zeros(n)
    lun.copy(queue, dx, x)
    lun.copy(queue, dy, y)
    queue:enqueue(lun.task(lun.workdiv(n, { elements = 512 }), daxpy, dy, dx, a))
    lun.copy(queue, result, dy)
    work[#work + 1] = { device = device, queue = queue, result = result }
end

-- The same on the script's own backend, as an expression.
local wanted = a * x + y
for _, w in ipairs(work) do
    w.queue:wait()
    assert((w.result:eq(wanted)):all(), w.device .. " gives something else")
end
print(("%d elements on every backend: a * x + y, to the last bit"):format(n))
