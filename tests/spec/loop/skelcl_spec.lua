-- examples/skelcl: the ways of SkelCL's users, in Lua, on every backend that can compile C strings.
local lun = require "lunarray"
local shell = require "shell"

local program = shell.interpreter()

local function has_opencl()
    for _, backend in ipairs(lun.backends()) do
        if backend == "opencl" then return true end
    end
    return false
end

local printed = {
    mandelbrot = [[

                                      .
                                     .....
                                    ...#...
                                 .....###...
                             .......######........
                            ....################.
                 .............##################...
                 ...........#####################..
               .....#######.#####################.
        ..  ....################################.
        ..  ....################################.
               .....#######.#####################.
                 ...........#####################..
                 .............##################...
                            ....################.
                             .......######........
                                 .....###...
                                    ...#...
                                     .....
                                      .
12464	23864	245086
]],
    dot_product = [[
kernels: 1
dot product: 1001.0
]],
    saxpy = [[
a = 2:   	102.0 104.0 106.0 108.0 110.0
a = 0.5: 	100.5 101.0 101.5 102.0 102.5
1-2x^2+x^3:	0.0 1.0 10.0 33.0 76.0
]],
    file = [[
-2.5 -2.5 -2.0 -1.0 0.0 1.0 2.0 2.5 2.5
]],
    heat = [[
9.38 10.19 11.43 12.53 12.96 12.53 11.43 10.19 9.38
in all: 100.0
]],
    sequence = [[
norm: 7
of the first 1: 2.000
of the first 2: 3.606
of the first 3: 7.000
kernels: 1
]],
    compose = [[
kernels: 1
44.0 66.0 66.0
-44.0 -66.0 -66.0
examples/skelcl/compose.lua:21: wrong number of arguments to 'compose' (4 arrays expected, got 3)
]],
    listing_2_01 = [[
0.25 0.5 0.75 1.0 1.25 1.5
0.5 1.0 1.5 2.0 2.5 3.0
5.0 13.0 17.0
]],
    listing_2_03 = [[
1.0 1.0 3.0 4.0 5.0
5.0 4.0 3.0 1.0 1.0
9.0 1.0 16.0 1.0 25.0
9.0 1.0 16.0 1.0 25.0
6.0 2.0 8.0 2.0 10.0
]],
    listing_2_05 = [[
0.5 1.0 1.5 2.0 2.5
]],
    listing_2_06 = [[
kernels: 1
as the loop says: true
]],
    listing_2_08 = [[
float elem               stands in the kernel
return elem * 2;         stands in the kernel
float input              stands in the kernel
float *more              stands in the kernel
input + more[count]      stands in the kernel
]],
    listing_2_10 = [[
map   	2.0 4.0 6.0 8.0 10.0 12.0
zip   	11.0 22.0 33.0 44.0 55.0 66.0
reduce	720
scan  	0 1 3 6 10 15
]],
    listing_2_15 = [[
0	1.0 2.0 3.0 4.0 5.0
1	101.0 102.0 103.0 104.0 105.0
2	121.0 122.0 123.0 124.0 125.0
3	124.0 125.0 126.0 127.0 128.0
]],
    listing_2_19 = [[
kernels: 1
f32	0.14 0.18 0.22 0.26 0.30
]],
    listing_2_21 = [[
1	85.0 133.0 189.0
1	85.0 133.0 189.0
1	85.0 133.0 189.0
]],
    listing_3_01 = [[

                                      .
                                     .....
                                    ...#...
                                 .....###...
                             .......######........
                            ....################.
                 .............##################...
                 ...........#####################..
               .....#######.#####################.
        ..  ....################################.
        ..  ....################################.
               .....#######.#####################.
                 ...........#####################..
                 .............##################...
                            ....################.
                             .......######........
                                 .....###...
                                    ...#...
                                     .....
                                      .
]],
    listing_3_03 = [[
subset 1: largest voxel 11, bits of plain Lua: true
subset 2: largest voxel 29, bits of plain Lua: true
subset 3: largest voxel 44, bits of plain Lua: true
]],
    listing_3_04 = [[
subset 1: copies differ: true, bits of plain Lua: true
subset 2: copies differ: true, bits of plain Lua: true
subset 3: copies differ: true, bits of plain Lua: true
]],
    listing_3_05 = [[
image to all:           384 bytes planned,  384 moved
each has all of it:       0 bytes planned,    0 moved
each keeps its part:      0 bytes planned,    0 moved
parts to all again:     384 bytes planned,  384 moved
0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 9.5 10.5 11.5 12.5 13.5 14.5 15.5
]],
}

