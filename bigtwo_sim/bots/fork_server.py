"""A process that starts others in milliseconds: it has imported what they need, and they are copies of it.

An agent in a process of its own that dies must be cheap to start again, and to import this package takes a second. So
the engine starts one server (never a copy of itself, whose threads a fork would not copy), which imports what it is
asked for, forks, and tells how each child ended. No code of an agent ever runs in the server. A child has a session of
its own; what is left of it is killed when the engine lets go of it, also when the engine is gone. POSIX only.

A request is one line of JSON with the file descriptors of a control socket and of the child's standard streams. On its
control socket the child first says `p PID`, then the server `e STATUS` when it has ended (as `Popen.returncode`) or
`s SIGNAL` when it has been stopped.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import psutil

_FDS = 4  # of a request: control, standard input, output and error; one more is a connection for the child
_MOST = 65_536
_IMPORTING = 900.0  # seconds that imports may take, which on a first run compile
_DEPARTURE = 10.0  # seconds within which a killed process is gone
_LOOK = 1.0  # seconds after which a server that does not answer is woken
_ATTEMPTS = 3
_PROGRAM = "import sys\nsys.path[:] = {path!r}\nfrom bigtwo_sim.bots.fork_server import serve\nserve({descriptor})\n"


# --- the engine's side ------------------------------------------------------------------------------------------------
class LaunchError(OSError):
    """A process that cannot be started; the text says why."""


class Child:
    """A process that the server started: `pid`, and once it is known to have ended, `returncode` as of a Popen.

    A process whose server was killed meanwhile has the return code None also when it has ended.
    """

    def __init__(self, pid: int, control: socket.socket, received: bytes) -> None:
        self.pid = pid
        self.control = control
        self.returncode: int | None = None
        self.stopped_by = 0
        """The signal that has stopped it; 0: none."""
        self._received = received
        self._lost = False
        control.setblocking(False)

    def has_ended(self) -> bool:
        """Whether it has ended. It stays a zombie until `reap`, so that its number cannot become another's."""
        if self.returncode is not None:
            return True
        try:
            while not self._lost:
                data = self.control.recv(_MOST)
                self._lost = not data
                self._received += data
        except BlockingIOError:
            pass
        except OSError:
            self._lost = True
        *lines, self._received = self._received.split(b"\n")
        for line in lines:
            kind, _, value = line.partition(b" ")
            if kind == b"e":
                self.returncode = int(value)
            elif kind == b"s":
                self.stopped_by = int(value)
        return self.returncode is not None or (self._lost and not _is_alive(self.pid))

    def reap(self) -> None:
        """Wait for the end of a process that was killed, and let its number go."""
        deadline = time.monotonic() + _DEPARTURE
        while not self.has_ended() and time.monotonic() < deadline:
            if self._lost:
                time.sleep(0.01)
            else:
                select.select([self.control], [], [], 0.1)
        self.control.close()


def _is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


