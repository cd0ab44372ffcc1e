-- Sets of places for specs: restored after each test, of host memory or, where a spec runs itself again, of devices; and
-- the random numbers of their sequences.
local expect = require "expect"
local lun = require "lunarray"

-- Of a spec's run by itself: the backend whose devices are places, in the place of parts of host memory.
local onplaces = { devices = os.getenv "PLACES_DEVICES" }

-- Sets of different makes.
onplaces.sets = onplaces.devices and { "opencl:*", "opencl:2,openmp,opencl:1" } or { "openmp/3", "reference/4", "openmp,reference.2" }

-- After each test of a file, whose functions these are, the set that was in use before is so again.
function onplaces.restore(before_each, after_each)
    local before
    before_each(function() before = { lun.use() } end)
    after_each(function() lun.use(before) end)
end

-- Calls check(name) with each backend in use and then with each of these sets.
function onplaces.everywhere(check)
    expect.everywhere(check)
    for _, set in ipairs(onplaces.sets) do
        lun.use(set)
        check(set)
    end
end

-- Uses p places.
function onplaces.use(p)
    local names = {}
    for k = 1, p do names[k] = (onplaces.devices and onplaces.devices .. ":" or "reference.") .. k end
    lun.use(names)
end

function onplaces.there(name)
    for _, backend in ipairs(lun.backends()) do
        if backend == name then return true end
    end
end

-- What a program prints where so many OpenCL devices are found.
function onplaces.printed(devices, arguments)
    local command = "POCL_DEVICES='%s' PLACES_DEVICES=opencl %s/lunarray %s 2>&1"
    local pipe = assert(io.popen(command:format(("pthread "):rep(devices), os.getenv "BUILD" or "build", arguments)))
    local text = pipe:read "a"
    pipe:close()
    return text
end

-- Runs a spec, or its tests whose names have `filter`, once more on devices; they have to succeed.
function onplaces.again(devices, spec, filter)
    if onplaces.devices or not onplaces.there "opencl" then return end
    local which = filter and ("--filter='%s' "):format(filter) or ""
    local text = onplaces.printed(devices, ("tests/busted.lua %stests/spec/*/%s"):format(which, spec))
    assert(text:find "[1-9]%d* success" and text:find " 0 failures / 0 errors", text)
end

-- A small generator of numbers, the same on every machine.
function onplaces.generator(seed)
    return function(low, high)
        if not high then low, high = 1, low end
        seed = (seed * 6364136223846793005 + 1442695040888963407) & math.maxinteger
        return low + (seed >> 20) % (high - low + 1)
    end
end

return onplaces
