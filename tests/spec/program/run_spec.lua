-- tests/run.sh: its counts and its verdict, on a pretended tree whose test programs are shell scripts
-- that print what cmocka and busted would.

local shell = require "shell"

-- Without the line's end.
local function capture(command)
    return (shell.capture(command):gsub("\n$", ""))
end

describe("tests/run.sh", function()
    local tree

    local function write(path, text)
        assert(os.execute(("mkdir -p $(dirname '%s/%s')"):format(tree, path)))
        local file = assert(io.open(tree .. "/" .. path, "wb"))
        file:write(text)
        file:close()
        assert(os.execute(("chmod +x '%s/%s'"):format(tree, path)))
    end

    -- A program that prints lines and ends with a status.
    local function program(path, text, status)
        write(path, ("#!/bin/sh\ncat <<'END'\n%s\nEND\nexit %d\n"):format(text, status))
    end

    local function run(suites, limit)
        local text = capture(("cd '%s' && BUILD=built MAKE=./make TEST_TIMEOUT=%d sh tests/run.sh %s 2>&1; echo $?")
            :format(tree, limit or 300, suites))
        local status = tonumber(text:match "%d+$")
        text = text:gsub("\n%d+$", "")
        return text:match "[^\n]*$", status, text
    end

    before_each(function()
        tree = capture "mktemp -d"
        assert(os.execute(("mkdir -p '%s/tests' && cp tests/run.sh '%s/tests/'"):format(tree, tree)))
        program("make", "made", 0)
        program("tests/lint/one.sh", "", 0)
        write("tests/core/api/one_test.c", "")
        program("built/tests/one_test", "[  PASSED  ] 3 test(s).", 0)
        write("tests/spec/array/one_spec.lua", "")
        program("built/lunarray", "4 successes / 0 failures / 0 errors / 1 pending : 0.1 seconds", 0)
    end)

    after_each(function()
        os.execute(("rm -rf '%s'"):format(tree))
    end)

    it("sums up all suites", function()
        local last, status, text = run ""
        assert.is_truthy(text:find("\nok    tests/spec/array/one_spec.lua, 1 pending (4)\n", 1, true), text)
        assert.equal("10 passed, 0 failed", last) -- build, syntax, lint, 3 C tests, 4 specs
        assert.equal(0, status)
    end)

    it("runs what arrays do twice more on a device, if there is one", function()
        write("tests/spec/array/skeletons_spec.lua", "")
        local last, _, text = run "spec"
        assert.equal("16 passed, 0 failed", last)
        assert.is_truthy(text:find("skeletons_spec.lua on opencl, single elements, 1 pending (4)", 1, true), text)
        assert.is_truthy(text:find("skeletons_spec.lua on opencl, 1 pending (4)", 1, true), text)
        write("built/lunarray", "#!/bin/sh\n[ -z \"$LUNARRAY_BACKEND\" ] || exit 1\ncat <<'END'\n" ..
            "4 successes / 0 failures / 0 errors / 0 pending : 0.1 seconds\nEND\n")
        last, _, text = run "spec"
        assert.equal("8 passed, 0 failed", last)
        assert.is_truthy(text:find("no OpenCL device", 1, true), text)
    end)

    it("counts what the torture reports", function()
        assert(os.execute(("mkdir -p '%s/tests/torture'"):format(tree)))
        program("tests/torture/run.sh", "a table\n5 passed, 1 failed", 1)
        assert.equal("5 passed, 1 failed", (run "torture"))
        program("tests/torture/run.sh", "nothing", 1)
        assert.equal("0 passed, 1 failed", (run "torture"))
    end)

    it("leaves to `more` what tests/more.txt names, and nothing out where all is asked for", function()
        write("tests/more.txt", "# why\ncore two   long\nspec two   long\non openmp/3 axes\nwhole one   all sizes\n")
        write("tests/core/api/two_test.c", "")
        write("tests/spec/array/two_spec.lua", "")
        write("tests/spec/array/axes_spec.lua", "")
        program("built/tests/two_test", "[  PASSED  ] 7 test(s).", 0)
        assert.equal("3 passed, 0 failed", (run "core"))
        assert.equal("8 passed, 0 failed", (run "spec")) -- one and axes
        local last, _, text = run "more"
        assert.equal("19 passed, 0 failed", last) -- two_test, two_spec, axes and one once more
        assert.is_truthy(text:find("one_spec.lua, whole, 1 pending (4)", 1, true), text)
        assert.is_truthy(text:find("axes_spec.lua on openmp/3", 1, true), text)
        assert.equal("10 passed, 0 failed", (run "core; WHOLE=1 BUILD=built sh tests/run.sh core"))
        last, _, text = run "lint; UNTIL=1 BUILD=built sh tests/run.sh lint more"
        assert.equal("1 passed, 0 failed", last)
        assert.is_truthy(text:find("two_test.c: left out: no time is left", 1, true), text)
    end)

    it("hides devices from specs that tests/more.txt names so, and shows them in `more` and where all is asked for", function()
        write("tests/more.txt", "host one   compilers of drivers\n")
        write("tests/spec/array/two_spec.lua", "")
        write("built/lunarray", "#!/bin/sh\ncase \"$*\" in *spec.lua) echo \"$* '$OCL_ICD_VENDORS'\" >>seen ;; esac\ncat <<'END'\n" ..
            "4 successes / 0 failures / 0 errors / 0 pending : 0.1 seconds\nEND\n")
        local function seen(suites)
            os.remove(tree .. "/seen")
            run(suites)
            local file = assert(io.open(tree .. "/seen"))
            local text = file:read "a"
            file:close()
            return text
        end
        assert.is_truthy(seen("spec"):find "one_spec.lua '/[^\n]*/none/'\n")
        assert.is_truthy(seen("spec"):find("two_spec.lua ''\n", 1, true))
        assert.is_truthy(seen("more"):find("one_spec.lua ''\n", 1, true))
        assert.is_truthy(seen("lint; WHOLE=1 BUILD=built sh tests/run.sh spec"):find("one_spec.lua ''\n", 1, true))
    end)

    it("has tests by all names in tests/more.txt", function()
        local count = 0
        for line in io.lines "tests/more.txt" do
            local kind, name, more = line:match "^(%l+) (%S+) *(%S*)"
            if kind then
                local paths = { "tests/" .. kind .. "/" .. name .. "_spec.lua" }
                if kind == "spec" or kind == "whole" or kind == "host" then
                    paths = { "tests/spec/*/" .. name .. "_spec.lua" }
                elseif kind == "core" then
                    paths = { "tests/core/*/" .. name .. "_test.c" }
                elseif name == "torture" then
                    paths = { "tests/torture/" .. more .. ".lua", "tests/torture/" .. more .. ".c", "tests/torture/" .. more .. ".sh" }
                elseif kind == "on" then
                    paths = { "tests/spec/*/" .. more .. "_spec.lua" }
                end
                local found = false
                for _, path in ipairs(paths) do
                    found = found or os.execute("ls " .. path .. " >/dev/null 2>&1") ~= nil
                end
                assert.is_true(found, line)
                count = count + 1
            end
        end
        assert.is_true(count > 0)
    end)

    it("runs only what is asked for", function()
        assert.equal("3 passed, 0 failed", (run "core"))
        assert.equal("1 passed, 0 failed", (run "lint"))
    end)

    it("counts failed C tests, over several groups", function()
        program("built/tests/one_test", "[  PASSED  ] 2 test(s).\n[  FAILED  ] 1 test(s), listed below:\n"
            .. "[  FAILED  ] it\n\n 1 FAILED TEST(S)\n[  PASSED  ] 5 test(s).", 1)
        local last, status, text = run ""
        assert.equal("14 passed, 1 failed", last)
        assert.equal(1, status)
        assert.is_truthy(text:find("FAILED  ] it", 1, true)) -- shows what it printed
    end)

    it("counts failures and errors of specs", function()
        program("built/lunarray", "1 success / 1 failure / 2 errors / 0 pending : 0.1 seconds", 3)
        local last, status = run ""
        assert.equal("7 passed, 3 failed", last)
        assert.equal(1, status)
    end)

    it("counts a program that crashes after its tests as failed", function()
        program("built/tests/one_test", "[  PASSED  ] 3 test(s).", 139)
        assert.equal("10 passed, 1 failed", (run ""))
        program("built/lunarray", "4 successes / 0 failures / 0 errors / 0 pending : 0.1 seconds", 1)
        assert.equal("10 passed, 2 failed", (run ""))
    end)

    it("counts a program that ran no test as failed", function()
        program("built/tests/one_test", "", 0)
        program("built/lunarray", "0 successes / 0 failures / 0 errors / 0 pending : 0.1 seconds", 0)
        local last, status = run ""
        assert.equal("3 passed, 2 failed", last)
        assert.equal(1, status)
    end)

    it("counts a program that is not there, or does not end, as failed", function()
        os.remove(tree .. "/built/tests/one_test")
        write("built/lunarray", "#!/bin/sh\ncase $* in *busted*) exec sleep 1000 ;; esac\nexit 1\n") -- 1: no device
        local last, status = run("core spec", 2)
        assert.equal("0 passed, 1 failed", (run "core"))
        assert.equal(1, status)
        assert.equal("0 passed, 2 failed", last)
    end)

    it("counts a failed lint", function()
        program("tests/lint/two.sh", "a violation", 1)
        local last, status, text = run ""
        assert.equal("10 passed, 1 failed", last)
        assert.equal(1, status)
        assert.is_truthy(text:find("a violation", 1, true))
    end)

    it("stops where the build fails, and says why", function()
        program("make", "error: no such thing", 2)
        local last, status, text = run ""
        assert.equal("0 passed, 1 failed", last)
        assert.equal(1, status)
        assert.is_truthy(text:find("error: no such thing", 1, true))
    end)

    it("refuses a suite it does not know", function()
        local last, status = run "everything"
        assert.equal("0 passed, 1 failed", last)
        assert.equal(1, status)
    end)
end)
