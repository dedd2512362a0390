/* Word tables: a text is cut into words, and each word is answered with what Python said of it when it was new.
 *
 * No Python API: pointers and sizes in, numbers out, so one binary serves every Python. What a word means is never decided
 * here; which characters stand between words is a table that Python makes. Texts are UTF-8 with surrogates let through
 * ("surrogatepass"), and are taken for hostile: nothing is read beyond a given size, and no number in them is trusted.
 * A table is used by one thread at a time; its caller has the lock. A call returns -1 where memory ran out.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#define ABI 3
#define NO_MEMORY (-1)
#define OUT_OF_ORDER (-2)
#define LARGEST_KEPT (1 << 24)                  /* bytes of output: one huge text leaves no memory behind */

enum { UNKNOWN = -1, UNUSUAL = -2 };            /* instead of the size of a value */
enum { WORD, SEPARATOR, MAY_SEPARATE };         /* classes of bytes */
enum { WORDS, UNITS };                          /* how a text is cut */

typedef struct {
    uint32_t hash, key, key_bytes, value;       /* `key`, `value` and `tokens` are places in the arena */
    int32_t value_bytes;
    uint32_t tokens, token_count, stamp;
} Word;

typedef struct {
    uint32_t hash, key, key_bytes, shape;       /* the same as far as a word has it */
    int32_t function_word;                      /* the number of the one that it is, or 0 */
    uint32_t stamp_of_all, spare, stamp;        /* the last text and the last document that had it */
} Token;

typedef union {
    Word word;
    Token token;
} Entry;

enum { FIRST = 1u << 31 };                      /* in `key_bytes`: the first word of a text */
enum { LONG = 1, ASCII = 2 };                   /* shapes of tokens */

typedef struct {
    uint8_t *at;
    size_t used, room;
} Bytes;

typedef struct Table {
    Entry *entries;
    uint64_t *slots;                            /* of an open hash: half of a hash, the number of an entry and 1 */
    uint32_t *missing;
    size_t count, room, mask, missing_count, missing_room;
    Bytes arena, output, scratch;
    uint64_t seed;
    uint32_t call, text_stamp, all_stamp;
    struct Table *tokens;                       /* what values consist of, where that is asked for */
    const struct Table *ranks;                  /* by which words in ASCII are merged without asking */
    int32_t *pairs;                             /* of ranks: those of two bytes, which every word asks for first */
    uint8_t classes[256];
    uint32_t separators[64];                    /* of several bytes, the first in the highest place */
    int32_t separator_count, none;
} Table;

static int reserve(Bytes *bytes, size_t more) {
    if (more <= bytes->room - bytes->used) return 1;
    if (more > UINT32_MAX - bytes->used) return 0;
    size_t room = bytes->room ? bytes->room : 4096;
    while (room - bytes->used < more) {
        room *= 2;
    }
    uint8_t *at = realloc(bytes->at, room);
    if (!at) return 0;
    bytes->at = at;
    bytes->room = room;
    return 1;
}

static int append(Bytes *bytes, const void *from, size_t size) {
    if (!reserve(bytes, size)) return 0;
    if (size) memcpy(bytes->at + bytes->used, from, size);
    bytes->used += size;
    return 1;
}

/* wyhash's step (Wang Yi, public domain), with a seed of the process: nobody can write words that share a slot. */
static uint64_t mixed(uint64_t a, uint64_t b) {
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t read8(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, 8);
    return value;
}

static uint64_t read4(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
}

static uint32_t hash_of(const uint8_t *at, size_t size, uint64_t seed) {
    const uint64_t a = 0xa0761d6478bd642fULL, b = 0xe7037ed1a0b428dbULL;
    uint64_t hash = mixed(seed ^ a, (uint64_t)size ^ b), tail = 0;
    while (size > 8) {
        hash = mixed(hash ^ read8(at), b);
        at += 8;
        size -= 8;
    }
    if (size >= 4) tail = read4(at) << 32 | read4(at + size - 4);
    else if (size) tail = (uint64_t)at[0] << 16 | (uint64_t)at[size >> 1] << 8 | at[size - 1];
    return (uint32_t)mixed(hash ^ tail, a);
}

static int grow(Table *table) {
    size_t room = table->room ? table->room * 2 : 1024, slots = room * 2;
    if (room > UINT32_MAX / 4) return 0;
    Entry *entries = realloc(table->entries, room * sizeof *entries);
    if (!entries) return 0;
    table->entries = entries;
    uint64_t *fresh = calloc(slots, sizeof *fresh);
    if (!fresh) return 0;
    for (size_t number = 0; number < table->count; number++) {
        const uint32_t hash = entries[number].word.hash;
        size_t slot = hash & (slots - 1);
        while (fresh[slot]) slot = (slot + 1) & (slots - 1);
        fresh[slot] = (uint64_t)hash << 32 | (number + 1);
    }
    free(table->slots);
    table->slots = fresh;
    table->mask = slots - 1;
    table->room = room;
    return 1;
}

