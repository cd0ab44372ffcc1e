-- Tables of columns as HTML, with the rows that print shows.

local frame = require "lunarray.show.frame"

local html = {}

local ESCAPES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

local function escaped(text)
    return (text:gsub('[&<>"]', ESCAPES))
end

local function line(tag, cells)
    return ("<tr>%s</tr>"):format(("<%s>%s</%s>"):format(tag, table.concat(cells, ("</%s><%s>"):format(tag, tag)), tag))
end

local function counted(n, what)
    return ("%d %s%s"):format(n, what, n == 1 and "" or "s")
end

-- The text of a table of columns; nil of any other value.
function html.text(t)
    local meta = frame.of(t)
    if not meta or type(meta.rows) ~= "number" then -- an opened one, whose rows stay in its files
        return nil
    end
    local columns, numbers, gap, names, rows = frame.shown(t)
    local head, kinds = { "" }, { "" }
    for i, column in ipairs(columns) do
        head[i + 1], kinds[i + 1] = escaped(column.name), escaped(column.kind)
    end
    local lines = { "<table>", "<thead>", line("th", head), line("th", kinds), "</thead>", "<tbody>" }
    for k, number in ipairs(numbers) do
        local cells = { ("%d"):format(number) }
        for i, column in ipairs(columns) do
            cells[i + 1] = escaped(column.cells[k] or "")
        end
        if k == gap + 1 then
            local dots = {}
            for i = 1, #cells do
                dots[i] = "..."
            end
            lines[#lines + 1] = line("td", dots)
        end
        lines[#lines + 1] = line("td", cells)
    end
    lines[#lines + 1] = "</tbody>"
    lines[#lines + 1] = "</table>"
    lines[#lines + 1] = ("<p>%s, %s</p>"):format(counted(names, "column"), counted(rows, "row"))
    return table.concat(lines, "\n")
end

return html
