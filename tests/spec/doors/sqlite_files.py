# Writes sqlite_made.db by Python's sqlite3, or says what is in a database, for sqlite_spec.lua.
#     python3 tests/spec/doors/sqlite_files.py make tests/spec/doors/sqlite_made.db
#     python3 tests/spec/doors/sqlite_files.py tell FILE TABLE
import os
import sqlite3
import sys


def make(path):
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.executescript("""
        create table kinds (i, f, mixed, s, b boolean, d date, gone, big, "a ""b" text);
        create view seen as select i, s from kinds where i > 0;
        create table binary_ (n integer, x);
        create table rounded (x);
        create table latin (s);
        create table nul (s);
    """)
    db.executemany("insert into kinds values (?, ?, ?, ?, ?, ?, ?, ?, ?)", [
        (1, 0.5, 1, "x", 1, "2024-01-31", None, 2 ** 63 - 1, "q"),
        (None, 2, "two", "", 0, None, None, -2 ** 63, None),
        (-3, None, 2.5, "漢字 and more than twelve bytes", None, "1969-12-31", None, 0, "r"),
    ])
    db.executemany("insert into binary_ values (?, ?)", [(1, "t"), (2, b"\x00\xff"), (3, None)])
    db.executemany("insert into rounded values (?)", [(0.5,), (2 ** 53 + 1,)])
    db.execute("insert into latin values (cast(x'61ff' as text))")
    db.execute("insert into nul values (cast(x'610062' as text))")
    db.commit()
    db.execute("vacuum")
    db.close()


def tell(path, table):
    db = sqlite3.connect(path)
    cursor = db.execute('select * from "%s"' % table)
    print([c[0] for c in cursor.description], [r[2] for r in db.execute('pragma table_info("%s")' % table)])
    for row in cursor:
        print(*[repr(x) for x in row])


make(sys.argv[2]) if sys.argv[1] == "make" else tell(*sys.argv[2:])
