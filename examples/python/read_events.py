#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the events of a recorded run, one JSON line each.   usage: read_events.py FILE

The library is looked for as the system does, or taken from DRAGOMAN_LIBRARY. Nothing but the
standard library is needed.
"""
import ctypes
import ctypes.util
import os
import signal
import sys

EventFn = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


def load():
    path = os.environ.get("DRAGOMAN_LIBRARY") or ctypes.util.find_library("dragoman")
    if path is None:
        sys.exit("read_events.py: libdragoman.so was not found; install it or set DRAGOMAN_LIBRARY")
    library = ctypes.CDLL(path)
    library.dragoman_version.restype = ctypes.c_char_p
    library.dragoman_last_error.restype = ctypes.c_char_p
    library.dragoman_reader_dialect.restype = ctypes.c_char_p
    library.dragoman_reader_dialect.argtypes = [ctypes.c_void_p]
    library.dragoman_reader_open.restype = ctypes.c_void_p
    library.dragoman_reader_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    library.dragoman_reader_push.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, EventFn, ctypes.c_void_p]
    library.dragoman_reader_finish.argtypes = [ctypes.c_void_p, EventFn, ctypes.c_void_p]
    library.dragoman_reader_free.argtypes = [ctypes.c_void_p]
    return library


class Reader:
    """Turns bytes into events; each is given to `on_event` as a JSON string."""

    def __init__(self, library, on_event, dialect="auto", mode="default"):
        self._library = library
        self._on_event = on_event
        self._raised = None
        # Kept as long as the reader: ctypes frees a callback that nobody refers to.
        self._callback = EventFn(self._call)
        self._reader = library.dragoman_reader_open(dialect.encode(), mode.encode(), None)
        if not self._reader:
            raise ValueError(library.dragoman_last_error().decode())

    def push(self, data):
        self._check(self._library.dragoman_reader_push(
            self._reader, data, len(data), self._callback, None))

    def finish(self):
        self._check(self._library.dragoman_reader_finish(self._reader, self._callback, None))

    @property
    def dialect(self):
        return self._library.dragoman_reader_dialect(self._reader).decode()

    def close(self):
        self._library.dragoman_reader_free(self._reader)
        self._reader = None

    # ctypes only prints what a callback raises, so it is kept for who called the reader.
    def _call(self, json, length, _):
        if self._raised is None:
            try:
                self._on_event(ctypes.string_at(json, length).decode("utf-8"))
            except BaseException as error:
                self._raised = error

    def _check(self, status):
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        if status != 0:
            raise RuntimeError(self._library.dragoman_last_error().decode())


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: read_events.py FILE")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever reads us may stop: quietly, as cat
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    library = load()
    reader = Reader(library, print)
    with open(sys.argv[1], "rb") as run:
        while data := run.read(4096):
            reader.push(data)
    reader.finish()
    print(f"dragoman {library.dragoman_version().decode()} read it as {reader.dialect}",
          file=sys.stderr)
    reader.close()


if __name__ == "__main__":
    main()