static Entry *found(const Table *table, const uint8_t *word, size_t size, uint32_t first, uint32_t hash, size_t *slot) {
    *slot = hash & table->mask;
    for (uint64_t taken; (taken = table->slots[*slot]); *slot = (*slot + 1) & table->mask) {
        if (taken >> 32 != hash) continue;
        Entry *entry = table->entries + (uint32_t)taken - 1;
        if (entry->word.key_bytes == (size | first) && !memcmp(table->arena.at + entry->word.key, word, size)) return entry;
    }
    return NULL;
}

/* The entry of a word, made if it is new; NULL where memory ran out. `first` tells the first word of a text from others. */
static Entry *entry_of(Table *table, const uint8_t *word, size_t size, uint32_t first) {
    if (size >= FIRST || (table->count >= table->room && !grow(table))) return NULL;
    const uint32_t hash = hash_of(word, size, table->seed + first);
    size_t slot;
    Entry *entry = found(table, word, size, first, hash, &slot);
    if (entry) return entry;
    const uint32_t key = (uint32_t)table->arena.used;
    if (!append(&table->arena, word, size)) return NULL;
    entry = table->entries + table->count;
    memset(entry, 0, sizeof *entry);
    entry->word.hash = hash;
    entry->word.key = key;
    entry->word.key_bytes = (uint32_t)size | first;
    entry->word.value_bytes = UNKNOWN;
    table->slots[slot] = (uint64_t)hash << 32 | ++table->count;
    return entry;
}

static int32_t rank_of(const Table *ranks, const uint8_t *token, size_t size, int32_t none) {
    if (size == 2) return ranks->pairs[token[0] << 8 | token[1]];
    size_t slot;
    const Entry *entry = found(ranks, token, size, 0, hash_of(token, size, ranks->seed), &slot);
    return entry ? entry->word.value_bytes : none;
}

/* The ranks of a word's tokens, behind `merged`: of all neighbours the pair with the lowest rank becomes one, the leftmost
 * first, until none can. */
static int merge(const Table *ranks, Bytes *scratch, const uint8_t *word, size_t size, int32_t none, Bytes *merged) {
    const int32_t whole = size ? rank_of(ranks, word, size, none) : none;
    if (whole < none) return append(merged, &whole, sizeof whole);
    scratch->used = 0;
    if (!reserve(scratch, (size + 1) * 2 * sizeof(uint32_t))) return 0;
    uint32_t *cuts = (uint32_t *)(void *)scratch->at, parts = (uint32_t)size;
    int32_t *pairs = (int32_t *)(void *)scratch->at + size + 1;
    for (uint32_t part = 0; part <= parts; part++) cuts[part] = part;
    for (uint32_t part = 0; part + 1 < parts; part++) pairs[part] = rank_of(ranks, word + part, 2, none);
    while (parts > 1) {
        uint32_t lowest = 0;
        for (uint32_t part = 1; part + 1 < parts; part++)
            if (pairs[part] < pairs[lowest]) lowest = part;
        if (pairs[lowest] >= none) break;
        memmove(cuts + lowest + 1, cuts + lowest + 2, (parts - lowest - 1) * sizeof *cuts);
        memmove(pairs + lowest, pairs + lowest + 1, (parts - lowest - 2) * sizeof *pairs);
        parts--;
        for (uint32_t part = lowest ? lowest - 1 : 0; part <= lowest && part + 1 < parts; part++)
            pairs[part] = rank_of(ranks, word + cuts[part], cuts[part + 2] - cuts[part], none);
    }
    for (uint32_t part = 0; part < parts; part++) {
        const int32_t rank = rank_of(ranks, word + cuts[part], cuts[part + 1] - cuts[part], none);
        if (!append(merged, &rank, sizeof rank)) return 0;
    }
    return 1;
}

static int kind_of(uint8_t byte) {
    if ((byte | 32) >= 'a' && (byte | 32) <= 'z') return 1;
    return byte >= '0' && byte <= '9' ? 2 : 3;
}

/* The length of the contraction that begins here: 's, 't, 'm, 'd, 're, 've, 'll. */
static size_t contraction(const uint8_t *at, size_t size) {
    if (size < 2 || at[0] != '\'') return 0;
    if (at[1] == 's' || at[1] == 't' || at[1] == 'm' || at[1] == 'd') return 2;
    if (size < 3) return 0;
    return ((at[1] == 'r' || at[1] == 'v') && at[2] == 'e') || (at[1] == 'l' && at[2] == 'l') ? 3 : 0;
}