class ForkServer:
    """A server, which starts when it is first needed; in a worker process that of the engine."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._pid = 0

    def launch(
        self, target: str, preload: Sequence[str], streams: Sequence[int], connection: socket.socket | None = None
    ) -> Child:
        """Start a process that calls `target` ("module:function") with these standard streams.

        `preload` are modules that the server imports before. Through `connection`, of `connect`, the child can have
        agents started itself. Raises LaunchError.
        """
        request = json.dumps({"target": target, "preload": list(preload)}).encode() + b"\n"
        handed_on = [] if connection is None else [connection.fileno()]
        reason = ""
        with self._lock:
            for _ in range(_ATTEMPTS):  # an agent may have killed the server
                ours, theirs = socket.socketpair()
                try:
                    self._send(request, [theirs.fileno(), *streams, *handed_on])
                    theirs.close()
                    line, received = self._first_line(ours)
                    kind, _, value = line.partition(b" ")
                    if kind == b"p":
                        return Child(int(value), ours, received)
                    ours.close()
                    if kind == b"x":
                        raise LaunchError(value.decode("utf-8", "backslashreplace"))
                    reason = "it ended"
                except (ConnectionError, TimeoutError) as error:
                    ours.close()
                    reason = str(error)
                finally:
                    theirs.close()
                self._end()
        raise LaunchError(f"the server that starts processes failed {_ATTEMPTS} times ({reason})")

    def connect(self) -> socket.socket:
        """A connection of its own to the server, for another process. Raises LaunchError."""
        ours, theirs = socket.socketpair()
        with self._lock, theirs:
            for _ in range(_ATTEMPTS):
                try:
                    self._send(b'{"connect": true}\n', [theirs.fileno()])
                except ConnectionError:
                    self._end()
                else:
                    return ours
        ours.close()
        raise LaunchError("the server that starts processes cannot be reached")

    def _send(self, request: bytes, descriptors: list[int]) -> None:
        if self._socket is None:
            self._start()
        assert self._socket is not None
        sent = socket.send_fds(self._socket, [request], descriptors)
        self._socket.sendall(request[sent:])

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        # The modules of a user's folder must not come before those that the server imports.
        program = _PROGRAM.format(path=sys.path, descriptor=theirs.fileno())
        flags: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        try:
            self._process = subprocess.Popen(
                [sys.executable, *flags, "-c", program],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # so that Ctrl-C in the terminal does not reach it
            )
        except OSError as error:
            ours.close()
            raise LaunchError(f"{sys.executable}: {error.strerror or error}") from None
        finally:
            theirs.close()
        self._socket = ours
        self._pid = self._process.pid

    def _first_line(self, control: socket.socket) -> tuple[bytes, bytes]:
        """The first line on a control socket (b"": it was closed), and what follows it."""
        deadline = time.monotonic() + _IMPORTING
        control.settimeout(_LOOK)
        received = b""
        while b"\n" not in received:
            try:
                data = control.recv(_MOST)
            except TimeoutError:
                if time.monotonic() >= deadline:
                    raise
                self._wake()
                continue
            if not data:
                return b"", b""
            received += data
        line, _, received = received.partition(b"\n")
        return line, received

    def _wake(self) -> None:
        """Have the server go on, which an agent may have stopped; a signal that does nothing else."""
        if self._pid:
            with contextlib.suppress(OSError):
                os.kill(self._pid, signal.SIGCONT)

    def adopt(self, connection: socket.socket) -> None:
        """Use this connection to a server that runs, in a child that it started."""
        self._process, self._socket, self._pid = None, connection, 0

    def _end(self) -> None:
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process, self._socket, self._pid = None, None, 0

    def end(self) -> None:
        """End the server, and all that it started and that is left."""
        with self._lock:
            if self._socket is not None:
                self._socket.close()
                if self._process is not None:
                    try:
                        self._process.wait(_DEPARTURE)
                    except subprocess.TimeoutExpired:
                        self._process.kill()
                        self._process.wait()
            self._process, self._socket, self._pid = None, None, 0

    def forget(self) -> None:
        """In a copy of this process: the server is the original's."""
        self._lock = threading.Lock()
        self._process, self._socket, self._pid = None, None, 0


AGENTS, WORKERS = ForkServer(), ForkServer()
"""The servers of this process. A worker needs much more of this package than an agent, and the more a process has
imported, the longer takes a copy of it."""
for _server in (AGENTS, WORKERS):
    atexit.register(_server.end)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_server.forget)


