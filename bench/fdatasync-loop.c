/* The limit of the disk: one record after the other, each synced. Prints records a second. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  int count = atoi(argv[2]), size = atoi(argv[3]);
  char *record = malloc(size);
  memset(record, 'x', size);
  record[size - 1] = '\n';
  int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) return 1;
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int i = 0; i < count; i++) {
    if (write(fd, record, size) != size || fdatasync(fd) != 0) return 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("%f\n", count / ((b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9));
  return 0;
}
