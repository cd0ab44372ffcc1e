# Tables of pandas written as Lua, for pandas_values.py and series_values.py; and numbers without a pattern, always the same.
import math
import textwrap

import numpy as np
import pandas as pd


def lua(x):
    if x is None or x is pd.NA or x is pd.NaT or isinstance(x, float) and math.isnan(x):
        return "NA"
    if isinstance(x, pd.Timestamp):
        return '"%s"' % x.isoformat(" ")
    if isinstance(x, str):
        return '"%s"' % x
    if isinstance(x, (bool, np.bool_)):
        return str(bool(x)).lower()
    return repr(float(x)) if isinstance(x, (float, np.floating)) else repr(int(x))


def table(name, df):
    print("    %s = {" % name)
    for column in df.columns:
        print('        { "%s", {' % column)
        values = ", ".join(lua(x).replace(" ", "\0") for x in df[column].tolist())
        print(textwrap.fill(values, 110, initial_indent=" " * 12, subsequent_indent=" " * 12, break_long_words=False,
                            break_on_hyphens=False).replace("\0", " "))
        print("        } },")
    print("    },")


def head(file):
    print("-- Written by %s with pandas %s.\nlocal NA = require(\"lunarray\").na\n\nreturn {" % (file, pd.__version__))


def numbers(state):
    def number(n):
        nonlocal state
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        return (state >> 8) % n
    return number