# --- the server -------------------------------------------------------------------------------------------------------
class _Server:
    def __init__(self, first: socket.socket) -> None:
        self._first = first
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, socket.socket] = {}
        self._ended: set[int] = set()
        self._clients = {first}
        self._selector.register(first, selectors.EVENT_READ, self._request)
        self._wakeup, wakes = socket.socketpair()
        self._wakes = wakes
        self._wakeup.setblocking(False)
        wakes.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        self._selector.register(self._wakeup, selectors.EVENT_READ, self._look_at_children)

    def run(self) -> None:
        while self._first in self._clients:
            for key, _ in self._selector.select():
                if key.fileobj in self._known():  # it may have been let go of since
                    key.data(key.fileobj)
        for pid in list(self._children):
            self._let_go(pid)

    def _known(self) -> set[Any]:
        return {*self._clients, *self._children.values(), self._wakeup}

    # --- requests -----------------------------------------------------------------------------------------------------
    def _request(self, client: socket.socket) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(client, _MOST, _FDS + 1)
            while data and not data.endswith(b"\n"):
                data += client.recv(_MOST)
        except OSError:
            data, descriptors = b"", []
        if not data or not descriptors:
            self._selector.unregister(client)
            self._clients.discard(client)
            client.close()
            return
        request, sockets = json.loads(data), [socket.socket(fileno=descriptors[0])]
        if "connect" in request:
            self._clients.add(sockets[0])
            self._selector.register(sockets[0], selectors.EVENT_READ, self._request)
            return
        sockets += [socket.socket(fileno=descriptor) for descriptor in descriptors[_FDS:]]
        self._launch(request, sockets, descriptors[1:_FDS])

    def _launch(self, request: dict[str, Any], sockets: list[socket.socket], streams: list[int]) -> None:
        control, *connections = sockets
        pid = -1
        try:
            for module in request["preload"]:
                if module not in sys.modules:
                    importlib.import_module(module)
                    gc.collect()
                    gc.freeze()  # so that no child copies what none of them changes
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the threads of NumPy's library survive a fork
                pid = os.fork()
        except BaseException as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            with contextlib.suppress(OSError):
                control.sendall(f"x {text}\n".encode("utf-8", "backslashreplace"))
            control.close()
        if pid == 0:
            _become(request["target"], self._known() - {control}, [self._wakes], control, streams, connections)
        for descriptor in streams:
            os.close(descriptor)
        for connection in connections:
            connection.close()
        if pid < 0:
            return
        self._children[pid] = control
        self._selector.register(control, selectors.EVENT_READ, lambda _, pid=pid: self._let_go(pid))

    # --- children -----------------------------------------------------------------------------------------------------
    def _look_at_children(self, wakeup: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError):
            while wakeup.recv(_MOST):
                pass
        for pid, control in list(self._children.items()):
            if pid in self._ended:
                continue
            told = self._state_of(pid)
            if told:
                with contextlib.suppress(OSError):
                    control.sendall(told)

    def _state_of(self, pid: int) -> bytes:
        if not hasattr(os, "waitid"):
            found, status = os.waitpid(pid, os.WNOHANG)
            if not found:
                return b""
            self._ended.add(pid)
            return f"e {os.waitstatus_to_exitcode(status)}\n".encode()
        state = os.waitid(os.P_PID, pid, os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
        if state is None:
            return b""
        if state.si_code == os.CLD_STOPPED:
            return f"s {state.si_status}\n".encode()
        self._ended.add(pid)
        return f"e {state.si_status if state.si_code == os.CLD_EXITED else -state.si_status}\n".encode()

    def _let_go(self, pid: int) -> None:
        """The engine does not want this child any more."""
        control = self._children.pop(pid)
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(pid, 0)
        self._ended.discard(pid)
        self._selector.unregister(control)
        control.close()


def _become(
    target: str,
    sockets: set[Any],
    others: Sequence[Any],
    control: socket.socket,
    streams: Sequence[int],
    connections: Sequence[socket.socket],
) -> None:
    """In the child: be a process like any other, call the target, and end."""
    code = 1
    try:
        os.setsid()
        atexit._clear()  # they are the server's
        signal.set_wakeup_fd(-1)
        for of_server in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(of_server, signal.SIG_DFL)
        for other in (*sockets, *others):
            other.close()
        for number, descriptor in enumerate(streams):
            os.dup2(descriptor, number)
            os.close(descriptor)
        control.sendall(f"p {os.getpid()}\n".encode())
        control.close()
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1)  # noqa: SIM115
            for number, mode in enumerate(("r", "w", "w"))
        )
        for connection in connections:
            AGENTS.adopt(connection)
        module, _, function = target.partition(":")
        call: Callable[[], Any] = getattr(importlib.import_module(module), function)
        call()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException as error:
        with contextlib.suppress(BaseException):
            sys.excepthook(type(error), error, error.__traceback__)
    finally:
        with contextlib.suppress(BaseException):
            atexit._run_exitfuncs()
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def serve(descriptor: int) -> None:
    """Serve the engine at the other end of a socket until it is gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.argv[:] = [""]
    _Server(socket.socket(fileno=descriptor)).run()
