"""Runs cells in the kernel of share/jupyter under jupyter_client and says what came back.

usage: jupyter_tools.py FOLDER-OF-KERNELS LUNARRAY
"""

import os
import shutil
import sys
import tempfile

from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpecManager

os.environ["LUNARRAY"] = sys.argv[2]
os.environ["JUPYTER_RUNTIME_DIR"] = tempfile.mkdtemp()

specs = KernelSpecManager(kernel_dirs=[sys.argv[1]])
manager = KernelManager(kernel_name="lunarray", kernel_spec_manager=specs)
manager.kernel_spec.argv[0] = sys.executable
manager.start_kernel()
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=60)


def cell(code, interrupt=False):
    """The reply, and lists of what came on the way, by kind."""
    got = {"stream": [], "display_data": [], "execute_result": [], "error": []}
    message = client.execute(code)
    while True:
        event = client.get_iopub_msg(timeout=120)
        if event["parent_header"].get("msg_id") != message:
            continue
        kind, content = event["msg_type"], event["content"]
        if kind == "status" and content["execution_state"] == "idle":
            break
        if kind == "stream" and interrupt:
            manager.interrupt_kernel()
        if kind in got:
            got[kind].append(content)
    while True:
        reply = client.get_shell_msg(timeout=120)
        if reply["parent_header"].get("msg_id") == message:
            return reply["content"], got


def ask(send, *arguments):
    message = send(*arguments)
    while True:
        reply = client.get_shell_msg(timeout=120)
        if reply["parent_header"].get("msg_id") == message:
            return reply["content"]


def text_of(got):
    return got["execute_result"][0]["data"]["text/plain"]


def printed(got):
    return "".join(part["text"] for part in got["stream"])


try:
    reply, got = cell("a = lun.index(3)")
    assert reply["status"] == "ok" and not got["execute_result"], reply
    reply, got = cell("(a * 2):sum()")
    assert text_of(got) == "12", got
    reply, got = cell("print('hä', 1)")
    assert printed(got) == "hä\t1\n", got
    reply, got = cell("local x = 1\nlocal y = nil + x")
    assert reply["status"] == "error" and "stdin:2: " in reply["traceback"][0], reply
    assert got["error"][0]["ename"] == "runtime", got
    reply, got = cell("x = = 1")
    assert reply["status"] == "error" and reply["ename"] == "syntax", reply
    reply, got = cell("print 'begun' while true do end", interrupt=True)
    assert reply["status"] == "error" and reply["ename"] == "interrupt", reply
    reply, got = cell("a:sum()")
    assert text_of(got) == "6", got
    reply, got = cell("lun.plot(a)")
    assert got["execute_result"][0]["data"]["image/svg+xml"].startswith("<svg "), got
    reply, got = cell("lun.plot(a) lun.hist(a); return 'two'")
    assert len(got["display_data"]) == 1 and text_of(got) == "two", got
    assert got["execute_result"][0]["data"]["image/svg+xml"].startswith("<svg "), got
    reply, got = cell("lun.table{n = lun.index(2), s = {'a<b', 'ü'}}")
    html = got["execute_result"][0]["data"]["text/html"]
    assert "<td>a&lt;b</td>" in html and "<td>ü</td>" in html, html
    reply, got = cell("print(('x'):rep(10000000))")
    assert printed(got) == "x" * 10000000 + "\n"
    reply, got = cell("for i = 1, 3 do print(i) end")
    assert printed(got) == "1\n2\n3\n", got
    assert "sum" in ask(client.complete, "ä = 1 a:su", 10)["matches"]
    assert ask(client.complete, "ä = 1 a:su", 10)["cursor_start"] == 8
    assert "the sum" in ask(client.inspect, "a:sum(1)", 3)["data"]["text/plain"]
    assert ask(client.is_complete, "for i = 1, 2 do")["status"] == "incomplete"
    assert ask(client.is_complete, "x = 1")["status"] == "complete"
    assert ask(client.is_complete, "x = = 1")["status"] == "invalid"
    manager.restart_kernel()
    client.wait_for_ready(timeout=60)
    reply, got = cell("a == nil")
    assert text_of(got) == "true", got
    print("all cells")
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    shutil.rmtree(os.environ["JUPYTER_RUNTIME_DIR"])