enum { LONGEST = 512, SLICE = 32 };             /* as `embedding.bpe` has them */

static int merge_pretoken(Table *table, const uint8_t *at, size_t size) {
    const size_t step = size > LONGEST ? SLICE : size;
    for (size_t start = 0; start < size; start += step)
        if (!merge(table->ranks, &table->scratch, at + start, size - start < step ? size - start : step, table->none,
                   &table->arena))
            return 0;
    return 1;
}

/* The tokens of a unit in ASCII, as the pattern of GPT-2 cuts it. 0 where it is not one, and -1 where memory ran out. */
static int merged_unit(Table *table, Word *word) {
    const size_t size = word->key_bytes & ~FIRST;
    const int blank = !(word->key_bytes & FIRST) && !(size && table->arena.at[word->key] == '\n');
    size_t at = 0;
    for (size_t place = 0; place < size; place++) {
        const uint8_t byte = table->arena.at[word->key + place];
        if (byte >= 128 || byte == '\r' || byte == 11 || byte == 12) return 0;
    }
    Bytes unit = {0};                           /* a copy behind its blank: the arena moves while it grows */
    if (!append(&unit, " ", 1) || !append(&unit, table->arena.at + word->key, size)) {
        free(unit.at);
        return -1;
    }
    word->value = (uint32_t)table->arena.used;
    const uint8_t *text = unit.at + !blank;
    const size_t all = size + (size_t)blank;
    int outcome = 1;
    while (at < all && text[at] == '\n') at++;
    if (at > 1 && at < all) outcome = merge_pretoken(table, text, at - 1) && merge_pretoken(table, text, 1);
    else if (at) outcome = merge_pretoken(table, text, at);
    while (outcome && at < all) {
        size_t length = contraction(text + at, all - at);
        if (!length) {
            length = blank && !at;
            const int kind = at + length < all ? kind_of(text[at + length]) : 0;
            while (at + length < all && kind_of(text[at + length]) == kind) length++;
        }
        outcome = merge_pretoken(table, text + at, length);
        at += length;
    }
    free(unit.at);
    if (!outcome) return -1;
    word->value_bytes = (int32_t)(table->arena.used - word->value);
    return 1;
}

/* Notes that Python must be asked about a word, once a call, unless its tokens can be told here; 0 where memory ran out. */
static int learn(Table *table, Word *word) {
    if (word->stamp == table->call) return 1;
    word->stamp = table->call;
    if (table->ranks) {
        const int outcome = merged_unit(table, word);
        if (outcome) return outcome > 0;
    }
    if (table->missing_count == table->missing_room) {
        size_t room = table->missing_room ? table->missing_room * 2 : 256;
        uint32_t *missing = realloc(table->missing, room * sizeof *missing);
        if (!missing) return 0;
        table->missing = missing;
        table->missing_room = room;
    }
    table->missing[table->missing_count++] = (uint32_t)((Entry *)(void *)word - table->entries);
    return 1;
}

/* What is known of a word; NULL where memory ran out. */
static Word *word_of(Table *table, const uint8_t *at, size_t size, uint32_t first) {
    Entry *entry = entry_of(table, at, size, first);
    if (!entry || (entry->word.value_bytes == UNKNOWN && !learn(table, &entry->word))) return NULL;
    return &entry->word;
}

typedef struct {
    const uint8_t *at, *end, *word;
    size_t size;
    uint32_t first, unusual;                    /* a text whose units are not its words: Python looks at all of it */
} Cursor;

static size_t separator_at(const Table *table, const uint8_t *at, const uint8_t *end) {
    uint8_t class = table->classes[*at];
    if (class == SEPARATOR) return 1;
    if (class == WORD) return 0;
    uint32_t two = 0, three = 0;
    if (end - at >= 2) two = (uint32_t)at[0] << 8 | at[1];
    if (end - at >= 3) three = two << 8 | at[2];
    for (int32_t number = 0; number < table->separator_count; number++) {
        uint32_t separator = table->separators[number];
        if (separator == (separator > 0xffff ? three : two)) return separator > 0xffff ? 3 : 2;
    }
    return 0;
}

static int next_word(const Table *table, Cursor *cursor) {
    const uint8_t *at = cursor->at, *end = cursor->end;
    size_t size;
    while (at < end && (size = separator_at(table, at, end))) at += size;
    cursor->word = at;
    while (at < end && (table->classes[*at] == WORD || !separator_at(table, at, end))) at++;
    cursor->at = at;
    cursor->size = (size_t)(at - cursor->word);
    return at > cursor->word;
}

