-- The calls of help texts as data: parameters, options and results with types, from which the definitions for editors,
-- the card and the checks of options are made. A call is written as help shows it:
--
--     a:cov(b [, {ddof=1}]), A:cov([{ddof=1, rows=true}])
--
-- [..] may be left out, {name=default} are options, ... repeats what stands before; a text in quotes is an example. A
-- parameter's type follows from its name, here; so one name is used for one thing in all calls.

local M = {}

-- ---------------------------------------------------------------- types by names

local function of_names(list)
    local types = {}
    for names, what in pairs(list) do
        for name in names:gmatch "%S+" do
            types[name] = what
        end
    end
    return types
end

local PARAMETERS = of_names {
    ["a mask s offsets target"] = "lun.Array",
    ["A B root"] = "lun.Array",
    ["b c d x y z v w u old new r p q id fill center"] = "lun.Operand",
    ["n k m i j count first last axis order rows cols step_rows limit pe root_pe group digits rounds"] = "integer",
    ["f g model precondition key op"] = "lun.Function",
    ["shape extents"] = "lun.Shape",
    ["dtype"] = "lun.dtype",
    ["path name text unit format device backend edge kind how on time sep chars method mode"] = "string",
    ["bytes"] = "string",
    ["list t lists"] = "table",
    ["opts options"] = "table",
    ["indices counts edges weights labels lines"] = "lun.Array|table|integer",
    ["bins"] = "integer|lun.Array",
    ["axes"] = "integer|integer[]",
    ["names"] = "string|string[]",
    ["x0 p0"] = "lun.Array|number[]",
    ["dx alpha beta sigma"] = "number",
}

-- Of options, where a name means something else than among parameters.
local OPTIONS = of_names {
    ["axis"] = "integer|integer[]",
    ["out"] = "lun.dtype|lun.Array|table",
    ["dtype"] = "lun.dtype",
    ["layout"] = "string|integer[]",
    ["label"] = "string",
    ["seed"] = "integer",
    ["weights p x0 prepend append levels p_of"] = "lun.Array|number|table",
    ["range tile wrt by id vars index columns values names"] = "any",
    ["readonly skipnan skipna keep descending replace center include_initial transpose"] = "boolean",
    ["dx nan posinf neginf ddof tol rtol atol rcond base q frac"] = "number",
    ["ord"] = "number|string",
    ["missing edge halo combine rule labels"] = "any",
    ["precondition"] = "lun.Function",
}

-- What calls give, where that is not the usual.
local RESULTS = of_names {
    ["a:dtype a:kind a:backend a:layout a:tobytes a:source lun.info lun.help lun.math s:source"] = "string",
    ["a:size a:pending a:itemsize a:nbytes lun.clock"] = "integer",
    ["a:shape a:strides"] = "integer",
    ["a:value a:dot lun.dot a:median a:quantile lun.median lun.quantile a:cov a:corr lun.cov lun.corr"] = "lun.Value",
    ["a:totable a:read lun.devices lun.backends lun.stats lun.profile lun.finfo lun.iinfo"] = "table",
    ["t:totable t:names t:dtypes lun.workdiv"] = "table",
    ["lun.isarray a:aliases t:has lun.check lun.can_cast a:allclose a:equals"] = "boolean",
    ["lun.load lun.open lun.decode lun.variant lun.stream"] = "any",
    ["lun.save lun.prepare lun.door"] = "boolean?",
    ["lun.encode"] = "string", ["lun.override"] = "any",
    ["lun.explain"] = "lun.Plan",
    ["lun.table lun.rows lun.sql"] = "lun.Table",
    ["lun.group t:group t:resample t:rolling"] = "lun.Groups",
    ["lun.queue"] = "lun.Queue", ["q:record"] = "lun.Event", ["lun.buffer"] = "lun.Buffer",
    ["lun.sequence lun.compose c:left c:right c:only"] = "lun.Skeleton",
    ["lun.plot lun.hist lun.image lun.bars lun.box t:plot a:free lun.trim lun.copy lun.each lun.teams"] = "any",
    ["lun.struct"] = "table", ["lun.grad lun.derivative lun.hessian lun.batch lun.task"] = "function",
    ["lun.precision lun.width lun.elements_shown lun.rows_shown"] = "number",
    ["a:iter t:iter g:iter t:parts lun.call lun.eval lun.use lun.region lun.trace s:run a:distribution"] = "any",
    ["ev:done q:idle"] = "boolean", ["b:extents b:pitch"] = "integer", ["b:dtype b:device b:memory"] = "string",
    ["t:apply"] = "lun.Array", ["g:agg g:apply g:head g:tail g:sample g:topk g:table g:info"] = "lun.Table",
    ["s:workgroup"] = "lun.Skeleton", ["g:keys"] = "lun.Array",
}
local USUAL = { a = "lun.Array", t = "lun.Table", g = "lun.Array", s = "any", q = "any", ev = "any", b = "any" }

-- ---------------------------------------------------------------- reading

local PAIRS = { ["("] = "%b()", ["["] = "%b[]", ["{"] = "%b{}" }

-- The position behind the bracket that closes the one at pos.
local function behind(text, pos)
    local _, last = text:find(PAIRS[text:sub(pos, pos)], pos)
    return last and last + 1
end

