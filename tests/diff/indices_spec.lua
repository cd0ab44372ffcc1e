-- lun.generate of random functions of their indices against the plain Lua loop, on every backend: the same elements, bit
-- for bit, or an error on both sides.
local harness = require "diff.harness"
local lun = require "lunarray"
local functions = require "diff.index_functions"

local SEED <const> = 20250611

local layouts = {
    function(a) return a end,
    function(a) return a:copy { layout = "left" } end,
    function(a) return a:transpose():copy():transpose() end,
    function(a)
        local shape, cut = { a:shape() }, {}
        for k, n in ipairs(shape) do
            shape[k], cut[k] = 2 * n + 3, { 2 * n, 2, -2 }
        end
        local window = lun.full(shape, 77, a:dtype()):sub(table.unpack(cut))
        window:set(a)
        return window
    end,
    function(a) return a * 1 end,
}

local function on_backend(case, number)
    local given = {}
    for k, a in ipairs(case.arrays) do
        given[k] = layouts[(number + k) % #layouts + 1](lun.vector(a.elements, case.real and "f64" or "i64"))
    end
    local f = assert(load(case.text, "=script"))(table.unpack(given))
    return lun.generate(case.box, f):flatten():totable()
end

local function same(a, b)
    return math.type(a) == math.type(b) and (a == b or (a ~= a and b ~= b))
end

local function compare(number, backends)
    local case = functions.case(SEED, number)
    local wanted = functions.by_vm(case)
    for _, backend in ipairs(backends) do
        lun.use(backend)
        local ok, got = pcall(on_backend, case, number)
        local where = ("number %d on %s, of %s:\n%s"):format(number, backend,
            table.concat((function()
                local list = {}
                for k, r in ipairs(case.box) do list[k] = r[1] .. " to " .. r[2] end
                return list
            end)(), ", "), case.text)
        if ok ~= (wanted ~= nil) then
            harness.fail("%s\n%s", ok and "no error" or tostring(got), where)
        elseif not ok then
            if not tostring(got):find "^script:%d+: index %-?%d+ is out of range for " then
                harness.fail("another error: %s\n%s", got, where)
            end
        else
            harness.elements = harness.elements + #wanted
            if #got ~= #wanted then harness.fail("%d elements, not %d\n%s", #got, #wanted, where) end
            for at = 1, #wanted do
                if not same(got[at], wanted[at]) then
                    harness.fail("element %d is %s, not %s\n%s", at, got[at], wanted[at], where)
                    break
                end
            end
        end
    end
    lun.use(harness.backends[1])
    return wanted ~= nil
end

describe("lun.generate", function()
    it("gives what the loop gives", function()
        local right = 0
        for number = 1, 400 do
            right = right + (compare(number, { "reference" }) and 1 or 0)
        end
        assert.is_true(right > 200 and right < 390)
        harness.finish()
    end)

    it("gives the same on every backend", function()
        for number = 1, 40 do
            local backends = { table.unpack(harness.backends) }
            if harness.device and number % (harness.device_every == 1 and 4 or 20) == 0 then
                backends[#backends + 1] = harness.device
            end
            compare(number, backends)
        end
        harness.finish()
    end)
end)

teardown(harness.report)