/* A unit is a word behind a blank, or line ends with what follows them at once; the first of a text stands alone. */
static int next_unit(Cursor *cursor) {
    const uint8_t *at = cursor->at, *end = cursor->end;
    if (!cursor->first) {
        if (at >= end) return 0;
        if (*at == ' ' || *at == '\t') {
            while (at < end && (*at == ' ' || *at == '\t')) at++;
            if (at >= end || *at == '\n') {
                cursor->unusual = 1;
                return 0;
            }
        }
        cursor->word = at;
        while (at < end && *at == '\n') at++;
    } else {
        cursor->word = at;
    }
    for (; at < end && *at != ' ' && *at != '\t' && *at != '\n'; at++)
        if (*at < 2) {
            cursor->unusual = 1;
            return 0;
        }
    cursor->at = at;
    cursor->size = (size_t)(at - cursor->word);
    return 1;
}

EXPORT int32_t octavo_abi(void) { return ABI; }

EXPORT void octavo_table_free(Table *table) {
    if (!table) return;
    octavo_table_free(table->tokens);
    free(table->entries);
    free(table->slots);
    free(table->missing);
    free(table->arena.at);
    free(table->output.at);
    free(table->scratch.at);
    free(table->pairs);
    free(table);
}

EXPORT Table *octavo_table_new(uint64_t seed, const uint8_t *classes, const uint32_t *separators, int32_t count,
                               int32_t with_tokens) {
    if (count < 0 || count > 64) return NULL;
    Table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    table->seed = seed;
    memcpy(table->classes, classes, 256);
    if (count) memcpy(table->separators, separators, (size_t)count * sizeof *separators);
    table->separator_count = count;
    if (!grow(table) || !reserve(&table->arena, 1) ||
        (with_tokens && !(table->tokens = octavo_table_new(seed, classes, separators, 0, 0)))) {
        octavo_table_free(table);
        return NULL;
    }
    return table;
}

/* Forgets every word. Memory for as many stays. */
EXPORT void octavo_table_clear(Table *table) {
    memset(table->slots, 0, (table->mask + 1) * sizeof *table->slots);
    table->count = table->arena.used = table->missing_count = 0;
    table->call = table->text_stamp = table->all_stamp = 0;
    if (table->tokens) octavo_table_clear(table->tokens);
}

/* How many there are: too many where the numbers of calls and texts run out. */
EXPORT int64_t octavo_table_words(const Table *table) {
    if (table->call > UINT32_MAX / 2 || (table->tokens && table->tokens->text_stamp > UINT32_MAX / 2)) return INT64_MAX;
    return (int64_t)table->count;
}

EXPORT int64_t octavo_table_bytes(const Table *table) {
    return (int64_t)(table->arena.used + (table->tokens ? table->tokens->arena.used : 0));
}

EXPORT const uint8_t *octavo_table_output(const Table *table) { return table->output.at; }

EXPORT int64_t octavo_table_output_bytes(const Table *table) { return (int64_t)table->output.used; }

static void begin(Table *table) {
    table->call++;
    table->missing_count = 0;
    table->output.used = 0;
    if (table->output.room > LARGEST_KEPT) {
        free(table->output.at);
        memset(&table->output, 0, sizeof table->output);
    }
}

/* The values' sizes added up, for each of the ranges, which are in characters and in order: how many words Python must be
 * asked about first. `ascii` texts have a byte for each character. */
EXPORT int64_t octavo_table_measure(Table *table, const uint8_t *text, int64_t bytes, int32_t ascii, const int64_t *starts,
                                    const int64_t *ends, int64_t ranges, int64_t *sizes) {
    begin(table);
    const uint8_t *at = text, *last = text + bytes;
    int64_t character = 0;
    for (int64_t range = 0; range < ranges; range++) {
        const uint8_t *bounds[2];
        for (int side = 0; side < 2; side++) {
            int64_t place = side ? ends[range] : starts[range], step = place - character;
            if (step < 0) return OUT_OF_ORDER;
            if (ascii) at = step > last - at ? last : at + step;
            else
                for (; step > 0 && at < last; step--)
                    do at++;
                    while (at < last && (*at & 0xc0) == 0x80);
            character = place;
            bounds[side] = at;
        }
        Cursor cursor = {.at = bounds[0], .end = bounds[1]};
        int64_t size = 0;
        while (next_word(table, &cursor)) {
            const Word *word = word_of(table, cursor.word, cursor.size, 0);
            if (!word) return NO_MEMORY;
            if (word->value_bytes > 0) size += word->value_bytes;
        }
        sizes[range] = size;
    }
    return (int64_t)table->missing_count;
}

/* Where each word of a text ends, in characters, and the size of its value; `count` gets how many there are, for which
 * `ends` and `sizes` have room: half of the bytes and one. */
