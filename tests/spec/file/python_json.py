# Writes python_json.lua: JSON texts, most of them damaged, and what Python's json module makes of them; a key twice in an
# object and half of a surrogate pair are refused besides.
#     python3 tests/spec/file/python_json.py > tests/spec/file/python_json.lua
import json
import math
import random
import sys

random.seed(20260701)
CASES = r'''
1|-1|0|-0|0.0|-0.0|1.5|1e3|1E+3|1e-3|-12.75e-2|9007199254740993|9223372036854775807|9223372036854775808|-9223372036854775808
18446744073709551615|18446744073709551616|123456789012345678901234567890|1e308|1e999|-1e999|5e-324|2.2250738585072014e-308
0.1|0.30000000000000004|123456789.123456789|1.7976931348623157e308|NaN|Infinity|-Infinity|true|false
01|-01|00|1.|.5|+1|1e|1e+|1.e3|-|--1|0x10|1_000|1,|1 2|nan|inf|-NaN|+Infinity|Infinit|True|TRUE|nul|nulll|truefalse|None
""|"a"|"é"|"\u00e9"|"\ud83d\ude00"|"\uD83D\uDE00"|"\\\"\/\b\f\n\r\t"|"\u0000"|"a\u0000b"|"\ud83d"|"\ude00"|"\ud83dx"|"\ud83d\u0041"
"\x"|"\u12"|"\u12g4"|"\"|"|'a'|"a|"a" "b"|"\ud83d\ud83d"|"\u"
[]|[1]|[1,2]|[1,[2,[3]]]|[ 1 , 2 ]|[1,]|[,1]|[1,,2]|[1 2]|[|]|[1|[1,|[[]|[]]|[1]x|["a",1,true,null,{}]|[null,null]
{}|{"a":1}|{"a":{"b":[1,{}]}}|{ "a" : 1 , "b" : 2 }|{"a":1,}|{,"a":1}|{"a"}|{"a":}|{"a" 1}|{a:1}|{'a':1}|{1:2}|{"a":1 "b":2}|{|}
{"a":1|{"a":1,|{"a":1}}|{"":1}|{"a":null,"b":1}|{"a":1,"a":2}|{"a":null,"a":1}|{"\u0061":1,"a":2}|{"a":[{"b":1},{"b":2}]}
// x|/* x */ 1|1 // x|# x|[1] # x|{"a":1}{"b":2}|[1][2]|{"a":[1,2,{"c":"\u20ac"}],"b":-0}
'''


class Refused(Exception):
    pass


def pairs(items):
    names = [name for name, _ in items]
    if len(set(names)) < len(names):
        raise Refused
    return dict(items)


def lua_text(s):
    out = ""
    for byte in s.encode("utf-8"):
        out += chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\' else "\\%03d" % byte
    return '"' + out + '"'


def lua(x, inside):
    if x is None:
        return "null"
    if x is True or x is False:
        return "true" if x else "false"
    if isinstance(x, int) and -2 ** 63 <= x < 2 ** 63:
        return "math.mininteger" if x == -2 ** 63 else str(x)
    if isinstance(x, (int, float)):
        x = float(x)
        if math.isnan(x):
            return "nan"
        return "%smath.huge" % ("-" if x < 0 else "") if math.isinf(x) else x.hex()
    if isinstance(x, str):
        return lua_text(x)
    if isinstance(x, list):
        return "{ " + ", ".join(lua(y, True) for y in x) + " }"
    fields = [(k, v) for k, v in x.items() if v is not None]
    if not fields:
        return "object {}"
    return "{ " + ", ".join("[%s] = %s" % (lua_text(k), lua(v, True)) for k, v in fields) + " }"


def read(text):
    try:
        value = json.loads(text, object_pairs_hook=pairs)
        return lua(value, False)
    except (ValueError, Refused, RecursionError):
        return None


def value(depth):
    kind = random.randrange(8 if depth < 4 else 5)
    if kind == 0:
        return random.choice([0, -1, 2 ** 53 + 1, 2 ** 63 - 1, random.randrange(-10 ** 9, 10 ** 9)])
    if kind == 1:
        return random.choice([0.5, 1e-7, 1e22, random.random() * 10 ** random.randrange(-20, 20)])
    if kind == 2:
        return random.choice([True, False, None])
    if kind < 5:
        return "".join(random.choice('aZ é漢😀"\\/\n\t\x01') for _ in range(random.randrange(12)))
    if kind == 5:
        return [value(depth + 1) for _ in range(random.randrange(4))]
    return {value_name(): value(depth + 1) for _ in range(random.randrange(4))}


def value_name():
    return random.choice(["a", "b", "name", "é", "", "x\ny"]) + str(random.randrange(5))


def damaged(text):
    k = random.randrange(len(text) + 1)
    what = random.randrange(4)
    if what == 0:
        return text[:k]
    if what == 1:
        return text[:k] + text[k + 1:]
    if what == 2:
        return text[:k] + random.choice('",:[]{}0\\ue.-\n\x02 ') + text[k:]
    return text[:k] + text[k:k + 1] * 2 + text[k + 1:]


texts = [t for line in CASES.split("\n") for t in line.split("|") if t]
texts += ['"a\nb"', '"a\tb"', '"\x7f"', " \t\r\n1 \n", "\u00a01", "\v1", "\f1", "[1,\n2]", '"a\x00b"', "\x00", "", " "]
for _ in range(500):
    text = json.dumps(value(0), ensure_ascii=random.random() < 0.5, indent=random.choice([None, None, 1]))
    texts += [text, damaged(text), damaged(damaged(text))]

print("-- Written by python_json.py with Python %d.%d.%d." % sys.version_info[:3])
print("-- luacheck: no max line length\n")
print('local null, object, nan = require("lunarray").json.null, require("lunarray").json.object, 0.0 / 0.0\n')
print("-- Texts with their values; nothing: they are refused.\nreturn {")
for text in texts:
    got = read(text)
    print("    { %s%s }," % (lua_text(text), "" if got is None else ", " + got))
print("}")
