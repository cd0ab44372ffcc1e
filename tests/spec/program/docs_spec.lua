-- The documentation holds: every example prints what stands below it, the reference is the one that the
-- program's own tables give, every public function is described, every link leads somewhere.
local shell = require "shell"
local docs = dofile "tests/docs.lua"
local reference = dofile "tests/reference.lua"

local build = os.getenv "BUILD" or "build"
local sanitized = build:find "asan" or build:find "tsan"

local pages = { "README.md", "CONTRIBUTING.md", "CHANGELOG.md" }
for path in io.popen("ls docs/*.md docs/*/*.md"):lines() do
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
        for line in shell.slurp "docs/porting.md":match "## NumPy and Torch(.-)### What a":gmatch "[^\n]+" do
            local last = line:match "| ([^|]*) |$"
            for code in (line:find("`", 1, true) and last or ""):gmatch "`([^`]*)`" do
                local env = setmetatable({ a = lun.vector { 1.5, 2, 3, 4, 5 }, b = lun.range(2, 6) * 1.0,
                    A = lun.ones(4, 4), row = lun.range(1, 4), col = lun.range(1, 4), x = 0,
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

    -- A table of porting.md: the code and the last cell of each row, and what the code gives.
    local function rows_of(heading, each)
        local a = lun.vector { 3, 1, 2 }
        local names = { a = a, b = lun.vector { 1.0, 2.5, 4.0 }, m = a:gt(1), M = lun.vector { { 1, 2, 3 }, { 4, 5, 6 } },
            w = lun.load "examples/data/seattle-weather.csv" }
        local rows = 0
        for line in shell.slurp "docs/porting.md":match(heading .. "\n\n?.-|%-%-%-|%-%-%-|%-%-%-|\n(.-)\n\n"):gmatch "[^\n]+" do
            local source, last = line:match "^| .- | `([^`]+)` | ?(.-) |$"
            assert.is_truthy(source, line)
            each(source, last, pcall(assert(load("return " .. source, "=row", "t", setmetatable(names, { __index = _G })))))
            rows = rows + 1
        end
        return rows
    end

    -- A result as Lua would write it.
    local function written(x)
        if lun.isarray(x) then
            return written(x:totable())
        elseif type(x) ~= "table" then
            return tostring(x)
        end
        local parts = {}
        for i, part in ipairs(x) do
            parts[i] = written(part)
        end
        return "{" .. table.concat(parts, ", ") .. "}"
    end

    it("says by code that runs what NumPy and pandas have and what it gives here", function()
        for heading, least in pairs { ["### What a NumPy user looks for"] = 20, ["### What a SciPy user looks for"] = 20,
            ["## pandas"] = 9 } do
            local rows = rows_of(heading, function(source, last, ok, ...)
                assert.is_true(ok, source .. ": " .. tostring((...)))
                local values = table.pack(...)
                for i = 1, values.n do
                    values[i] = written(values[i])
                end
                assert.equal(last, "`" .. table.concat(values, ", ") .. "`", source)
            end)
            assert.is_true(rows > least, rows .. " rows")
        end
    end)

    it("has tables of other programs' words side by side with what runs here", function()
        local env = setmetatable({ w = lun.load "examples/data/seattle-weather.csv", s = lun.vector { 1, lun.na, 2 },
            k = lun.table { { weather = "snow", kind = "cold" }, { weather = "fog", kind = "grey" } } }, { __index = _G })
        local rows = 0
        for code, expected in shell.slurp "docs/side-by-side.md":gmatch "| `([^`]+)` | `([^`]+)` |\n" do
            local values = table.pack(assert(load("return " .. code, "=row", "t", env))())
            for i = 1, values.n do
                values[i] = written(values[i])
            end
            assert.equal(expected, table.concat(values, ", "), code)
            rows = rows + 1
        end
        assert.is_true(rows > 25, rows .. " rows")
    end)

    it("says what is missing as long as it is", function()
        local rows = rows_of("Not supported yet:", function(source, _, ok)
            assert.is_false(ok, source .. " works: the row belongs into the table above, and README.md names it")
        end)
        assert.is_true(rows > 0, rows .. " rows")
    end)

    it("describes every name that Tab shows, in the overview, in the reference and by itself", function()
        local complete = require "lunarray.prompt.complete"
        local overview, count = lun.help(), 0
        local _, page = reference.pages()
        local function described(names)
            for _, name in ipairs(names) do
                local word = "%f[%w_]" .. name .. "%f[^%w_]"
                assert.is_truthy(overview:find(word), "lun.help(): " .. name)
                assert.is_truthy(page:find("\n| `[^|]*" .. word), "docs/reference/: " .. name)
                assert.is_nil(lun.help(name):find "^no help", name)
                count = count + 1
            end
        end
        described(complete.names(lun))
        described(complete.names(lun.index(3), true))
        described(complete.names(lun.map "sqrt", true))
        described(complete.names(lun.compose(lun.zip "+"), true))
        assert.is_true(count > 200, count .. " names")
    end)

    it("describes what is written with signs", function()
        for _, topic in ipairs { "element", "rows", "slice", "concatenate", "columns", "chain" } do
            assert.is_nil(lun.help(topic):find "^no help", topic)
        end
        local page = shell.slurp "docs/reference/arrays.md"
        for _, form in ipairs { "a[i]", "A[i][j]", "a:sub(i, j, step)", "a .. b", "#a", "pairs(lun.load" } do
            assert.is_truthy(page:find(form, 1, true), form)
        end
        assert.is_truthy(lun.help():find("a[i] A[i] a:sub(i, j) #a a .. b", 1, true))
    end)

    it("has a reference in step with the program", function()
        for _, page in ipairs(reference.pages()) do
            assert.equal(page[2], shell.slurp(page[1]), page[1] .. ": run make docs")
        end
    end)

    it("describes every function of the module and every method", function()
        local help = require "lunarray.prompt.help"
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
