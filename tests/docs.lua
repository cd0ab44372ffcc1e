-- The examples in README.md and docs/: finds them, runs them, compares what they print.
-- A block fenced as ```lua is run. Lines that start with "> " (or ">> ") are typed at a prompt, what stands
-- between them is what it answers; a block without a prompt is a script, in which "--> text" says what is
-- printed; one that begins with "-- needs NAME" is run where that library is. The blocks of a file are one
-- session. A block fenced as ```c is a whole program; "// prints:" and the comment lines below it say what it
-- prints.
--
--     build/lunarray tests/docs.lua FILE...            compare; fails at the first difference
--     build/lunarray tests/docs.lua --write FILE...    put the answers at prompts right

local M = {}

-- ---------------------------------------------------------------- finding

-- The fenced blocks of a file: { language, first (line number), lines }, and the lines of the file.
function M.blocks(path)
    local lines, blocks, block = {}, {}, nil
    for line in io.lines(path) do
        lines[#lines + 1] = line
        local language = line:match "^```(.*)$"
        if language and block then
            block = nil
        elseif language then
            block = { language = language, first = #lines + 1, lines = {} }
            blocks[#blocks + 1] = block
        elseif block then
            block.lines[#block.lines + 1] = line
        end
    end
    assert(not block, path .. ": a fence is not closed")
    return blocks, lines
end

-- The entries of a transcript: { code, typed (list of lines), answer (list of lines) }.
local function entries_of(lines)
    local entries = {}
    for i, line in ipairs(lines) do
        local first, more = line:match "^> ?(.*)$", line:match "^>> ?(.*)$"
        local last = entries[#entries]
        if first and not more then
            entries[#entries + 1] = { code = first, typed = { line }, answer = {} }
        elseif more then
            last.code = last.code .. "\n" .. more
            last.typed[#last.typed + 1] = line
        else
            assert(last, "line " .. i .. " of the block stands before any prompt")
            last.answer[#last.answer + 1] = line
        end
    end
    return entries
end

-- ---------------------------------------------------------------- running

local Session = {}
Session.__index = Session

-- A session of its own globals, whose print is kept.
function M.session()
    local self = setmetatable({ out = {} }, Session)
    self.env = setmetatable({
        print = function(...)
            local parts = table.pack(...)
            for i = 1, parts.n do
                parts[i] = tostring(parts[i])
            end
            for line in (table.concat(parts, "\t") .. "\n"):gmatch "(.-)\n" do
                self.out[#self.out + 1] = line
            end
        end,
    }, { __index = _G })
    return self
end

-- What was printed since the last call, as a list of lines.
function Session:take()
    local out = self.out
    self.out = {}
    return out
end

-- Runs what is typed at a prompt and gives the lines of the answer.
function Session:answer(code)
    local silent = code:find ";%s*$"
    code = code:gsub("^=", "return "):gsub(";%s*$", "")
    local f, message = load("return " .. code, "=stdin", "t", self.env)
    if not f then
        f, message = load(code, "=stdin", "t", self.env)
    end
    local results = f and table.pack(pcall(f)) or { false, message, n = 2 }
    if not results[1] then
        self.env.print((tostring(results[2])))
    elseif results.n > 1 and not silent then
        self.env._ = results[2]
        local ok, problem = pcall(self.env.print, table.unpack(results, 2, results.n))
        if not ok then
            self.env.print((tostring(problem)))
        end
    end
    return self:take()
end

-- What a script prints and what it says that it does.
function Session:script(lines)
    local expected = {}
    for _, line in ipairs(lines) do
        expected[#expected + 1] = line:match "%-%-> ?(.*)$"
    end
    local f = assert(load(table.concat(lines, "\n"), "=script", "t", self.env))
    f()
    return expected, self:take()
end

-- A C program: what it says that it prints, and what it does. build: where the library is.
function M.program(lines, build)
    local expected, inside = {}, false
    for _, line in ipairs(lines) do
        local text = line:match "^// ?(.*)$"
        if inside and text then
            expected[#expected + 1] = text
        end
        inside = inside and text ~= nil or text == "prints:"
    end
    local name = os.tmpname()
    local source = assert(io.open(name .. ".c", "wb"))
    source:write(table.concat(lines, "\n"), "\n")
    source:close()
    local pipe = assert(io.popen(("cc -std=c11 -Wall -Wextra -pedantic -Werror -Iprims %s.c -o %s.out -L%s -llunarray "
        .. "-Wl,-rpath,$PWD/%s 2>&1 && %s.out 2>&1"):format(name, name, build, build, name)))
    local printed = {}
    for line in pipe:lines() do
        printed[#printed + 1] = line
    end
    pipe:close()
    for _, ending in ipairs { "", ".c", ".out" } do
        os.remove(name .. ending)
    end
    return expected, printed
end

-- Whether a script that begins with "-- needs NAME" finds that library.
local function has_library(line)
    local name = (line or ""):match "^%-%- needs (%w+)$"
    return not name or require("lunarray").door(name) == true
end

-- Calls seen(first line of the block, what it is, expected, printed) for each example of a file: lists of
-- lines. with_c: programs in C too. Gives the lines of the file with all answers as they are now.
function M.check(path, build, with_c, seen)
    local blocks, lines = M.blocks(path)
    local session, fresh, from = M.session(), {}, 1
    for _, block in ipairs(blocks) do
        local text = block.lines
        if block.language == "lua" and (text[1] or ""):find "^>" then
            text = {}
            for _, entry in ipairs(entries_of(block.lines)) do
                local answer = session:answer(entry.code)
                seen(block.first, entry.code, entry.answer, answer)
                table.move(entry.typed, 1, #entry.typed, #text + 1, text)
                table.move(answer, 1, #answer, #text + 1, text)
            end
        elseif block.language == "lua" and has_library(text[1]) then
            seen(block.first, "script", session:script(text))
        elseif block.language == "c" and with_c then
            seen(block.first, "program", M.program(text, build))
        end
        table.move(lines, from, block.first - 1, #fresh + 1, fresh)
        table.move(text, 1, #text, #fresh + 1, fresh)
        from = block.first + #block.lines
    end
    return table.move(lines, from, #lines, #fresh + 1, fresh)
end

-- ---------------------------------------------------------------- by hand

if arg and (arg[0] or ""):find "tests/docs%.lua$" then
    local write = arg[1] == "--write"
    for i = write and 2 or 1, #arg do
        local fresh = M.check(arg[i], os.getenv "BUILD" or "build", not write, function(line, what, expected, printed)
            local e, p = table.concat(expected, "\n"), table.concat(printed, "\n")
            assert(write or e == p, ("%s:%d: %s\nexpected:\n%s\nprinted:\n%s"):format(arg[i], line, what, e, p))
        end)
        if write then
            local file = assert(io.open(arg[i], "wb"))
            file:write(table.concat(fresh, "\n"), "\n")
            file:close()
        end
    end
end

return M
