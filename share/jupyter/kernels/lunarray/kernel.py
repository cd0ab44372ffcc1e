"""A Jupyter kernel over `lunarray --session`: sockets, signatures and comms are ipykernel's work.

LUNARRAY names the program, `lunarray` by default; LUNARRAY_OPTIONS further options, such as --sandbox.
"""

import json
import os
import re
import signal
import subprocess

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class LunarrayKernel(Kernel):
    implementation = "lunarray"
    implementation_version = "0.1"
    banner = "Lunarray"
    language_info = {"name": "lua", "mimetype": "text/x-lua", "file_extension": ".lua", "version": "5.4"}

    def __init__(self, **options):
        super().__init__(**options)
        command = [os.environ.get("LUNARRAY", "lunarray"), "--session"]
        command += os.environ.get("LUNARRAY_OPTIONS", "").split()
        self.session_of = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )

    def ask(self, do, show=None, **fields):
        """The answer to a request; show is called with what comes before it."""
        self.session_of.stdin.write(json.dumps({"id": 1, "do": do, **fields}).encode() + b"\n")
        self.session_of.stdin.flush()
        while True:
            try:
                line = self.session_of.stdout.readline()
            except KeyboardInterrupt:
                self.session_of.send_signal(signal.SIGINT)
                continue
            if not line:
                message = "lunarray has ended: restart the kernel"
                return {"ok": False, "error": {"code": "ended", "message": message}}
            answer = json.loads(line)
            if "ok" in answer:
                return answer
            if show:
                show(answer)

    def show(self, part):
        if part["out"]:
            self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": part["out"]})
        if "svg" in part:
            content = {"data": {"image/svg+xml": part["svg"]}, "metadata": {}}
            self.send_response(self.iopub_socket, "display_data", content)

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **more):
        answer = self.ask("run", None if silent else self.show, text=code)
        counted = {"execution_count": self.execution_count}
        if not answer["ok"]:
            error = answer["error"]
            place = f"{error['file']}:{error['line']}: " if "line" in error else ""
            lines = [place + error["message"]] + [error[key] for key in ("hint",) if key in error]
            fault = {"ename": error["code"], "evalue": error["message"], "traceback": lines}
            if not silent:
                self.send_response(self.iopub_socket, "error", fault)
            return {"status": "error", **counted, **fault}
        result = answer["result"]
        kinds = {"text": "text/plain", "html": "text/html", "svg": "image/svg+xml"}
        data = {kinds[key]: value for key, value in result.items()}
        if data and not silent:
            self.send_response(self.iopub_socket, "execute_result", {"data": data, "metadata": {}, **counted})
        return {"status": "ok", **counted, "payload": [], "user_expressions": {}}

    def do_complete(self, code, cursor_pos):
        before = code[:cursor_pos]
        result = self.ask("complete", text=before).get("result", {"matches": [], "from": 0})
        start = len(before.encode()[: result["from"]].decode(errors="ignore"))
        ends = {"cursor_start": start, "cursor_end": cursor_pos}
        return {"status": "ok", "matches": result["matches"], **ends, "metadata": {}}

    def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        before, after = re.search(r"[\w.:]*$", code[:cursor_pos]), re.match(r"\w*", code[cursor_pos:])
        answer = self.ask("help", text=before.group() + after.group()) if before.group() else {"ok": False}
        data = {"text/plain": answer["result"]["text"]} if answer["ok"] else {}
        return {"status": "ok", "found": bool(data), "data": data, "metadata": {}}

    def do_is_complete(self, code):
        result = self.ask("whole", text=code).get("result", {"whole": True})
        if "message" in result:
            return {"status": "invalid"}
        return {"status": "complete"} if result["whole"] else {"status": "incomplete", "indent": "    "}

    def do_shutdown(self, restart):
        self.session_of.kill()
        return {"status": "ok", "restart": restart}


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=LunarrayKernel)