EXPORT int64_t octavo_table_each(Table *table, const uint8_t *text, int64_t bytes, int64_t *ends, int64_t *sizes,
                                 int64_t *count) {
    begin(table);
    Cursor cursor = {.at = text, .end = text + bytes};
    const uint8_t *at = text;
    int64_t character = 0;
    *count = 0;
    while (next_word(table, &cursor)) {
        const Word *word = word_of(table, cursor.word, cursor.size, 0);
        if (!word) return NO_MEMORY;
        for (; at < cursor.at; at++) character += (*at & 0xc0) != 0x80;
        ends[*count] = character;
        sizes[(*count)++] = word->value_bytes > 0 ? word->value_bytes : 0;
    }
    return (int64_t)table->missing_count;
}

/* The values of each text's words one after the other into the output, with `between` them unless it is negative; a text's
 * end there, or -1 - its end where Python must look at the text itself. `ends` are in bytes. */
EXPORT int64_t octavo_table_rewrite(Table *table, const uint8_t *text, const int64_t *ends, int64_t texts, int32_t cut,
                                    int32_t between, int64_t *written) {
    begin(table);
    int64_t start = 0;
    for (int64_t number = 0; number < texts; start = ends[number++]) {
        Cursor cursor = {.at = text + start, .end = text + ends[number], .first = cut == UNITS};
        size_t before = table->output.used;
        while (cut == UNITS ? next_unit(&cursor) : next_word(table, &cursor)) {
            const Word *word = word_of(table, cursor.word, cursor.size, cursor.first ? FIRST : 0);
            if (!word) return NO_MEMORY;
            cursor.first = 0;
            if (word->value_bytes == UNUSUAL) {
                cursor.unusual = 1;
                break;
            }
            if (table->missing_count || word->value_bytes <= 0) continue;
            const uint8_t separator = (uint8_t)between;
            if ((between >= 0 && table->output.used > before && !append(&table->output, &separator, 1)) ||
                !append(&table->output, table->arena.at + word->value, (size_t)word->value_bytes))
                return NO_MEMORY;
        }
        if (cursor.unusual) table->output.used = before;
        written[number] = cursor.unusual ? -1 - (int64_t)before : (int64_t)table->output.used;
    }
    return (int64_t)table->missing_count;
}

/* The words that Python is asked about, into the output, the first of a text behind a byte 255; `ends` gets where each ends. */
EXPORT int32_t octavo_table_missing(Table *table, int64_t *ends) {
    table->output.used = 0;
    for (size_t number = 0; number < table->missing_count; number++) {
        const Word *word = &table->entries[table->missing[number]].word;
        if ((word->key_bytes & FIRST && !append(&table->output, "\xff", 1)) ||
            !append(&table->output, table->arena.at + word->key, word->key_bytes & ~FIRST))
            return NO_MEMORY;
        ends[number] = (int64_t)table->output.used;
    }
    return 0;
}

static int with_tokens(Table *table, Word *word) {
    size_t at = word->value, end = at + (size_t)(word->value_bytes > 0 ? word->value_bytes : 0);
    word->tokens = (uint32_t)table->arena.used;
    while (at < end) {
        const uint8_t *bytes = table->arena.at + at;
        size_t size = 0;
        uint32_t characters = 0, bits = 0;
        for (; at + size < end && bytes[size] != ' '; size++) {
            characters += (bytes[size] & 0xc0) != 0x80;
            bits |= bytes[size];
        }
        Entry *entry = entry_of(table->tokens, bytes, size, 0);
        if (!entry) return 0;
        if (entry->token.function_word < 0) entry->token.function_word = 0;
        entry->token.shape = (characters > 1 ? LONG : 0) | (bits < 128 ? ASCII : 0);
        const uint32_t number = (uint32_t)(entry - table->tokens->entries);
        if (!append(&table->arena, &number, sizeof number)) return 0;
        word->token_count++;
        at += size + 1;
    }
    return 1;
}

/* What Python says of the words it was asked about: the values one after the other, and each one's size or `UNUSUAL`. */
EXPORT int32_t octavo_table_fill(Table *table, const uint8_t *values, const int32_t *sizes) {
    for (size_t number = 0; number < table->missing_count; number++) {
        Word *word = &table->entries[table->missing[number]].word;
        word->value = (uint32_t)table->arena.used;
        word->token_count = 0;
        if (sizes[number] > 0) {
            if (!append(&table->arena, values, (size_t)sizes[number])) return NO_MEMORY;
            values += sizes[number];
        }
        word->value_bytes = sizes[number];
        if (table->tokens && !with_tokens(table, word)) {
            word->value_bytes = UNKNOWN;
            return NO_MEMORY;
        }
    }
    table->missing_count = 0;
    return 0;
}

/* Says that a token is a function word, by a number above 0. */
EXPORT int32_t octavo_table_function_word(Table *table, const uint8_t *token, int64_t bytes, int32_t number) {
    Entry *entry = entry_of(table->tokens, token, (size_t)bytes, 0);
    if (!entry) return NO_MEMORY;
    entry->token.function_word = number;
    return 0;
}

