-- tests/setup.sh, on a machine that is pretended: a PATH of our own, where programs are missing and
-- apt-get, id and sudo only write down what they are asked.

local shell = require "shell"

-- Without the line's end.
local function capture(command)
    return (shell.capture(command):gsub("\n$", ""))
end

local function read_file(path)
    local file = io.open(path, "rb")
    local text = file and file:read "a" or ""
    if file then
        file:close()
    end
    return text
end

describe("tests/setup.sh", function()
    local machine, bin

    local function install_program(name, text)
        local path = bin .. "/" .. name
        local file = assert(io.open(path, "wb"))
        file:write("#!/bin/sh\n", text, "\n")
        file:close()
        assert(os.execute("chmod +x " .. path))
    end

    -- All programs of this machine, but the ones that the cases bring or take away.
    setup(function()
        machine = capture "mktemp -d"
        assert(os.execute(([[cd '%s' && for dir in /usr/local/bin /bin /usr/bin; do
            ln -sf $dir/* .; done && rm -f luacheck apt-get dnf pacman apk zypper id sudo]]):format(machine)))
    end)

    teardown(function()
        os.execute(("rm -rf '%s'"):format(machine))
    end)

    before_each(function()
        bin = capture "mktemp -d"
    end)

    after_each(function()
        os.execute(("rm -rf '%s'"):format(bin))
    end)

    local function run(what, settings)
        local output = capture(("%sPATH='%s:%s' sh tests/setup.sh %s 2>&1 </dev/null; echo $?"):format(settings or "",
            bin, machine, what))
        return output:gsub("%d+$", ""), tonumber(output:match "%d+$")
    end

    local asked = "sudo apt-get update && sudo apt-get install -y --no-install-recommends lua-check\n"

    it("is silent when all is there, and looks once", function()
        local started = bin .. "/started"
        for name, path in pairs { ["lua5.4"] = capture "command -v lua5.4", gcc = capture "command -v gcc" } do
            if path ~= "" then
                install_program(name, ("echo '%s' \"$*\" >>'%s'; exec '%s' \"$@\""):format(name, started, path))
            end
        end
        install_program("luacheck", "")
        local output, status = run "test"
        assert.equal("", output)
        assert.equal(0, status)
        local known = {}
        for line in read_file(started):gmatch "(%S+ %-%S[^\n]*)" do
            assert.is_nil(known[line], line)
            known[line] = true
        end
    end)

    it("does not ask for the tests' tools to run the program", function()
        local output, status = run "run"
        assert.equal("", output)
        assert.equal(0, status)
    end)

    it("installs exactly what is missing, as root", function()
        install_program("id", "echo 0")
        install_program("apt-get", ([[echo "$DEBIAN_FRONTEND $*" >> '%s/log'
            case $1 in install) ln -s /bin/true '%s/luacheck';; esac]]):format(bin, bin))
        local output, status = run "test"
        assert.equal("setup: installing lua-check\n", output)
        assert.equal(0, status)
        assert.equal("noninteractive update -qq\n"
            .. "noninteractive install -y -qq --no-install-recommends lua-check\n", read_file(bin .. "/log"))
    end)

    it("installs by sudo where that needs no password", function()
        install_program("id", "echo 1000")
        install_program("sudo", ([[echo "$*" >> '%s/log'; shift; case $1 in env) "$@";; esac]]):format(bin))
        install_program("apt-get", ([[case $1 in install) ln -s /bin/true '%s/luacheck';; esac]]):format(bin))
        local _, status = run "test"
        assert.equal(0, status)
        assert.equal("-n true\n-n env DEBIAN_FRONTEND=noninteractive apt-get update -qq\n"
            .. "-n env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq"
            .. " --no-install-recommends lua-check\n", read_file(bin .. "/log"))
    end)

    it("says what to type where it may not install", function()
        install_program("id", "echo 1000")
        install_program("sudo", "exit 1")
        install_program("apt-get", ("echo called > '%s/log'"):format(bin))
        local output, status = run "test"
        assert.is_truthy(output:find(asked, 1, true), output)
        assert.equal(1, status)
        assert.equal("", read_file(bin .. "/log"))
    end)

    -- A machine whose compiler finds no header of a library.
    local function bare(what)
        install_program("gcc", "exit 1")
        return run(what, "CC=gcc SETUP_ROOT=/nonexistent ")
    end

    it("names the packages of the system that it is on, or none", function()
        install_program("id", "echo 0")
        local output, status = bare "build"
        assert.is_truthy(output:find("missing (Debian's names): libc6-dev libxxhash-dev libhwloc-dev", 1, true), output)
        assert.is_falsy(output:find("sudo", 1, true), output)
        assert.equal(1, status)
        for _, row in ipairs {
            { "dnf", "    sudo dnf install glibc-devel xxhash-devel hwloc-devel opencl-headers libpng-devel zlib-devel lua-devel\n" },
            { "pacman", "    sudo pacman -S --needed glibc xxhash hwloc opencl-headers libpng zlib lua54\n" },
            { "apk", "    sudo apk add musl-dev xxhash-dev hwloc-dev opencl-headers libpng-dev zlib-dev lua5.4-dev\n" },
            { "zypper", "    sudo zypper install glibc-devel xxhash-devel hwloc-devel opencl-headers libpng16-devel zlib-devel "
                .. "lua54-devel\n" },
        } do
            install_program(row[1], "exit 1")
            output, status = bare "build"
            assert.is_truthy(output:find(row[2], 1, true), output)
            assert.is_falsy(output:find("apt-get", 1, true), output)
            assert.equal(1, status)
            os.remove(bin .. "/" .. row[1])
        end
    end)

    it("does without the line editor to run the program", function()
        install_program("gcc", "! grep -q histedit")
        local root = bin .. "/root" -- with Lua's header alone
        assert(os.execute(("mkdir -p '%s/usr/include' && cp /usr/include/lua5.4/lua.h '%s/usr/include'"):format(root, root)))
        local output, status = run("run", ("CC=gcc SETUP_ROOT='%s' "):format(root))
        assert.equal("setup: without libedit-dev the prompt has no line editor\n", output)
        assert.equal(0, status)
        output, status = run("check", ("CC=gcc SETUP_ROOT='%s' "):format(root))
        assert.is_truthy(output:find("libedit-dev", 1, true), output)
        assert.equal(1, status)
    end)

    it("says so too when asked only to check", function()
        install_program("id", "echo 0")
        install_program("apt-get", ("echo called > '%s/log'"):format(bin))
        local output, status = run "check"
        assert.is_truthy(output:find(asked, 1, true), output)
        assert.equal(1, status)
        assert.equal("", read_file(bin .. "/log"))
    end)

    it("fails with apt-get's own words when that fails", function()
        install_program("id", "echo 0")
        install_program("apt-get", "echo \"E: Unable to locate package\"; exit 100")
        local output, status = run "test"
        assert.is_truthy(output:find("E: Unable to locate package", 1, true), output)
        assert.is_truthy(output:find(asked, 1, true), output)
        assert.equal(1, status)
    end)

    it("asks for ThreadSanitizer's runtime where clang comes without it", function()
        install_program("id", "echo 1000")
        install_program("luacheck", "")
        install_program("clang", "exit 1")
        local output, status = run "tsan"
        assert.is_truthy(output:find(" libclang-rt-dev", 1, true), output)
        assert.equal(1, status)
        output, status = run "test"
        assert.equal("", output)
        assert.equal(0, status)
    end)

    it("refuses an unknown word", function()
        local _, status = run "everything"
        assert.equal(2, status)
    end)
end)
