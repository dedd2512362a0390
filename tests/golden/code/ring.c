/* A ring buffer of bytes, for one writer and one reader. */
#include <stddef.h>
#include "ring.h"

#define RING_SIZE 256
#define WRAP(i) ((i) & (RING_SIZE - 1))

struct ring {
    unsigned char bytes[RING_SIZE];
    size_t head, tail;
};

typedef int (*ring_reader)(const struct ring *, unsigned char *);

enum ring_state { RING_EMPTY, RING_PARTIAL, RING_FULL };

static size_t used(const struct ring *r)
{
    return WRAP(r->head - r->tail);
}

#ifdef RING_DEBUG
/* Prints what is in the ring. */
void ring_dump(const struct ring *r);
#endif

/* Takes one byte; returns 0 if there is none. */
int ring_get(struct ring *r, unsigned char *out)
{
    if (used(r) == 0)
        return 0;
    *out = r->bytes[r->tail];
    r->tail = WRAP(r->tail + 1);
    return 1;
}

static const char *const names[] = { "empty", "partial", "full" };
