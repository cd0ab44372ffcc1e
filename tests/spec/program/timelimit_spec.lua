-- --time-limit: when it is reached all that a script has begun ends with it, and what it says then is not in proportion to what
-- it has done. Looks at what happened, not at clocks.

local shell = require "shell"

-- What a script of that text prints within a limit of so many seconds; gives up after two minutes.
local function run(seconds, text)
    local directory = shell.scratch()
    local path = shell.write(directory .. "/script.lua", text)
    local said, status = shell.capture(("LUNARRAY_CACHE_DIR= timeout -s KILL 120 %s --time-limit %s %s 2>&1"):format(
        shell.interpreter(), seconds, path))
    shell.discard(directory)
    assert.equal(1, status, said)
    return said
end

describe("a time limit", function()
    it("ends all busy queues at once", function()
        -- sixty that would each take for ever: if each had to be stopped by a limit of its own, it would be a minute
        local text = run(2, [[
            local queues, result = {}, lun.buffer("openmp", 1)
            local endless = lun.task(lun.workdiv(1), function(t, b)
                local s = 1.0
                while s ~= 0 do s = s + 1 end
                b[1] = s
            end, result)
            for k = 1, 60 do
                queues[k] = lun.queue("openmp", { async = true })
                queues[k]:enqueue(endless)
            end
            queues[60]:wait()
            print "never"
        ]])
        assert.matches("time limit reached: 2 seconds", text)
        assert.is_nil(text:find("never", 1, true))
    end)

    it("lets no pcall, coroutine or handler of <close> go on", function()
        local text = run(0.3, [[
            local closed = 0
            local handler = setmetatable({}, { __close = function() closed = closed + 1 for _ = 1, 1e12 do end print "never" end })
            local function nested(depth)
                local h <close> = handler
                if depth == 0 then while true do end end
                nested(depth - 1)
                print "never"
            end
            while true do
                pcall(pcall, coroutine.wrap(function() pcall(nested, 100) print "never" end))
                if closed > 0 then print "never" end
            end
        ]])
        assert.matches("time limit reached: 0.3 seconds", text)
        assert.is_nil(text:find("never", 1, true))
    end)

    it("ends a script that drops queues without end", function()
        local text = run(4, [[
            while true do lun.queue "openmp":record() end
        ]])
        assert.matches("time limit reached: 4 seconds", text)
    end)

    it("tells deep recursions in a few lines", function()
        local lines = {}
        for _, depth in ipairs { 1000, 150000 } do
            local text = run(1, ([[
                local function down(depth)
                    if depth == 0 then while true do end end
                    return 1 + down(depth - 1)
                end
                down(%d)
            ]]):format(depth))
            assert.matches("time limit reached: 1 seconds", text)
            lines[#lines + 1] = select(2, text:gsub("\n", ""))
        end
        assert.equal(lines[1], lines[2])
        assert.is_true(lines[1] < 40, lines[1])
    end)
end)
