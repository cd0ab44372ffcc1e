-- Arrays of logical dtypes over several places: texts, dates, complex numbers and elements that are missing are distributed as
-- numbers are, codes beside a pool that all places share, and have the elements that they have on one.
local lun = require "lunarray"
local logical = require "logical_programs"
local expect = require "expect"
local onplaces = require "onplaces"

describe("arrays of logical dtypes on several places", function()
    onplaces.restore(before_each, after_each)

    local function results(n, kind)
        local list = {}
        for k, program in ipairs(logical.programs) do
            local a = logical.arrays(n)
            for _, one in pairs(kind and a or {}) do
                assert.equal(one, one:distribute(kind))
                assert.equal(kind, (one:distribution()))
            end
            list[k] = program[1] .. ": " .. logical.text_of(program[2](a, n))
        end
        return list
    end

    for _, n in ipairs { 8, 65, 300 } do
        it(("have the elements that they have on one: %d"):format(n), function()
            local wanted = results(n)
            for _, set in ipairs(onplaces.sets) do
                lun.use(set)
                for _, kind in ipairs { "block", "copy", "single", "overlap" } do
                    local given = results(n, kind)
                    for k = 1, #wanted do assert.equal(wanted[k], given[k], set .. " " .. kind) end
                end
            end
        end)
    end

    it("have their parts where they are", function()
        onplaces.use(3)
        local a = logical.arrays(10)
        for name, one in pairs(a) do
            local _, d = one:distribute("block", { rule = "balanced" }):distribution()
            assert.same({ 4, 3, 3 }, d.counts, name)
            assert.same({ 1, 5, 8 }, d.starts, name)
        end
        for _, plan in ipairs { lun.explain(a.text:eq "w5").text, lun.explain(a.number + 1).text, lun.explain(a.date:eq(a.date)).text } do
            assert.truthy(plan:find("block by balanced", 1, true))
            assert.is_nil(plan:find("MOVE", 1, true))
        end
        local z = lun.zeros({ 6, 2 }, "c64"):copy()
        assert.same({ 2, 2, 2 }, select(2, z:distribute "block":distribution()).counts)
    end)

    it("have no function that merges copies", function()
        onplaces.use(2)
        local a = logical.arrays(10)
        expect.failure("text", a.text.distribute, a.text, "copy", { combine = "+" })
        expect.failure("c128", a.z.distribute, a.z, "copy", { combine = "+" })
        expect.failure("missing", a.date.distribute, lun.vector { 1, lun.na }, "copy", { combine = "+" })
        expect.failure("text", a.text.touched, a.text)
        expect.failure("unknown distribution 'everywhere'", a.text.distribute, a.text, "everywhere")
    end)
end)
