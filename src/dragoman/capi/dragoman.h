/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dragoman's C interface: bytes of an agent's output in, events as JSON lines out.
 *
 *   dragoman_reader *reader = dragoman_reader_open("auto", NULL, NULL);
 *   while (...) dragoman_reader_push(reader, bytes, count, print_event, NULL);
 *   dragoman_reader_finish(reader, print_event, NULL);
 *   dragoman_reader_free(reader);
 *
 * A reader is total: malformed input becomes an event that says so, never an error. The only
 * errors are wrong arguments and lack of memory.
 *
 * Threads: a reader may be used by one thread at a time; different readers are independent. The
 * callback runs on the calling thread, during push, idle or finish. It must not throw or jump out.
 * A call on the reader it is called by is refused (DRAGOMAN_BUSY), but it may free that reader:
 * then it is not called again, and the reader is gone when push, idle or finish returns.
 */
#ifndef DRAGOMAN_H
#define DRAGOMAN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DRAGOMAN_API __attribute__((visibility("default")))
#else
#define DRAGOMAN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Grows only by new values, functions and fields at the end; see dragoman_options.size. */
#define DRAGOMAN_ABI_VERSION 0

typedef struct dragoman_reader dragoman_reader;

typedef enum dragoman_status {
  DRAGOMAN_OK = 0,
  DRAGOMAN_BAD_ARGUMENT = 1, /* a null where none may be, an unknown name */
  DRAGOMAN_FINISHED = 2,     /* the reader has been finished and takes nothing more */
  DRAGOMAN_NO_MEMORY = 3,    /* the reader takes nothing more */
  DRAGOMAN_INTERNAL = 4,     /* a defect of this library; the reader takes nothing more */
  DRAGOMAN_BUSY = 5          /* called from the reader's own callback; nothing was read */
} dragoman_status;

/* Settings. Begin with DRAGOMAN_OPTIONS_INIT and change what you want; zero means the default. */
typedef struct dragoman_options {
  size_t size; /* sizeof(dragoman_options) as the caller was compiled, never 0; tells which fields
                  exist */
  size_t
      line_cap; /* bytes; longer lines become an `oversize` event. Default 16 MiB, at most 1 GiB */
  int partial;  /* not 0: report fragments of unfinished messages too */
  int from_stderr;      /* not 0: the bytes are the agent's stderr */
  const char* prompt;   /* the prompt the agent was given, or NULL; echoes of it do not count */
  size_t prompt_length; /* bytes */
} dragoman_options;
#define DRAGOMAN_OPTIONS_INIT \
  { sizeof(dragoman_options), 0, 0, 0, NULL, 0 }

/*
 * Is given one event: its canonical JSON on one line, UTF-8, without a newline and without a
 * terminating zero. The bytes are valid during the call only.
 */
typedef void (*dragoman_event_fn)(const char* json, size_t length, void* user_data);

/* "0.1.0" */
DRAGOMAN_API const char* dragoman_version(void);

/*
 * dialect: "auto", "text", "wxcode", "question", "markers", "claude", "codex" or "delegator".
 * mode: "default", "strict" or "compat"; NULL means "default". options: NULL means all defaults.
 * Gives NULL when an argument is wrong; dragoman_last_error() says which.
 */
DRAGOMAN_API dragoman_reader* dragoman_reader_open(const char* dialect, const char* mode,
                                                   const dragoman_options* options);

/* Reads `length` bytes, which may be cut anywhere. */
DRAGOMAN_API dragoman_status dragoman_reader_push(dragoman_reader* reader, const char* bytes,
                                                  size_t length, dragoman_event_fn on_event,
                                                  void* user_data);

/* Nothing has come for a while (200 ms is a good while): gives out what only waits for more, an
 * unfinished line of text included. */
DRAGOMAN_API dragoman_status dragoman_reader_idle(dragoman_reader* reader,
                                                  dragoman_event_fn on_event, void* user_data);

/* The stream is over: gives out everything. Only dragoman_reader_free may follow. */
DRAGOMAN_API dragoman_status dragoman_reader_finish(dragoman_reader* reader,
                                                    dragoman_event_fn on_event, void* user_data);

/* What the stream has turned out to be: a name as for open, never "auto". NULL for a null reader.
 */
DRAGOMAN_API const char* dragoman_reader_dialect(const dragoman_reader* reader);

/* NULL is allowed. */
DRAGOMAN_API void dragoman_reader_free(dragoman_reader* reader);

/* What the last failed call on this thread has to say; never NULL, valid until the next call. */
DRAGOMAN_API const char* dragoman_last_error(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DRAGOMAN_H */
