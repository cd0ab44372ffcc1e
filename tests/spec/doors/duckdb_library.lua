-- DuckDB's library for specs: Python's package is one that wants Python's symbols, of which nothing is called, so that a
-- library of their names stands before it.
local shell = require "shell"

local M = {}

-- What LUNARRAY_DUCKDB is for the package in a folder, by a library that is made in the folder `scratch`; nil: there is
-- none.
local function variable(folder, scratch, name)
    local package = shell.capture(("find '%s/' -name '*duckdb*.so' 2>/dev/null | head -n 1"):format(folder)):match "[^\n]+"
    if not package then
        return nil
    end
    local stub = ("%s/%s.so"):format(scratch, name)
    local said, status = shell.capture(([[nm -D --undefined-only '%s' | awk '{ print $NF }' | grep -E '^_?Py' |
        sed 's/.*/char &[512];/' >'%s.c' && cc -shared -fPIC -o '%s' '%s.c' 2>&1]]):format(package, stub, stub, stub))
    assert(status == 0, said)
    return ("%s:%s"):format(stub, package)
end

-- A list of { name =, variable =, excel = }: the newest one, the oldest that is supported and the last of versions 1, those
-- that are there; excel: the file of that extension, if there is one.
function M.list(scratch)
    local doors, list = (os.getenv "BUILD" or "build") .. "/doors", {}
    if not io.open(doors) then -- a build with a sanitizer
        doors = "build/doors"
    end
    local absolute = shell.capture(("realpath '%s' 2>/dev/null"):format(doors)):match "[^\n]+" or doors
    for _, one in ipairs { { "newest", "/venv" }, { "oldest", "/duckdb-oldest" }, { "last", "/duckdb-1.5" } } do
        local value = variable(absolute .. one[2], scratch, one[1])
        local excel = shell.capture(("find '%s%s/' -name excel.duckdb_extension 2>/dev/null"):format(absolute, one[2]))
        list[#list + 1] = value and { name = one[1], variable = value, excel = excel:match "[^\n]+" } or nil
    end
    return list
end

return M
