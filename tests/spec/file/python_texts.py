# Writes python_texts.lua: csv texts of Python's csv module in several dialects, and the values that it was given.
#     python3 tests/spec/file/python_texts.py > tests/spec/file/python_texts.lua
import csv
import io
import random
import sys

random.seed(20240229)
LETTERS = ["a", "B", "é", "Ω", "漢", "😀", '"', ",", ";", "\t", "|", "\n", "\r\n", " ", "'", "\\", "1", "0", ".", "-", "#"]
WHOLE = ["NA", "null", "", None, "007", "1e5", "true", "2024-01-05", "  ", "long text of more than twelve bytes", "x" * 40]
DIALECTS = [
    (",", csv.QUOTE_MINIMAL, "\n"), (",", csv.QUOTE_ALL, "\r\n"), (";", csv.QUOTE_MINIMAL, "\r\n"),
    ("\t", csv.QUOTE_NONNUMERIC, "\n"), ("|", csv.QUOTE_MINIMAL, "\n"), (",", "null", "\n"), (";", "null", "\r\n"),
]


def value():
    if random.random() < 0.4:
        return random.choice(WHOLE)
    return "".join(random.choice(LETTERS) for _ in range(random.randint(1, 12)))


def lua(x):
    if x is None:
        return "NA"
    return '"' + "".join("\\n" if c == "\n" else "\\r" if c == "\r" else "\\t" if c == "\t" else
                         "\\" + c if c in '"\\' else c for c in x) + '"'


def written(rows, separator, quoting, ending):
    out = io.StringIO()
    if quoting == "null":  # None without quotes, all texts in them
        for row in rows:
            out.write(separator.join("" if x is None else '"' + x.replace('"', '""') + '"' for x in row) + ending)
        return out.getvalue()
    csv.writer(out, delimiter=separator, quoting=quoting, lineterminator=ending).writerows(rows)
    return out.getvalue()


def seen(x, quoting):
    """What a reader can know: this module writes None and the empty text alike."""
    if x or quoting == "null":
        return x
    return "" if quoting in (csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC) else None


print("-- Written by python_texts.py with Python %s.\n-- luacheck: no max line length\nlocal NA = require(\"lunarray\").na\n\nreturn {" % sys.version.split()[0])
for separator, quoting, ending in DIALECTS:
    for count in (1, 2, 40):
        rows = [["x%d" % k for k in range(3)]] + [[value() for _ in range(3)] for _ in range(count - 1)]
        if quoting == csv.QUOTE_NONNUMERIC:
            rows = [["" if x is None else x for x in row] for row in rows]
        text = written([["a", "b", "c"]] + rows, separator, quoting, ending)
        print("    { separator = %s, text = %s," % (lua(separator), lua(text)))
        print("        columns = {")
        for k in range(3):
            print("            { %s }," % ", ".join(lua(seen(row[k], quoting)) for row in rows))
        print("        } },")
print("}")
