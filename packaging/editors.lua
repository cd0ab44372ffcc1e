-- Writes what editors and machines read of the interface: the definitions for lua-language-server
-- (share/lunarray/luals), the card (docs/reference/card.md) and llms.txt. Run by make docs.

local core = require "lunarray.core"
local entries = require "lunarray.prompt.entries"
local help = require "lunarray.prompt.help"

local M = {}

local CLASSES = { { "a", "Array", "lun.Array" }, { "t", "Table", "lun.Table" }, { "g", "Groups", "lun.Groups" },
    { "s", "Skeleton", "lun.Skeleton" }, { "q", "Queue", "lun.Queue" }, { "ev", "Event", "lun.Event" },
    { "b", "Buffer", "lun.Buffer" } }

local CLASS_OF = {}
for _, class in ipairs(CLASSES) do
    CLASS_OF[class[1]] = class[3]
end

-- ---------------------------------------------------------------- definitions

-- A text as lines of a comment, without examples.
local function comment(out, text)
    for line in (text:gsub("\nexample: .*", "") .. "\n"):gmatch "([^\n]*)\n" do
        if line ~= "" then
            out[#out + 1] = "---" .. line
        end
    end
end

local function type_of(one)
    if not one.options then
        return one.type
    end
    local parts = {}
    for i, option in ipairs(one.options) do
        parts[i] = ("%s?: %s"):format(option.name, option.type)
    end
    return #parts > 0 and not one.open and ("{ %s }"):format(table.concat(parts, ", ")) or "table"
end

local KEYWORDS = { ["end"] = true, ["in"] = true, ["repeat"] = true, ["function"] = true }

-- The declaration of one entry. path: such as "Array:sum"; is_called: of a table that is called, such as lun.sql.
local function declare(out, entry, path, is_called)
    local form = entry.forms[1] or { parameters = { { name = "...", type = "any", optional = true } } }
    out[#out + 1] = ""
    comment(out, entry.text)
    out[#out + 1] = ("---`%s`"):format(entry.call:gsub("\n", " "))
    local names, must = {}, 0
    for i, one in ipairs(form.parameters) do
        must = one.optional and must or i
    end
    for k = is_called and 1 or 2, #entry.forms do
        local others = { path:find(":", 1, true) and "self: " .. CLASS_OF[entry.owner] or nil }
        for _, one in ipairs(entry.forms[k].parameters) do
            others[#others + 1] = ("%s%s: %s"):format(one.name, one.optional and one.name ~= "..." and "?" or "", type_of(one))
        end
        out[#out + 1] = ("---@overload fun(%s): %s"):format(table.concat(others, ", "), entry.result)
    end
    if is_called then
        out[#out + 1] = path .. " = {}"
        return
    end
    for i, one in ipairs(form.parameters) do
        local name = KEYWORDS[one.name] and one.name .. "_" or one.name
        names[i] = name
        out[#out + 1] = ("---@param %s%s %s"):format(name, i > must and name ~= "..." and "?" or "", type_of(one))
    end
    out[#out + 1] = "---@return " .. entry.result
    out[#out + 1] = ("function %s(%s) end"):format(path, table.concat(names, ", "))
end

local HEAD = [[
---@meta lunarray
-- Definitions of Lunarray for lua-language-server, made by `make docs` of the program's own help; do not edit.

---@alias lun.dtype %s
---@alias lun.Shape integer|(integer|integer[])[]
---@alias lun.Value number|boolean|string|lun.Array
---@alias lun.Operand lun.Array|number|boolean|string
---@alias lun.Function function|string|lun.Skeleton|lun.Operation
---@alias lun.Along { axis?: integer|integer[], keep?: boolean, skipnan?: boolean, skipna?: boolean, ddof?: number }

---An operation of lun.op, which skeletons take.
---@class lun.Operation

---The page of lun.explain.
---@class lun.Plan
---@field text string

]]

local OPERATORS = { "add", "sub", "mul", "div", "mod", "pow", "idiv", "band", "bor", "bxor", "shl", "shr", "concat" }

local ABOUT = {
    Array = "An array: Vector, View, Scalar or Composition.", Table = "A table of columns.",
    Groups = "Rows in groups, of lun.group or t:group.", Skeleton = "A skeleton: called with arrays, or s1 >> s2.",
    Queue = "A queue of a device.", Event = "A point in the work of a queue.", Buffer = "Plain memory of a device.",
}

-- The names of values of the module: of tables of functions, each with its names.
local function values(lun)
    local list = {}
    for name, value in next, lun do
        if type(value) ~= "function" then
            list[#list + 1] = { name = name, value = value }
        end
    end
    table.sort(list, function(x, y) return x.name < y.name end)
    return list
end

local function sorted_keys(t)
    local keys = {}
    for key in next, t do
        keys[#keys + 1] = key
    end
    table.sort(keys)
    return keys
end

-- The text of the definitions.
function M.definitions()
    local dtypes, out = {}, {}
    for i, row in ipairs(core.internal.dtypes()) do
        dtypes[i] = ('"%s"'):format(row.name)
    end
    out[1] = HEAD:format(table.concat(dtypes, "|"))
    local all = entries.all()
    for _, class in ipairs(CLASSES) do
        local letter, name, what = class[1], class[2], class[3]
        out[#out + 1] = "---" .. ABOUT[name]
        out[#out + 1] = "---@class " .. what
        if name == "Array" then
            for _, operator in ipairs(OPERATORS) do
                out[#out + 1] = ("---@operator %s(lun.Operand): lun.Array"):format(operator)
            end
            out[#out + 1] = "---@operator unm: lun.Array"
            out[#out + 1] = "---@operator bnot: lun.Array"
            out[#out + 1] = "---@operator len: integer"
            out[#out + 1] = "---@field [integer] any"
            out[#out + 1] = "---@field [string] any" -- fields of records
        elseif name == "Table" then
            out[#out + 1] = "---@operator concat(lun.Table): lun.Table"
            out[#out + 1] = "---@operator len: integer"
            out[#out + 1] = "---@field [string] lun.Array"
            out[#out + 1] = "---@field [integer] table"
        elseif name == "Groups" then
            out[#out + 1] = "---@operator len: integer"
        elseif name == "Skeleton" then
            out[#out + 1] = "---@operator shr(lun.Skeleton|function): lun.Skeleton"
            out[#out + 1] = "---@overload fun(...: lun.Operand): lun.Array"
        end
        out[#out + 1] = ("local %s = {}"):format(name)
        for _, entry in ipairs(all) do
            if entry.owner == letter then
                declare(out, entry, name .. ":" .. entry.name)
            end
        end
        out[#out + 1] = ""
    end
    out[#out + 1] = "---The module, which the program has as the global `lun`."
    out[#out + 1] = "---@class lunarray"
    local module = values(require "lunarray")
    for _, one in ipairs(module) do
        if type(one.value) ~= "table" then
            local what = type(one.value) == "userdata" and "any" or type(one.value)
            out[#out + 1] = ("---@field %s %s"):format(one.name, what)
        elseif one.name == "spmd" then
            out[#out + 1] = "---@field spmd table<string, any>"
        end
    end
    out[#out + 1] = "lun = {}"
    for _, entry in ipairs(all) do
        if entry.owner == "lun" then
            declare(out, entry, "lun." .. entry.name, type(rawget(require "lunarray", entry.name)) == "table")
        end
    end
    for _, one in ipairs(module) do
        if type(one.value) == "table" and one.name ~= "spmd" then
            out[#out + 1] = ""
            if not debug.getmetatable(one.value) then
                out[#out + 1] = ("lun.%s = {}"):format(one.name)
            end
            for _, key in ipairs(sorted_keys(one.value)) do
                if type(one.value[key]) == "function" then
                    out[#out + 1] = ""
                    out[#out + 1] = "---@param ... any"
                    out[#out + 1] = "---@return any"
                    out[#out + 1] = ("function lun.%s.%s(...) end"):format(one.name, key)
                else
                    out[#out + 1] = ""
                    out[#out + 1] = one.name == "op" and "---@type lun.Operation" or "---@type any"
                    out[#out + 1] = ("lun.%s.%s = nil"):format(one.name, key)
                end
            end
        end
    end
    out[#out + 1] = "\nreturn lun\n"
    return table.concat(out, "\n")
end

local CONFIG = [[
{
  "name": "Lunarray",
  "words": ["lunarray", "lun%."],
  "settings": { "Lua.runtime.version": "Lua 5.4", "Lua.diagnostics.globals": ["lun"] }
}
]]

-- ---------------------------------------------------------------- the card

-- A call without its receiver and without blanks; options alone have no parentheses.
local function short(call)
    return (call:gsub("\n", " "):gsub("%f[%w]lun%.", ""):gsub("^for .- in ", ""):gsub("^%a+:", ""):gsub(", %a:", ", ")
        :gsub("%[, (%b{})%]", ", %1?"):gsub("%[(%b{})%]", "%1?"):gsub("%(%)$", ""):gsub("=([,}])", "%1")
        :gsub(" or ", "|"):gsub("%s", ""):gsub("=true", ""):gsub("=false", ""):gsub("=%-?%d[%de.-]*", "")
        :gsub("%((%b{})%?%)", "%1"):gsub(",(%b{})%?([%])])", ",%1%2"))
end

-- A text in which an option has its word, as in norm="backward", the first time alone.
local function once(text)
    local seen = {}
    return (text:gsub('[%a_]+="[^"]*"', function(option)
        local again = seen[option]
        seen[option] = true
        return again and option:match "^[^=]+" or nil
    end))
end

local function line_of(out, title, calls)
    out[#out + 1] = ("**%s** `%s`\n"):format(title, table.concat(calls, " "))
end

-- The calls of an owner, but for names that `without` has.
local function calls_of(all, owner, without)
    local calls = {}
    for _, entry in ipairs(all) do
        if entry.owner == owner and not without[entry.name] then
            calls[#calls + 1] = entry.is_reduction and entry.name or short(entry.call)
        end
    end
    return calls
end

local CARD = [[
# The interface on one page

`lun` is the module. Arrays are lazy: an expression is one kernel, run where its elements are needed.
Indices and axes count from 1, slices include both ends. A method `a:f(b)` is also `lun.f(a, b)`; `[..]` may be
left out, and options, `{name}`, come last; `f{name}` is `f()` without. `lunarray --plan s.lua` checks a script,
`lun.help "name"` explains it.

```lua
local a = lun.vector{3, 1, 2} -- i64; lun.zeros({2, 3}, "f32"), lun.index(n)
local b = (a + 1) * 2.5 -- + - * / // % ^ & | ~ << >> .. # of arrays
local x, y, w = a[1], a[-1], a:sub(2, 3) -- w writes a
local m, c, s = a:gt(1) & ~a:eq(2), lun.where(a:gt(1), a, 0), a:sort()
local n, sums = b:sum(), lun.zeros{2, 3}:sum{axis = 1}
local f = a:map(function(x) if x > 1 then return x end return -x end)
local t = lun.table{city = {"Oslo", "Rome", "Oslo"}, temp = lun.vector{7.5, 21, 9}}
local u, v = t:filter(t.temp:gt(8)):sort("-temp"), t:group("city"):agg{n = "count", mean = {"mean", "temp"}}
local p = lun.explain(b * 2)
```

]]

-- The whole interface in 10 KB at most.
function M.card()
    local all, out = entries.all(), {}
    local same = {}
    for _, entry in ipairs(all) do
        same[entry.name] = entry.owner == "a" or same[entry.name]
    end
    same.trace = nil -- lun.trace is that of a program, a:trace a matrix's
    local reductions = {}
    for name in next, help.reductions do
        reductions[name] = true
    end
    local skip = {}
    for name in next, core.op do
        skip[name] = name ~= "sub"
    end
    for name in next, reductions do
        skip[name] = true
    end
    out[1] = CARD
    line_of(out, "dtypes", (function()
        local names = {}
        for i, row in ipairs(core.internal.dtypes()) do
            names[i] = row.name
        end
        return names
    end)())
    line_of(out, "lun.", calls_of(all, "lun", same))
    line_of(out, "operations", sorted_keys(core.op))
    line_of(out, "reductions a:f{axis, keep, skipnan, skipna}", sorted_keys(reductions))
    line_of(out, "a:", calls_of(all, "a", skip))
    line_of(out, "s: (skeletons)", calls_of(all, "s", {}))
    line_of(out, "t: (tables)", calls_of(all, "t", {}))
    line_of(out, "g: (groups; reductions take a column)", calls_of(all, "g", {}))
    local others = {}
    for _, one in ipairs(values(require "lunarray")) do
        if type(one.value) ~= "table" then
            others[#others + 1] = one.name
        elseif one.name ~= "op" and one.name ~= "spmd" then
            others[#others + 1] = ("%s.{%s}"):format(one.name, table.concat(sorted_keys(one.value), " "))
        end
    end
    line_of(out, "also lun.", others)
    out[#out + 1] = once(table.concat(out, "\n", 2))
    return ((out[1] .. "\n" .. out[#out]):gsub("\n+$", "\n"))
end

-- ---------------------------------------------------------------- llms.txt

local LONGEST = 50 -- bytes of what is said of a page

-- What README.md says of each page, in its order.
local function pages()
    local list = {}
    for line in io.lines "README.md" do
        local links, what = line:match "^| (%[.-%]%(docs/.-%)) | (.-) |$"
        list[#list + 1] = links and { links, what } or nil
    end
    return list
end

local function first_sentence(path)
    local text = {}
    for line in io.lines(path) do
        local words = line:match "^%-%- ?(.*)$"
        if not words then
            break
        end
        text[#text + 1] = words
    end
    local joined = table.concat(text, " ")
    return joined:match "^(.-[.:])%s" or joined
end

-- A line for each page and example.
function M.llms()
    local out = { "# Lunarray\n", "> A data-parallel engine with Lua 5.4: lazy arrays, tables, fused kernels. Start with docs/reference/card.md: the whole"
        .. " interface.\n", "## Pages\n" }
    for _, page in ipairs(pages()) do
        local what = page[2]
        if #what > LONGEST then
            what = what:match "^(.-)[;:]" or what
        end
        out[#out + 1] = ("- %s: %s"):format(page[1], what)
    end
    out[#out + 1] = "\n## Examples\n"
    local pipe = assert(io.popen "LC_ALL=C ls examples/*.lua")
    for path in pipe:lines() do
        out[#out + 1] = "- " .. path
    end
    pipe:close()
    return table.concat(out, "\n") .. "\n"
end

-- ---------------------------------------------------------------- files

-- Path and text of each.
function M.files()
    return {
        { "share/lunarray/luals/library/lunarray.lua", M.definitions() },
        { "share/lunarray/luals/config.json", CONFIG },
        { "docs/reference/card.md", M.card() },
        { "llms.txt", M.llms() },
    }
end

if arg and (arg[0] or ""):find "packaging/editors%.lua$" then
    for _, file in ipairs(M.files()) do
        local handle = assert(io.open(file[1], "w"))
        assert(handle:write(file[2]))
        assert(handle:close())
    end
end

return M
