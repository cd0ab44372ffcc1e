-- The kernel of share/jupyter under jupyter_client (jupyter_tools.py): cells that print, fail, are interrupted, draw, show
-- tables; completion, help, restart.
local shell = require "shell"

local build = os.getenv "BUILD" or "build"

describe("the Jupyter kernel", function()
    it("has at most a hundred lines", function()
        local _, count = shell.slurp "share/jupyter/kernels/lunarray/kernel.py":gsub("\n", "\n")
        assert.is_true(count <= 100)
    end)

    local python = build .. "/doors/venv/bin/python"
    local sanitized = build:find "asan" or build:find "tsan"
    local _, status = shell.capture(python .. " -c 'import ipykernel, jupyter_client' 2>&1")
    if status ~= 0 or sanitized then
        print("doors/jupyter: " .. (sanitized and "left out: no sanitizer" or
            "skipped: no ipykernel and jupyter_client (sh tests/setup.sh doors)"))
        return
    end
    it("runs cells", function()
        local program = shell.interpreter()
        local said, code = shell.capture(("%s tests/spec/doors/jupyter_tools.py share/jupyter/kernels \"$(realpath '%s')\" 2>&1")
            :format(python, program))
        assert.matches("all cells\n", said)
        assert.equal(0, code)
    end)
end)