/* Of the different tokens of each text that have two characters or more: how many there are, how many of them are in ASCII
 * and how many are function words, whose numbers go into the output; at last the first two for all texts together. */
EXPORT int64_t octavo_table_evidence(Table *table, const uint8_t *text, const int64_t *ends, int64_t texts, int64_t *counts) {
    begin(table);
    Table *tokens = table->tokens;
    int64_t start = 0, *all = counts + texts * 3;
    all[0] = all[1] = 0;
    tokens->all_stamp++;
    for (int64_t number = 0; number < texts; start = ends[number++]) {
        Cursor cursor = {.at = text + start, .end = text + ends[number]};
        int64_t *count = counts + number * 3;
        count[0] = count[1] = count[2] = 0;
        tokens->text_stamp++;
        while (next_word(table, &cursor)) {
            const Word *word = word_of(table, cursor.word, cursor.size, 0);
            if (!word) return NO_MEMORY;
            const uint8_t *places = table->arena.at + word->tokens;
            for (uint32_t place = 0; place < word->token_count; place++) {
                Token *token = &tokens->entries[read4(places + place * 4)].token;
                if (!(token->shape & LONG) || token->stamp == tokens->text_stamp) continue;
                token->stamp = tokens->text_stamp;
                count[0]++;
                count[1] += (token->shape & ASCII) != 0;
                if (token->function_word > 0) {
                    count[2]++;
                    if (!append(&table->output, &token->function_word, sizeof token->function_word)) return NO_MEMORY;
                }
                if (token->stamp_of_all == tokens->all_stamp) continue;
                token->stamp_of_all = tokens->all_stamp;
                all[0]++;
                all[1] += (token->shape & ASCII) != 0;
            }
        }
    }
    return (int64_t)table->missing_count;
}

/* The numbers of a text's words, in order of their first use, into the output; how many words each of its fields has,
 * between which a byte stands that no word has. How many fields there are, for `most` of which `counts` has room. */
EXPORT int64_t octavo_table_numbers(Table *table, const uint8_t *text, int64_t bytes, int32_t between, int64_t most,
                                    int32_t *counts) {
    begin(table);
    const uint8_t *at = text, *last = text + bytes;
    for (int64_t field = 0; field < most; field++) {
        const uint8_t *end = memchr(at, between, (size_t)(last - at));
        Cursor cursor = {.at = at, .end = end ? end : last};
        for (counts[field] = 0; next_word(table, &cursor); counts[field]++) {
            const Entry *entry = entry_of(table, cursor.word, cursor.size, 0);
            const uint32_t place = entry ? (uint32_t)(entry - table->entries) : 0;
            if (!entry || !append(&table->output, &place, sizeof place)) return NO_MEMORY;
        }
        if (!end) return field + 1;
        at = end + 1;
    }
    return OUT_OF_ORDER;
}

/* Every word in the order of the numbers, into the output; `ends` gets where each ends. */
EXPORT int32_t octavo_table_keys(Table *table, int64_t *ends) {
    table->output.used = 0;
    for (size_t number = 0; number < table->count; number++) {
        const Word *word = &table->entries[number].word;
        if (!append(&table->output, table->arena.at + word->key, word->key_bytes & ~FIRST)) return NO_MEMORY;
        ends[number] = (int64_t)table->output.used;
    }
    return 0;
}

/* Byte-pair merges: the tokens of a vocabulary as bytes, the number of each its rank. */
EXPORT Table *octavo_ranks_new(uint64_t seed, const uint8_t *tokens, const int64_t *ends, int64_t count) {
    static const uint8_t no_classes[256];
    Table *ranks = octavo_table_new(seed, no_classes, NULL, 0, 0);
    int64_t start = 0, rank = 0;
    if (ranks && (ranks->pairs = malloc((1 << 16) * sizeof *ranks->pairs))) {
        for (int32_t pair = 0; pair < 1 << 16; pair++) ranks->pairs[pair] = (int32_t)count;
        for (; rank < count; start = ends[rank++]) {
            const uint8_t *token = tokens + start;
            Entry *entry = entry_of(ranks, token, (size_t)(ends[rank] - start), 0);
            if (!entry) break;
            entry->word.value_bytes = (int32_t)rank;
            if (ends[rank] - start == 2) ranks->pairs[token[0] << 8 | token[1]] = (int32_t)rank;
        }
        if (rank == count) return ranks;
    }
    octavo_table_free(ranks);
    return NULL;
}

/* From now on the tokens of words in ASCII are merged without asking; `ranks` must outlive the table. */
EXPORT void octavo_table_merge_by(Table *table, const Table *ranks, int32_t none) {
    table->ranks = ranks;
    table->none = none;
}

