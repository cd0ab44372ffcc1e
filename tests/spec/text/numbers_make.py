"""Makes numbers_made.lua: numbers as Python writes them, and what Python's float and int take texts for.
usage: python3 numbers_make.py >numbers_made.lua"""
import math
import random
import struct

rng = random.Random(4)


def shortest(x):
    """As %.17g would write it, with as few digits, at least 15, as read back."""
    if math.isnan(x) or math.isinf(x):
        return str(x)
    s = next(s for s in ("%.*g" % (n, x) for n in (15, 16, 17)) if float(s) == x)
    return s if any(c in s for c in ".e") else s + ".0"


values = [0.0, -0.0, 0.1, 1 / 3, 1e15, 999999999999999.0, 1e22, 1e23, 5e-324, 1.7976931348623157e308, 0.0001, 0.00001, 123456.75,
          -2.5, 1e14 + 0.5, 0.1 + 0.2, 2.0 ** 53, math.inf, -math.inf, math.nan, 4.35, 0.000123, 1e-4 + 1e-10]
values += [struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0] for _ in range(120)]
values += [round(rng.uniform(-1e4, 1e4), rng.randrange(7)) for _ in range(120)]
texts = ["1", " 2.5\t", "-inf", "+Infinity", "NAN", "1e400", "123456789012345678901234567890", "0x10", ".5", "5.", "1e", "1e+", ".",
         "", " ", "1_000", "1,5", "9007199254740993", "0.1e-320", "00012", "+7", "--7", "1e-400", "1 2", "inf1", "٣",
         "0." + "0" * 400 + "1e401", "1" + "0" * 600, "4.35e-5", "179769313486231580793e289", "2.2250738585072011e-308"]
texts += ["%.*e" % (rng.randrange(25), struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]) for _ in range(100)]


def real(s):
    try:
        return float(s).hex() if "_" not in s and s.isascii() else None
    except ValueError:
        return None


whole = ["0", "-0", "+5", " 12 ", "007", "127", "128", "-128", "-129", "255", "256", "-1", "65535", "65536", "2147483647", "2147483648",
         "-2147483648", "-2147483649", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
         "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
         "000000000000000000000000012", "1.0", "1e3", "", "-", "abc", "1 2", "99999999999999999999999999"]
ENDS = {"i8": (-2 ** 7, 2 ** 7 - 1), "u8": (0, 2 ** 8 - 1), "i16": (-2 ** 15, 2 ** 15 - 1), "u16": (0, 2 ** 16 - 1),
        "i32": (-2 ** 31, 2 ** 31 - 1), "u32": (0, 2 ** 32 - 1), "i64": (-2 ** 63, 2 ** 63 - 1), "u64": (0, 2 ** 64 - 1)}


def integer(s, ends):
    try:
        n = int(s)
    except ValueError:
        return None
    return str(n) if ends[0] <= n <= ends[1] else None


def quoted(s):
    if s is None:
        return "false"
    s = s.replace("\t", "\\t")
    return '"' + '"\n            .. "'.join(s[k:k + 100] for k in range(0, max(len(s), 1), 100)) + '"'


print("-- Made by numbers_make.py: { bits, text }, { text, the float in hexadecimal digits }, { text, integers by dtype }.")
print("return {\n    shortest = {")
for x in values:
    form, digits = rng.choice(["%.3f", "%10.2e", "%g", "%+08.1f"]), shortest(x)
    print('        { 0x%016x, "%s",\n            "%s", %s },' % (struct.unpack("<Q", struct.pack("<d", x))[0], digits, form, quoted(form % x)))
print("    },\n    reals = {")
for s in texts:
    print("        { %s, %s }," % (quoted(s), quoted(real(s))))
print("    },\n    integers = {")
for s in whole:
    print("        { %s, %s }," % (quoted(s), ", ".join("%s = %s" % (t, quoted(integer(s, ENDS[t]))) for t in ENDS if integer(s, ENDS[t]))))
print("    },\n}")
