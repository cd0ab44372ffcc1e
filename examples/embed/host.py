"""A host in Python without a package of Lunarray's: a script computes on a table of pyarrow's, and pyarrow takes the result. No
element is copied. usage: python host.py liblunarray.so.0
It prints {'day': [1, 3], 'rain': [2.0, 5.0]}"""
import ctypes
import sys

import pyarrow

library = ctypes.CDLL(sys.argv[1])
library.lun_error.restype = ctypes.c_char_p
engine = ctypes.c_void_p()


def check(status):
    if status:
        raise RuntimeError(library.lun_error(engine).decode())


class Stream(ctypes.Structure):  # struct ArrowArrayStream
    _fields_ = [(name, ctypes.c_void_p) for name in "get_schema get_next get_last_error release private_data".split()]


check(library.lun_open(None, ctypes.byref(engine)))
table = pyarrow.table({"day": [1, 2, 3], "rain": [2.0, None, 5.0]})
given, address = Stream(), ctypes.c_double()
pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches())._export_to_c(ctypes.addressof(given))
script = f"""
t = lun.arrow.import({ctypes.addressof(given)})
stream = lun.arrow.export(t:dropna())
address = stream:address()"""
check(library.lun_dostring(engine, script.encode()))
check(library.lun_getnumber(engine, b"address", ctypes.byref(address)))
print(pyarrow.RecordBatchReader._import_from_c(int(address.value)).read_all().to_pydict())
try:
    check(library.lun_dostring(engine, b"lun.arrow.import(stream)"))
except RuntimeError as failure:
    assert "the stream is empty" in str(failure)
library.lun_close(engine)