/* The tokens of each of some words in the table's output; `until` gets where they end there, in bytes. */
EXPORT int32_t octavo_table_merge(Table *table, const uint8_t *words, const int64_t *ends, int64_t count, int64_t *until) {
    int64_t start = 0;
    table->output.used = 0;
    for (int64_t number = 0; number < count; start = ends[number++]) {
        if (!merge(table->ranks, &table->scratch, words + start, (size_t)(ends[number] - start), table->none, &table->output))
            return NO_MEMORY;
        until[number] = (int64_t)table->output.used;
    }
    return 0;
}

typedef struct {
    const int8_t *rows;
    const float *scales, *raised;               /* of each row; and small whole numbers raised to a power */
    int64_t size, dimensions, raised_count;
    int32_t start, end, lead, lead_count;       /* tokens around each text; the first `lead` count for so many more */
} TokenRows;

/* The sum of each text's rows, weighted by how often their tokens occur, in the order of the tokens' numbers. Products are
 * rounded before they are added, as numpy does: nothing here is contracted. -2 where a token has no row or occurs too
 * often. `texts` gets the sums; `counts` are zeros, one for each row, and are zeros again. */
EXPORT int32_t octavo_rows_sum(const TokenRows *table, const int32_t *ids, const int64_t *ends, int64_t texts,
                               int32_t *counts, uint64_t *present, float *sums) {
    const int64_t dimensions = table->dimensions, blocks = (table->size + 63) / 64;
    int64_t start = 0;
    int32_t outcome = 0;
    for (int64_t text = 0; text < texts; start = ends[text++]) {
        float *sum = sums + text * dimensions;
        const int64_t tokens = ends[text] - start + 2;
        memset(sum, 0, (size_t)dimensions * sizeof *sum);
        for (int64_t place = 0; place < tokens; place++) {
            int32_t id = place == 0 ? table->start : place == tokens - 1 ? table->end : ids[start + place - 1];
            if (id < 0 || id >= table->size) {
                outcome = OUT_OF_ORDER;
                continue;
            }
            counts[id] += place < table->lead ? 1 + table->lead_count : 1;
            present[id / 64] |= 1ULL << (id % 64);
        }
        for (int64_t block = 0; block < blocks; block++)
            for (; present[block]; present[block] &= present[block] - 1) {
                const int64_t id = block * 64 + __builtin_ctzll(present[block]);
                const int8_t *row = table->rows + id * dimensions;
                const int32_t count = counts[id];
                counts[id] = 0;
                if (count < 0 || count >= table->raised_count) {
                    outcome = OUT_OF_ORDER;
                    continue;
                }
                const float weight = table->raised[count] * table->scales[id];
                for (int64_t column = 0; column < dimensions; column++) sum[column] += weight * (float)row[column];
            }
    }
    return outcome;
}

/* Which of some hints occur in words of so many bytes; of too many rather than too few, for only ASCII's white space ends a
 * word here. Hints are sorted; `pairs` has for every two bytes the number of the first hint that begins so, and 1. */
EXPORT int32_t octavo_hints_find(const uint8_t *text, int64_t bytes, int64_t least, const uint8_t *hints,
                                 const int64_t *ends, int32_t count, const uint8_t *pairs, uint8_t *occurs) {
    int32_t different = 0;
    for (const uint8_t *at = text, *last = text + bytes; at < last; at++) {
        const uint8_t *word = at;
        while (at < last && !(*at == ' ' || (*at >= 9 && *at <= 13) || (*at >= 28 && *at <= 31))) at++;
        if (at - word < least) continue;
        for (const uint8_t *place = word; place + 1 < at; place++) {
            int32_t hint = (int32_t)pairs[place[0] << 8 | place[1]] - 1;
            for (; hint >= 0 && hint < count; hint++) {
                const int64_t start = hint ? ends[hint - 1] : 0, size = ends[hint] - start;
                if (size < 2 || memcmp(place, hints + start, 2)) break;
                if (occurs[hint] || size > at - place || memcmp(place, hints + start, (size_t)size)) continue;
                occurs[hint] = 1;
                different++;
            }
        }
    }
    return different;
}

/* Vectors: codes have a bit for each dimension, in columns of 64; halves are numbers in half precision. */
#if defined(__x86_64__)
#include <cpuid.h>
#define COUNTING_BITS __attribute__((target("popcnt")))
static int counts_bits(void) {
    unsigned eax, ebx, ecx = 0, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_POPCNT);
}
#else
#define COUNTING_BITS
static int counts_bits(void) { return 1; }
#endif

enum { MOST_COLUMNS = 64, MOST_BITS = MOST_COLUMNS * 64, LANES = 16, WAYS = 4, AHEAD = 8, LINE = 32 };

