/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the events of a recorded run, one JSON line each.   usage: read_events FILE */
#include <dragoman.h>
#include <stdio.h>

static void print_event(const char* json, size_t length, void* user_data) {
  FILE* out = user_data;
  fwrite(json, 1, length, out);
  fputc('\n', out);
}

int main(int argc, char** argv) {
  char buffer[4096];
  size_t count;
  dragoman_status status = DRAGOMAN_OK;
  dragoman_reader* reader;
  FILE* in;
  if (argc != 2) {
    fputs("usage: read_events FILE\n", stderr);
    return 2;
  }
  in = fopen(argv[1], "rb");
  if (in == NULL) {
    perror(argv[1]);
    return 2;
  }
  reader = dragoman_reader_open("auto", NULL, NULL);
  if (reader == NULL) {
    fprintf(stderr, "read_events: %s\n", dragoman_last_error());
    fclose(in);
    return 2;
  }
  while (status == DRAGOMAN_OK && (count = fread(buffer, 1, sizeof buffer, in)) > 0)
    status = dragoman_reader_push(reader, buffer, count, print_event, stdout);
  if (status == DRAGOMAN_OK) status = dragoman_reader_finish(reader, print_event, stdout);
  fprintf(stderr, "dragoman %s read it as %s\n", dragoman_version(),
          dragoman_reader_dialect(reader));
  dragoman_reader_free(reader);
  if (status != DRAGOMAN_OK) fprintf(stderr, "read_events: %s\n", dragoman_last_error());
  if (ferror(in)) perror(argv[1]);
  if (ferror(in) || fflush(stdout) != 0 || ferror(stdout)) status = DRAGOMAN_INTERNAL;
  fclose(in);
  return status == DRAGOMAN_OK ? 0 : 1;
}