-- The parts of a text between commas that stand in no brackets or quotes.
local function parts_of(text)
    local parts, from, pos = {}, 1, 1
    while pos <= #text do
        local c = text:sub(pos, pos)
        if c == '"' then
            pos = (text:find('"', pos + 1, true) or #text) + 1
        elseif c:find "[%(%[{]" then
            pos = behind(text, pos) or #text + 1
        else
            if c == "," then
                parts[#parts + 1] = text:sub(from, pos - 1)
                from = pos + 1
            end
            pos = pos + 1
        end
    end
    parts[#parts + 1] = text:sub(from)
    return parts
end

local function type_of_default(default)
    if default == "true" or default == "false" then
        return "boolean"
    elseif tonumber(default) then
        return math.type(tonumber(default)) == "integer" and "integer" or "number"
    elseif default:find '^"' then
        return "string"
    end
end

-- The options between braces: a list of { name, type, default }, and whether there are more. Names before " = " are any
-- that the caller has, such as those of columns.
local function options_of(text)
    local list, is_open = {}, false
    for _, part in ipairs(parts_of(text)) do
        local name, default = part:match "^%s*([%a_][%w_]*)=(.-)%s*$"
        if name then
            local what = OPTIONS[name] or type_of_default(default) or PARAMETERS[name] or "any"
            list[#list + 1] = { name = name, type = what, default = default ~= "" and default or nil }
        elseif part:find "%.%.%." or part:find " = " then
            is_open = true
        end
    end
    return list, is_open
end

local read_list

-- Adds what one piece of a parameter list says.
local function read_piece(piece, optional, list)
    piece = piece:match "^%s*(.-)%s*$"
    local name, default = piece:match "^([%a_][%w_]*)%s*=%s*(.+)$"
    if piece == "" then
        return
    elseif piece:find "^%b{}$" then
        local options, is_open = options_of(piece:sub(2, -2))
        if #options > 0 or is_open and piece:find "=" then
            list[#list + 1] = { name = "options", type = "table", options = options, open = is_open,
                optional = optional }
        else
            list[#list + 1] = { name = "list", type = "table", optional = optional }
        end
    elseif piece:find '^"' then
        list[#list + 1] = { name = "text", type = "string", optional = optional }
    elseif piece:find "%.%.%.$" then
        list[#list + 1] = { name = "...", type = "any", optional = true }
    elseif name then
        list[#list + 1] = { name = name, type = PARAMETERS[name] or type_of_default(default) or "any", optional = true }
    elseif piece:find "^[%a_][%w_]*$" and piece ~= "true" and piece ~= "false" then
        list[#list + 1] = { name = piece, type = PARAMETERS[piece] or "any", optional = optional }
    else -- such as "-k" or true: an example of one
        list[#list + 1] = { name = "value", type = "any", optional = optional }
    end
end

-- Adds the parameters that a text has; `[` begins what may be left out, also within what stands before it.
function read_list(text, optional, list)
    local pos = 1
    while pos <= #text do
        local bracket = text:find("%[", pos)
        for at, piece in text:gmatch '()"([^"]*)"' do -- none in quotes
            if bracket and at < bracket and bracket <= at + #piece then
                bracket = nil
            end
        end
        local braces = text:find("{", pos, true)
        if bracket and braces and braces < bracket and behind(text, braces) > bracket then
            bracket = text:find("%[", behind(text, braces))
        end
        for _, piece in ipairs(parts_of(text:sub(pos, (bracket or #text + 1) - 1))) do
            read_piece(piece, optional, list)
        end
        if not bracket then
            return
        end
        local last = behind(text, bracket) or #text + 1
        read_list(text:sub(bracket + 1, last - 2), true, list)
        pos = last
    end
end

-- The parameters of a form: what stands behind its name.
local function parameters_of(rest)
    local list = {}
    if rest:find "^%b()" then
        read_list(rest:match "^%b()":sub(2, -2), false, list)
    elseif rest:find "^{" then
        read_piece(rest:match "^%b{}", false, list)
    elseif rest:find '^%s*"' then
        read_piece(rest:match '"[^"]*"', false, list)
    end
    local seen = {}
    for _, one in ipairs(list) do
        local name = one.name
        if seen[name] and name ~= "..." then
            one.name = name .. seen[name] + 1
        end
        seen[name] = (seen[name] or 0) + 1
    end
    if seen["..."] and list[#list].name ~= "..." then -- options behind what repeats are among these
        local kept = {}
        for _, one in ipairs(list) do
            kept[#kept + 1] = one.name ~= "..." and not one.options and one or nil
        end
        kept[#kept + 1] = { name = "...", type = "any", optional = true }
        return kept, list
    end
    return list, list
end

-- The forms of a call: each with its parameters as they can be declared, and all options that it has.
function M.forms(call, name)
    local forms = {}
    for at in call:gmatch("()%f[%w_]" .. name .. "%f[^%w_]") do
        local before = call:sub(1, at - 1):match "([%w_]+[.:])$"
        if before then
            local list, all = parameters_of(call:sub(at + #name))
            local options, is_open = {}, false
            for _, one in ipairs(all) do
                is_open = is_open or one.open or one.name == "opts"
                for _, option in ipairs(one.options or {}) do
                    options[#options + 1] = option
                end
            end
            forms[#forms + 1] = { parameters = list, options = options, open = is_open }
        end
    end
    return forms
end

-- What a call by this name gives; owner: "lun" or the letter of a method's receiver.
function M.result(owner, name)
    return RESULTS[owner .. (owner == "lun" and "." or ":") .. name] or USUAL[owner] or "lun.Array"
end

return M