/* The least distance that more than `count` rows are within; where there are not so many, one that all are within. */
static uint32_t within(uint32_t at_distance[WAYS][MOST_BITS + 1], int64_t count) {
    for (uint32_t distance = 0; distance <= MOST_BITS; distance++) {
        for (int way = 0; way < WAYS; way++) count -= at_distance[way][distance];
        if (count < 0) return distance;
    }
    return MOST_BITS;
}

COUNTING_BITS static inline uint64_t differing(const uint64_t *codes, int64_t rows, const uint64_t *code, int64_t row,
                                               int64_t from, int64_t to) {
    uint64_t bits = 0;
    for (int64_t column = from; column < to; column++)
        bits += (uint64_t)__builtin_popcountll(codes[column * rows + row] ^ code[column]);
    return bits;
}

/* Rows whose codes differ least from a code, ascending: at least `wanted`, and all that tie with the last. The first
 * `half` columns choose `preselected` of them, unless it is 0. `admitted` may be NULL; `distances` and `nearest` have room
 * for all rows. How many they are; OUT_OF_ORDER where this processor cannot count bits.
 * Rows are counted in several ways at once, because a processor waits where one count is raised twice; and all are
 * written, of which some are kept, because it cannot guess which. */
COUNTING_BITS EXPORT int64_t octavo_codes_nearest(const uint64_t *codes, int64_t rows, int64_t columns, int64_t half,
                                                  const uint64_t *code, const uint8_t *admitted, int64_t preselected,
                                                  int64_t wanted, uint16_t *distances, int64_t *nearest) {
    if (columns < 1 || columns > MOST_COLUMNS || half < 0 || half > columns || !counts_bits()) return OUT_OF_ORDER;
    uint32_t at_distance[WAYS][MOST_BITS + 1];
    memset(at_distance, 0, sizeof at_distance);
    int64_t found = 0, kept = 0;
    if (half) {
        if (half == 3)                          /* of 384 dimensions: half of the time, for what is known is not counted */
            for (int64_t row = 0; row < rows; row++) distances[row] = (uint16_t)differing(codes, rows, code, row, 0, 3);
        else
            for (int64_t row = 0; row < rows; row++) distances[row] = (uint16_t)differing(codes, rows, code, row, 0, half);
        for (int64_t row = 0; row < rows; row++)
            at_distance[row % WAYS][distances[row]] += !admitted || admitted[row];
        const uint32_t bound = within(at_distance, preselected);
        for (int64_t row = 0; row < rows; row++) {
            nearest[found] = row;
            found += distances[row] <= bound && (!admitted || admitted[row]);
        }
        memset(at_distance, 0, sizeof at_distance);
    } else {
        for (int64_t row = 0; row < rows; row++) {
            nearest[found] = row;
            distances[row] = 0;
            found += !admitted || admitted[row];
        }
    }
    for (int64_t place = 0; place < found; place++) {
        const int64_t row = nearest[place];
        const uint64_t distance = distances[row] + differing(codes, rows, code, row, half, columns);
        distances[place] = (uint16_t)distance;  /* in the place of a row that was read already */
        at_distance[place % WAYS][distance]++;
    }
    const uint32_t bound = within(at_distance, wanted);
    for (int64_t place = 0; place < found; place++) {
        const int64_t row = nearest[place];
        nearest[kept] = row;
        kept += distances[place] <= bound;
    }
    return kept;
}

/* Half precision to single precision but for a factor of 2 ** 112: the sign is spread over the bits above the exponent and
 * masked. */
static inline float shifted(int16_t half) {
    const uint32_t bits = (uint32_t)(int32_t)half << 13 & 0x8fffffffu;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The products of rows of halves with a vector, added up in double precision; the vector has the factor that rows lack. */
EXPORT void octavo_halves_products(const int16_t *const *rows, int64_t count, int64_t dimensions, const double *vector,
                                   double *products) {
    for (int64_t number = 0; number < count; number++) {
        const int16_t *row = rows[number];
        /* Rows are far from each other: the processor does not know where the next ones are. */
        if (number + AHEAD < count)
            for (int64_t at = 0; at < dimensions; at += LINE) __builtin_prefetch(rows[number + AHEAD] + at);
        double sums[LANES] = {0}, sum = 0;
        int64_t at = 0;
        for (; at + LANES <= dimensions; at += LANES)
            for (int lane = 0; lane < LANES; lane++) sums[lane] += (double)shifted(row[at + lane]) * vector[at + lane];
        for (; at < dimensions; at++) sum += (double)shifted(row[at]) * vector[at];
        for (int lane = 0; lane < LANES; lane++) sum += sums[lane];
        products[number] = sum;
    }
}
