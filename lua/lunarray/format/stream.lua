-- lun.stream: elements that come in chunks, of a function, a coroutine, a pipe, a socket or a growing file. What is
-- done with them is a chain (stream/chain.lua) of one column, in parts of 65,536 elements, so that results have the
-- bits of the same elements in memory, and memory is that of a few parts.
--
-- Invariant of a source: `chunk` counts the chunks that were taken, `taken` their elements; one pass takes them, and
-- once it has ended, also by an error, there is no other one.

local core = require "lunarray.core"
local chain = require "lunarray.stream.chain"
local count_arguments = require "lunarray.base.arguments"
local dtypes = require "lunarray.base.dtypes"
local expression = require "lunarray.stream.expression"
local fault = require "lunarray.base.fault"
local file = require "lunarray.format.file"
local frame = require "lunarray.show.frame"
local misuse = require "lunarray.base.misuse"
local object = require "lunarray.table.object"
local public = require "lunarray.base.public"
local scope = require "lunarray.base.scope"
local sums = require "lunarray.stream.sums"

local internal = core.internal
local kind_of = internal.kind_of

local M = {}

local PART <const> = internal.order.part -- elements
local PIECE <const> = 1 << 18 -- bytes that are asked for at once
local PAUSE <const> = 20 -- milliseconds between two looks at a file or a socket that has nothing

local Stream = { __name = "stream" }
local methods = {}
local state = setmetatable({}, { __mode = "k" }) -- by stream: its node

-- ---------------------------------------------------------------- where chunks come from

-- Each gives a function next(): a chunk, nil behind the last one; and what ends it, or nil.

local function of_function(f)
    return f
end

local function of_coroutine(co)
    return function()
        if coroutine.status(co) == "dead" then
            return nil
        end
        local ok, chunk = coroutine.resume(co)
        if not ok then
            error(chunk, 0)
        end
        return chunk
    end
end

-- Bytes of a file of the script's, such as a pipe of io.popen.
local function of_handle(handle)
    return function()
        local text, message = handle:read(PIECE)
        if not text and message then
            error(message, 0)
        end
        return text
    end
end

-- Bytes of what has receive(n), as sockets of LuaSocket.
local function of_socket(socket)
    return function()
        while true do
            local text, message, partial = socket:receive(PIECE)
            text = text or partial ~= "" and partial or nil
            if text then
                return text
            elseif message == "closed" or message == nil then
                return nil
            elseif message ~= "timeout" and message ~= "wantread" then
                error(message, 0)
            end
            internal.pause(PAUSE)
        end
    end
end

-- Bytes of a file, a fifo or a device; follow: seconds that a file is waited for since it grew last.
local function of_path(path, follow)
    local source, message = file.open(path)
    if not source then
        fault("bad argument #1 to 'stream' (%s)", message)
    end
    local grown = core.clock()
    return function()
        while true do
            local text, why = internal.receive(source.handle, PIECE)
            if text == nil then
                error(why, 0)
            elseif text and text ~= "" then
                grown = core.clock()
                return text
            elseif text and core.clock() - grown >= follow then
                return nil
            end
            if text then
                internal.pause(PAUSE)
            end
        end
    end, function() source:close() end
end

local function has_receive(x)
    local ok, f = pcall(function() return x.receive end)
    return ok and type(f) == "function"
end

local function chunks_of(f, follow)
    if type(f) == "function" then
        return of_function(f)
    elseif type(f) == "thread" then
        return of_coroutine(f)
    elseif scope.no_files then
        misuse(1, "stream", "%s: function or coroutine expected", scope.no_files)
    elseif type(f) == "string" then
        return of_path(f, follow)
    elseif io.type(f) == "file" then
        return of_handle(f)
    elseif (type(f) == "table" or type(f) == "userdata") and not core.isarray(f) and has_receive(f) then
        return of_socket(f)
    end
    misuse(1, "stream", "function, coroutine, path, open file or socket expected, got %s",
        io.type(f) or f == nil and "no value" or kind_of(f))
