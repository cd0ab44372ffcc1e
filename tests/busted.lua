-- Runs busted in the interpreter that runs this file, so that specs see the program itself:
-- build/lunarray tests/busted.lua [busted's options] [spec files].
require "busted.runner" { standalone = false }
