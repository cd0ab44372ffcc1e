-- Team kernels with a race each: what a device that watches accesses has to report, and check=true on reference. Each says
-- its name on stderr before it runs there. Run by races.sh; on another device their results are one of several.
local lun = require "lunarray"

local one_element = { league = 2 }
local one_team = { league = 1, team = 2 }

-- Name, division, function of elements written.
local functions = {
    { "teams write one element", one_element, function(t, w) w[1] = t:block() end },
    { "threads of a team write one element", one_team, function(t, w) w[1] = t:thread() end },
    { "a thread reads memory of the team that another one writes", one_team, function(t, w)
        local s = t:scratch("i32", 2)
        s[t:thread()] = t:thread()
        w[t:thread()] = s[3 - t:thread()]
    end },
    { "an element is read behind the barrier before which it is written, by another team", { league = 2, team = 2 }, function(t, w)
        if t:thread() == 1 then w[t:block()] = 1 end
        t:barrier()
        if t:thread() == 2 then w[t:block() + 2] = w[3 - t:block()] end
    end },
}
-- Of a text with LUN_BARRIER the device has one work-item for a team, so that teams alone race; check=true sees neither.
local texts = {
    { "C: teams write one element", one_element, "(int *w) { w[0] = LUN_BLOCK(0) + 1; }" },
    { "C: an element is read behind the barrier before which it is written, by another team", { league = 2, team = 2 }, [[(int *w) {
        if (LUN_THREAD(0) == 0) w[LUN_BLOCK(0)] = 1;
        LUN_BARRIER;
        if (LUN_THREAD(0) == 1) w[LUN_BLOCK(0) + 2] = w[1 - LUN_BLOCK(0)];
    }]] },
}

local function run(backend, row, check)
    lun.use(backend)
    local w = lun.zeros(4, "i32")
    lun.teams { league = row[2].league, team = row[2].team, check = check }(row[3], w)
    return w:totable()
end

describe("planted races", function()
    it("run on the device", function()
        for _, rows in ipairs { functions, texts } do
            for _, row in ipairs(rows) do
                io.stderr:write("planted: ", row[1], "\n")
                run("opencl", row, false)
            end
        end
        io.stderr:write "planted: no more\n"
    end)

    it("are found by check=true", function()
        for _, row in ipairs(functions) do
            local done, message = pcall(run, "reference", row, true)
            assert(not done, row[1])
            assert.truthy(tostring(message):find " is written by thread", row[1] .. ": " .. tostring(message))
        end
    end)
end)