end

-- ---------------------------------------------------------------- chunks as arrays

-- The elements of the bytes of a chunk; those of one that is not whole wait for the next chunk.
local function of_bytes(self, text)
    text = self.rest .. text
    local whole = #text - #text % self.bytes
    self.rest = text:sub(whole + 1)
    return core.frombytes(text:sub(1, whole), self.dtype)
end

-- A chunk as an array of the stream's dtype; else an error that says what it is.
local function elements(self, chunk)
    if type(chunk) == "string" then
        return of_bytes(self, chunk)
    elseif core.isarray(chunk) then
        if chunk:dtype() ~= self.dtype or select("#", chunk:shape()) > 1 then
            error(("a Vector of %s expected, got %s"):format(self.dtype, dtypes.describe(chunk:dtype(),
                { chunk:shape() })), 0)
        end
        return chunk:reshape(chunk:size())
    elseif type(chunk) == "number" then
        return core.vector({ chunk }, self.dtype)
    elseif type(chunk) == "table" and getmetatable(chunk) == nil then
        return core.vector(chunk, self.dtype)
    end
    error(("a Vector, a list of numbers, a number or bytes expected, got %s"):format(kind_of(chunk)), 0)
end

local STOPS <const> = { ECANCEL = true, ELIMIT = true } -- codes of errors that end a script

-- An error with the number of the chunk, or of those from `from` on; of what stops a script, and of other values, as it
-- is.
local function in_chunk(self, e, from)
    local last = self.chunk
    local where = (from or last) == last and ("chunk %d of the stream: "):format(last)
        or ("chunks %d to %d of the stream: "):format(from, last)
    if type(e) == "string" and not e:find "interrupted!$" then
        return where .. e:gsub("^lua/lunarray/[%w/]+%.lua:%d+: ", "")
    elseif getmetatable(e) == internal.error_type and not STOPS[e.code] then
        e.message = where .. e.message
    end
    return e
end