-- The images that OSEM found and of the phantom, side by side; the error falls.
local osem = [[
iteration 1: error 0.6765
iteration 2: error 0.4649
iteration 3: error 0.3575
iteration 4: error 0.3249

     .         ....
  .:....      ......
  *@*...     .@@@....
 .*@+....    .@@@....
 ..:.....    ........
 .......     ........
  ......      ......
     .         ....

image 4822c75114
]]

describe("SkelCL's image reconstruction", function()
    for _, way in ipairs { "reference/4 explicit", "openmp implicit", "openmp/2 implicit", "openmp/3 explicit", "opencl:* explicit" } do
        it("finds one image, on " .. way, function()
            local set, distributions = way:match "^(%S+) (%S+)$"
            if set:find "opencl" and not has_opencl() then return end
            if set == "openmp/2" and not os.getenv "TEST_WHOLE" then return end
            local pipe = assert(io.popen(("POCL_DEVICES='pthread pthread pthread' LUNARRAY_BACKEND='%s' %s %s %s 2>&1")
                :format(set, program, "examples/skelcl/osem.lua", distributions)))
            assert.equal(osem, pipe:read "a")
            assert.is_true(pipe:close())
        end)
    end

    it("merges the error image of each iteration once, on all places", function()
        local script = [[arg = { "explicit" } dofile "examples/skelcl/osem.lua"
            local s = lun.stats() print(s.merges, s.places["openmp.1"].merges, s.places["openmp.3"].merges)]]
        local pipe = assert(io.popen(("%s --backend openmp/3 -e '%s' 2>&1"):format(program, script)))
        assert.equal(osem .. "4\t4\t4\n", pipe:read "a")
        assert.is_true(pipe:close())
    end)
end)

-- The Mandelbrot set has no operand in memory: nothing goes up, and each element comes down once.
local mandelbrot = [=[
    local lun = require "lunarray"
    local width, height = 300, 200
    local function rounds(y, x)
        local cx, cy = -2.2 + 3.2 * x / width, -1.2 + 2.4 * y / height
        local a, b, n = 0.0, 0.0, 0
        while n < 50 and a * a + b * b < 4 do a, b, n = a * a - b * b + cx, 2 * a * b + cy, n + 1 end
        return n
    end
    local before = lun.stats()
    local image = lun.generate({ height, width }, rounds):cast "u8"
    image:eval()
    local evaluated = lun.stats()
    local list = image:totable()
    local _ = image:totable() -- it is down already
    local after, same = lun.stats(), true
    for y = 1, height do
        for x = 1, width do same = same and list[y][x] == rounds(y, x) end
    end
    print(select("#", lun.use()), evaluated.launches - before.launches, after.bytes_to_device - before.bytes_to_device,
        evaluated.bytes_to_host - before.bytes_to_host, after.bytes_to_host - evaluated.bytes_to_host,
        after.bytes_moved - before.bytes_moved, same)
]=]

describe("the Mandelbrot set on four places", function()
    for _, set in ipairs { "openmp/4", "opencl:*" } do
        it("is copied once, to the host: " .. set, function()
            if set:find "opencl" and not has_opencl() then return end
            local path = os.tmpname()
            local file = assert(io.open(path, "w"))
            file:write(mandelbrot)
            file:close()
            local pipe = assert(io.popen(("POCL_DEVICES='pthread pthread pthread pthread' LUNARRAY_BACKEND='%s' %s %s 2>&1")
                :format(set, program, path)))
            assert.equal("4\t4\t0\t0\t60000\t0\ttrue\n", pipe:read "a")
            assert.is_true(pipe:close())
            os.remove(path)
        end)
    end
end)

for _, backend in ipairs(lun.backends()) do
    if backend ~= "reference" then
        describe("SkelCL's examples on " .. backend, function()
            for name, text in pairs(printed) do
                it("print what they should: " .. name, function()
                    local pipe = assert(io.popen(("LUNARRAY_BACKEND=%s %s examples/skelcl/%s.lua 2>&1"):format(
                        backend, program, name)))
                    assert.equal(text, pipe:read "a")
                    assert.is_true(pipe:close())
                end)
            end
        end)
    end
end
