-- What programs move, on sets of 1, 2, 3, 7 locations and on 1, 2, 3, 4 ranks, is what tests/golden/figures.txt says: moves,
-- messages, bytes, collective steps. A change that moves less writes the file anew: TEXTS=write in front of the command that
-- runs this spec. tests/figures.lua prints the tables.
local shell = require "shell"
local figures = dofile "tests/figures.lua"

local golden = "tests/golden/figures.txt"

describe("what programs of each kind move #place", function()
    it("is what the golden tables say", function()
        local scratch = os.tmpname()
        local text = figures.text(figures.LENGTH, scratch, shell.interpreter())
        os.remove(scratch)
        os.remove(scratch .. "programs.npy")
        if os.getenv "TEXTS" == "write" then
            shell.write(golden, text)
        end
        local wanted, heading, different = shell.slurp(golden):gmatch "[^\n]*", "", {}
        for line in text:gmatch "[^\n]*" do
            local other = wanted()
            heading = line:find "^%l+: " and line or heading
            if line ~= other then
                different[#different + 1] = ("%s\n%s\nnot\n%s"):format(heading, line, other)
            end
        end
        assert.equal("", table.concat(different, "\n"))
        assert.equal(nil, (wanted()))
    end)
end)