-- The next chunk that has elements; nil behind the last one.
local function next_elements(self)
    while true do
        self.chunk = self.chunk + 1
        local ok, x = pcall(self.chunks)
        if ok and x == nil then
            self.chunk = self.chunk - 1
            if #self.rest > 0 then
                self:fail(("the stream ends within an element: %d byte%s of the %d of one of %s"):format(#self.rest,
                    #self.rest == 1 and "" or "s", self.bytes, self.dtype))
            end
            return nil
        elseif ok then
            ok, x = pcall(elements, self, x)
        end
        if not ok then
            self:fail(in_chunk(self, x))
        elseif #x > 0 then
            return x
        end
    end
end

-- ---------------------------------------------------------------- a source of chain.lua

local Source = {}
Source.__index = Source

function Source:close()
    self.ended = true
    local ending = self.ending
    self.ending = nil
    if ending then
        ending()
    end
end

function Source:fail(message)
    self.failed = true
    self:close()
    error(message, 0)
end

function Source:begin()
    if self.begun then
        self:fail(("the stream has been read, up to chunk %d: what comes is read once"):format(self.chunk))
    end
    self.begun = true
end

-- So many elements, about: whole chunks.
function Source:next()
    local list, rows = {}, 0
    self.from = self.chunk + 1
    while rows < PART and not self.ended do
        local x = next_elements(self)
        if not x then
            self:close()
            break
        end
        list[#list + 1], rows = x, rows + #x
    end
    if rows == 0 then
        return nil
    end
    self.taken = self.taken + rows
    local x = #list == 1 and list[1] or core.concat(list)
    return rows, function() return x end
end

-- ---------------------------------------------------------------- streams

local function new(node)
    local s = setmetatable({}, Stream)
    state[s] = node
    return s
end

local OPTIONS <const> = { dtype = true, follow = true }

local function options_of(given)
    if type(given) ~= "table" or core.isarray(given) then
        misuse(2, "stream", 'a table of options expected, such as {dtype = "f64"}, got %s',
            given == nil and "no value" or kind_of(given))
    end
    for name in pairs(given) do
        if not OPTIONS[name] then
            misuse(2, "stream", "unknown option '%s'; the options are dtype and follow", tostring(name))
        end
    end
    local row = dtypes.by_name[given.dtype]
    if not row or not (row.kind == "signed" or row.kind == "unsigned" or row.kind == "float" or row.kind == "bool") then
        misuse(2, "stream", "option dtype: a dtype of numbers or bool expected, got %s", tostring(given.dtype))
    end
    local follow = given.follow == nil and 0 or given.follow == true and math.huge or given.follow
    if not math.type(follow) or follow < 0 or follow ~= follow then
        misuse(2, "stream", "option follow: seconds, or true, expected, got %s", kind_of(given.follow))
    end
    return row, follow
end

-- lun.stream(f, {dtype=, follow=})
function M.stream(f, given)
    local row, follow = options_of(given)
    if given.follow ~= nil and type(f) ~= "string" then
        misuse(2, "stream", "option follow: a path expected as argument #1, got %s", kind_of(f))
    end
    local chunks, ending = chunks_of(f, follow)
    local source = setmetatable({ names = { "x" }, path = "the stream", row_bytes = row.bytes, several = true,
        chunks = chunks, ending = ending, dtype = row.name, bytes = row.bytes, rest = "", chunk = 0, taken = 0 },
        Source)
    return new(chain.root(source, object.make({ x = core.zeros(0, row.name) }, { "x" }, 0)))
end

local function source_of(node)
    return chain.root_of(node).source
end

local function node_of(s, call)
    local node = state[s]
    if not node then
        misuse(1, call, "stream expected, got %s", kind_of(s))
    end
    return node
end

-- A method of streams, which takes so many arguments.
local function method(name, most, f)
    methods[name] = public(function(s, ...)
        local node = node_of(s, name)
        count_arguments(name, most, ...)
        return f(node, ...)
    end)
end

local function with(node, x)
    return new(chain.node(node, "with", { x = x }))
end

method("map", math.huge, function(node, f, ...)
    return with(node, expression.column(node, "x"):map(f, ...))
end)

-- s:filter(f): the elements of which f, compiled, is true.
method("filter", math.huge, function(node, f, ...)
    local mask = expression.column(node, "x"):map(f, ...)
    if expression.sample(mask):dtype() ~= "bool" then
        fault("bad argument #1 to 'filter' (the function gives %s: true or false expected)",
            expression.sample(mask):dtype())
    end
    return new(chain.node(node, "filter", mask))
end)

-- ---------------------------------------------------------------- passes

-- run() with errors that say which chunk was worked on; what is read is closed then.
local function reading(node, run)
    local source = source_of(node)
    local results = table.pack(pcall(run))
    if results[1] then
        return table.unpack(results, 2, results.n)
    end
    local message = results[2]
    if source.begun and not source.failed then
        message = in_chunk(source, message, source.from)
        source:close()
    end
    error(message, 0)
end

-- Calls take(part, elements before it) for the parts of the node's elements until it gives true.
local function each_part(node, take, rows)
    reading(node, function()
        chain.walk(node, { "x" }, { "x" }, function(part, at)
            if #part > 0 then
                return take(frame.column(part, "x"), at)
            end
        end, rows)
        source_of(node):close()
    end)
end

-- The values call(x) of all parts, combined in order; nil: there are no elements.
local function combined(node, combine, call)
    local sink = sums.reducing("x", combine, call)
    each_part(node, function(x)
        sink.take(nil, object.make({ x = x }, { "x" }, #x))
    end)
    return sink.result()
end

for name in ("sum prod count any all mean"):gmatch "%S+" do
    method(name, 0, function(node)
        return reading(node, function()
            return sums.reduce(node, "x", name, function()
                if source_of(node).taken == 0 then
                    fault("%s of a stream without elements", name)
                end
                fault("'%s' of a stream of this dtype, or of infinite elements, needs all at once: s:eval() reads them "
                    .. "into memory", name)
            end)
        end)
    end)
end

for name, f in pairs { min = core.min, max = core.max } do
    method(name, 0, function(node)
        local found = combined(node, f, function(x) return x[name](x) end)
        if found == nil then
            fault("%s of a stream without elements", name)
        end
        return found
    end)
end

-- The number of elements, their mean and the sum of squared deviations, in one pass: those of parts, as Chan has it.
local function moments(node)
    local found = combined(node, function(a, b)
        local n, d = a[1] + b[1], b[2] - a[2]
        return { n, a[2] + d * (b[1] / n), a[3] + b[3] + d * d * (a[1] * (b[1] / n)) }
    end, function(x)
        return { #x, x:mean(), x:var() * #x }
    end)
    return found or { 0, 0 / 0, 0 / 0 }
end

local function ddof_of(options, call)
    local ddof = type(options) == "table" and options.ddof or 0
    if options ~= nil and (type(options) ~= "table" or next(options) ~= "ddof" or next(options, "ddof") ~= nil
        or not math.type(ddof)) then
        misuse(1, call, "{ddof=1} expected, got %s", kind_of(options))
    end
    return ddof
end

for name, f in pairs { var = function(x) return x end, std = math.sqrt } do
    method(name, 1, function(node, options)
        local ddof, found = ddof_of(options, name), moments(node)
        return f(found[1] - ddof > 0 and found[3] / (found[1] - ddof) or 0 / 0)
    end)
end

-- s:reduce(f, id): of each part, then of their results in order.
method("reduce", 2, function(node, f, id)
    if id == nil then
        misuse(2, "reduce", "an initial value expected: the identity of the function")
    end
    local dtype = source_of(node).dtype
    local empty = frame.column(node.sample, "x"):reduce(f, id) -- refuses what is no function of two elements
    dtype = empty:dtype() or dtype
    local zip = core.zip(f)
    local found = combined(node, function(a, b)
        return zip(a, b)
    end, function(x)
        local part = x:reduce(f, id):reshape(1)
        part:eval()
        return part
    end)
    return (found or core.full({ 1 }, id, dtype))[1]
end)

-- s:histogram(n, {range={lo, hi}}), s:histogram(edges): counts and edges.
method("histogram", 2, function(node, bins, options)
    if not core.isarray(bins) and type(bins) ~= "table" and not (type(options) == "table" and options.range) then
        misuse(2, "histogram", "{range={lo, hi}} expected: the elements are not known before they come")
    end
    local counts, edges = core.histogram(frame.column(node.sample, "x"), bins, options)
    local found = combined(node, function(a, b)
        return (a + b):eval()
    end, function(x)
        return (x:histogram(bins, options)):eval()
    end)
    return found or counts, edges
end)

-- ---------------------------------------------------------------- chunks that leave

-- for first, x in s:parts([rows]) do
method("parts", 1, function(node, rows)
    if rows ~= nil and not (math.tointeger(rows) and rows >= 1) then
        misuse(1, "parts", "number of elements from 1 on expected, got %s", tostring(rows))
    end
    return coroutine.wrap(function()
        each_part(node, function(x, at)
            coroutine.yield(at + 1, x)
        end, math.tointeger(rows) or PART)
    end)
end)

-- All elements in memory.
method("eval", 0, function(node)
    local list = {}
    each_part(node, function(x) list[#list + 1] = x end)
    return #list > 0 and core.concat(list) or frame.column(node.sample, "x"):copy()
end)

-- The first n elements; no more are taken than the chunks that have them.
method("head", 1, function(node, n)
    n = math.tointeger(n == nil and 10 or n)
    if not n or n < 1 then
        misuse(1, "head", "number of elements from 1 on expected, got %s", tostring(n))
    end
    local list, left = {}, n
    each_part(node, function(x)
        list[#list + 1] = x:sub(1, math.min(left, #x))
        left = left - math.min(left, #x)
        return left == 0
    end)
    return #list > 0 and core.concat(list) or frame.column(node.sample, "x"):copy()
end)

-- The head of a .npy file with n elements: as long for any n.
local function npy_head(node, n)
    local of = core.full({ n }, false):cast(frame.column(node.sample, "x"):dtype())
    return require("lunarray.format.npy").head(of)
end

-- s:write(path): elements as their bytes, or as .npy: true, or nil, message, errno.
method("write", 1, function(node, path)
    if scope.no_files then
        misuse(1, "write", scope.no_files)
    elseif type(path) ~= "string" then
        misuse(1, "write", "path expected, got %s", kind_of(path))
    end
    local is_npy, total = path:find "%.npy$" ~= nil, 0
    if not is_npy and not path:find "%.raw$" and not path:find "%.bin$" then
        misuse(1, "write", "the extension is none of .npy .raw .bin")
    end
    local head, wrong = npy_head(node, 0)
    if is_npy and not head then
        misuse(1, "write", wrong)
    end
    local pieces = coroutine.wrap(function()
        if is_npy then
            coroutine.yield(head)
        end
        each_part(node, function(x)
            total = total + #x
            coroutine.yield(x:tobytes())
        end)
        if is_npy then
            coroutine.yield(function(handle)
                local at, message, code = handle:seek "set"
                if not at then
                    return nil, message, code
                end
                return handle:write((npy_head(node, total)))
            end)
        end
    end)
    return internal.writing(file.write, path, pieces)
end)

-- ---------------------------------------------------------------- what scripts see

local OPERATORS <const> = "add sub mul div mod pow idiv band bor bxor shl shr unm bnot"

-- An expression of the stream's elements as a stream of them.
local function settled(node, x)
    if not expression.is(x) then
        fault("a stream and this value have no common elements")
    end
    return with(node, x)
end

local function operand(x)
    local node = state[x]
    return node and expression.column(node, "x") or x, node
end

for event in OPERATORS:gmatch "%S+" do
    local f = getmetatable(expression.column(chain.root({}, object.make({ x = core.zeros(0) }, { "x" }, 0)), "x"))
        ["__" .. event]
    Stream["__" .. event] = public(function(a, b)
        local x, of_a = operand(a)
        local y, of_b = operand(b)
        if of_a and of_b and of_a ~= of_b or core.isarray(a) or core.isarray(b) then
            fault("a stream is computed with numbers, and with itself: elements of others do not come beside it")
        end
        return settled(of_a or of_b, f(x, y))
    end)
end

Stream.__index = public(function(s, name)
    local node = state[s]
    if methods[name] then
        return methods[name]
    elseif type(name) == "string" and expression.by_element[name] then
        return public(function(of, ...)
            local x = expression.column(node_of(of, name), "x")
            return settled(node_of(of, name), x[name](x, ...))
        end)
    end
    local list = {}
    for known in pairs(methods) do
        list[#list + 1] = known
    end
    table.sort(list)
    fault("%s has no '%s': it has %s, operators with numbers, and what is computed element by element",
        node and "a stream" or "this", tostring(name), table.concat(list, " "))
end)

function Stream.__newindex()
    fault "elements of a stream are not assigned"
end

function Stream.__len()
    fault "how many elements a stream has is not known before it is read: s:count() of booleans, #s:eval()"
end

function Stream.__tostring(s)
    local source = source_of(state[s])
    return ("stream of %s: %s"):format(frame.column(state[s].sample, "x"):dtype(), source.begun
        and ("%d chunk%s read, %d elements"):format(source.chunk, source.chunk == 1 and "" or "s", source.taken)
        or "nothing is read yet")
end

Stream.__metatable = "lunarray.stream"

return M
