-- The documentation holds: every example prints what stands below it, the reference is the one that the
-- program's own tables give, every public function is described, every link leads somewhere.
local shell = require "shell"
local docs = dofile "tests/docs.lua"
local reference = dofile "tests/reference.lua"

local build = os.getenv "BUILD" or "build"
local sanitized = build:find "asan" or build:find "tsan"

local pages = { "README.md", "CONTRIBUTING.md", "CHANGELOG.md" }
for path in io.popen("ls docs/*.md"):lines() do
    pages[#pages + 1] = path
end

describe("documentation", function()
    local before

    setup(function()
        before = lun.use()
        lun.use "openmp"
    end)

    teardown(function()
        lun.use(before)
    end)

    local examples = 0
    for _, path in ipairs(pages) do
        it("prints what it says: " .. path, function()
            docs.check(path, build, not sanitized, function(line, what, expected, printed)
                examples = examples + 1
                assert.same(expected, printed, ("%s:%d: %s"):format(path, line, what))
            end)
        end)
    end

    it("has examples", function()
        assert.is_true(examples > 80, examples .. " examples")
    end)

    it("notices a difference", function()
        local name = os.tmpname()
        local file = assert(io.open(name, "w"))
        file:write("```lua\n> 1 + 1\n3\n> x = 2\n> print(x)\n2\n```\n\n```lua\nprint(x) --> 2\n```\n")
        file:close()
        local seen = {}
        local fresh = docs.check(name, build, false, function(_, _, expected, printed)
            seen[#seen + 1] = table.concat(expected, " ") .. "/" .. table.concat(printed, " ")
        end)
        os.remove(name)
        assert.same({ "3/2", "/", "2/2", "2/2" }, seen)
        assert.equal("```lua\n> 1 + 1\n2\n> x = 2\n> print(x)\n2\n```\n\n```lua\nprint(x) --> 2\n```", table.concat(fresh, "\n"))
    end)

    -- The Lua column of the first table of porting.md, cell by cell.
    it("compares with NumPy by code that runs", function()
        local count = 0
        for line in shell.slurp "docs/porting.md":match "## NumPy and Torch(.-)Watch out":gmatch "[^\n]+" do
            local last = line:match "| ([^|]*) |$"
            for code in (line:find("`", 1, true) and last or ""):gmatch "`([^`]*)`" do
                local env = setmetatable({ a = lun.vector { 1.5, 2, 3, 4, 5 }, b = lun.range(2, 6) * 1.0,
                    c = lun.vector { 2.0, 3, 4, 5, 6 }, m = lun.vector { true, false, true, true, false },
                    f = function(x) return x + 1 end }, { __index = _G })
                local f = assert(load("return " .. code, "=cell", "t", env))
                local ok, problem = true, nil
                if not code:find "lun%.load" and not code:find "lun%.save" then
                    ok, problem = pcall(f)
                end
                assert.is_true(ok, code .. ": " .. tostring(problem))
                count = count + 1
            end
        end
        assert.is_true(count > 40, count .. " cells")
    end)

    it("has a reference in step with the program", function()
        assert.equal(reference.text(), shell.slurp "docs/reference.md", "run make docs")
    end)

    it("describes every function of the module and every method", function()
        local help = require "lunarray.help"
        for name in pairs(reference.functions()) do
            assert.is_truthy(help.functions[name], "lun." .. name)
        end
        for name in pairs(reference.methods()) do
            assert.is_truthy(help.methods[name], "a:" .. name)
        end
    end)

    it("describes every function of the headers", function()
        local list = reference.c_functions()
        assert.is_true(#list > 150, #list .. " functions")
        local seen = {}
        for _, f in ipairs(list) do
            assert.is_truthy((f.comment or ""):find "%w", f.name .. " has no comment")
            seen[f.name] = true
        end
        local names = io.popen(("nm -D --defined-only %s/liblunarray.so.0"):format(build))
        for line in names:lines() do
            local name = line:match "T (lun_%w[%w_]*)$"
            assert.is_true(name == nil or seen[name], tostring(name) .. " is exported, but in no header")
        end
        names:close()
    end)

    it("has links that lead somewhere", function()
        for _, path in ipairs(pages) do
            for target in shell.slurp(path):gsub("```.-```", ""):gmatch "%]%(([^)#]+)[^)]*%)" do
                if not target:find "^https?:" then
                    local file = io.open((path:match "^.*/" or "") .. target)
                    assert.is_truthy(file, path .. ": " .. target)
                    file:close()
                end
            end
        end
    end)
end)
