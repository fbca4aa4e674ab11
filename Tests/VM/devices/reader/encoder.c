#include "encoder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reader.h"

// The MSR605X and the MSR605 on a line, encoders that read cards when they are asked to and would write them. Their dialogue is that of
// the MSR606 Programmer's Manual, revision B; the reports are those that open clients take apart. It knows nothing of the
// driver: what would change a card is counted.
//
//     swipes N SEED FILE   so many cards, each as soon as a read is asked for; FILE gets what a client is to see of each
//     part N SEED FILE     one card more, of whose answer N reports come; then the cable is pulled
//     pull-at N            the cable is pulled at the N-th command after it was plugged in
//     silent, speak        answers nothing; answers again
//     hostile N SEED       so many reports that are none of an encoder's, or nearly
//     state                what it was told

enum { REPORT = 64, PAYLOAD = 63, FIRST = 0x80, LAST = 0x40, USED = 0x3F, OLD_MEMORY = 0xA5 };
enum { RESET = 0x61, READ_TEXT = 0x72, READ_RAW = 0x6D, BITS = 0x6F };
// What a hostile one sends before it hears the host again, and how long a report may be that is longer than any.
enum { HOSTILE_BURST = 8, HOSTILE_LENGTH = 200 };
enum { LONGEST_PAUSE_MILLISECONDS = 100, PASSING_MILLISECONDS = 150, SLOW_MILLISECONDS = 400 };
// Requests of USB's class of lines (CDC PSTN 1.2, 6.3), and the bits of the second.
enum { SET_LINE_CODING = 0x20, SET_CONTROL_LINE_STATE = 0x22, DTR = 1, RTS = 2 };

static struct {
    uint8_t pending, light, bits[TRACKS];
    unsigned resets, harm, unknown, unheard, commands;
    bool is_silent, is_pulled;
    unsigned pull_at;
    // Cards that have still to pass, and how many reports of the last one's answer come.
    unsigned cards, number, parts;
    unsigned hostile;
    uint64_t random;
    FILE *expected;
    // Of a line: a command that has not all come, and how the host has set the line.
    uint8_t input[2 + TRACKS];
    size_t input_length;
    unsigned speed, data_bits, wires;
    char parity;
} encoder = {.bits = {7, 5, 5}, .random = 1};

static bool is_on_line(const struct reader *reader) { return reader->model == &line_encoder; }

static void send_piece(struct reader *reader, const uint8_t *bytes, size_t used, int place) {
    uint8_t report[REPORT];
    if (is_on_line(reader)) {
        reader->report(bytes, used);
        return;
    }
    memset(report, OLD_MEMORY, sizeof report);
    report[0] = (uint8_t)(place | (int)used);
    memcpy(report + 1, bytes, used);
    reader->report(report, sizeof report);
}

// A message, in pieces that are as long as a report allows or shorter; no more than `most` of them. The bus is not served while this
// sleeps, so what it sleeps in all is a pause for the host.
static bool send_message(struct reader *reader, const uint8_t *bytes, size_t length, size_t piece, unsigned most) {
    unsigned rest = LONGEST_PAUSE_MILLISECONDS;
    for (size_t at = 0; at < length; at += piece) {
        size_t used = length - at < piece ? length - at : piece;
        if (most-- == 0) return false;
        send_piece(reader, bytes + at, used, (at == 0 ? FIRST : 0) | (at + used == length ? LAST : 0));
        if (piece < PAYLOAD && draw(&encoder.random, 16) == 0) {
            unsigned pause = draw(&encoder.random, LONGEST_PAUSE_MILLISECONDS);
            if (pause > rest) pause = rest;
            rest -= pause;
            usleep(1000 * pause);
        }
    }
    return true;
}

static void answer(struct reader *reader, const void *bytes, size_t length) {
    if (!encoder.is_silent) send_message(reader, bytes, length, PAYLOAD, ~0U);
}

static bool is_harmful(uint8_t letter) {
    static const uint8_t letters[] = {0x77, 0x6E, 0x63, 0x78, 0x79, 0x7A, 0x62};
    return memchr(letters, letter, sizeof letters) != NULL;
}

static void hear(struct reader *reader, const uint8_t *command, size_t length) {
    uint8_t letter = command[1];
    if (is_harmful(letter)) encoder.harm++;
    // While a read is pending nothing but a reset is heard.
    if (encoder.pending && letter != RESET) {
        encoder.unheard++;
        return;
    }
    if (length != (letter == BITS ? 5 : 2)) encoder.unknown++;
    switch (letter) {
    case RESET:
        encoder.pending = 0;
        encoder.resets++;
        return;
    case 0x65: return answer(reader, "\x1By", 2);
    case READ_TEXT:
    case READ_RAW: encoder.pending = letter; return;
    case 0x74: return answer(reader, "\x1B" "3S", 3);
    case 0x76: return answer(reader, "\x1BREVT3.12", 9);
    case 0x64: return answer(reader, encoder.resets % 2 ? "\x1BL" : "\x1Bl", 2);
    case 0x6C: return answer(reader, "\x1B\x3D\x16", 3);
    case BITS:
        memcpy(encoder.bits, command + 2, TRACKS);
        return answer(reader, (uint8_t[]){ESCAPE, 0x30, command[2], command[3], command[4]}, 5);
    case 0x81 ... 0x85: encoder.light = letter; return;
    default:
        encoder.unknown++;
        answer(reader, "\x1B" "A", 2);
    }
}

// Whether it goes with this command.
static bool counts_as_last(void) {
    if (!encoder.is_pulled) encoder.is_pulled = ++encoder.commands == encoder.pull_at;
    return encoder.is_pulled;
}

// A report of the host's holds one command and zeros.
static void receive(struct reader *reader, const uint8_t *bytes, size_t length) {
    size_t used = length > 0 ? bytes[0] & USED : 0;
    if (counts_as_last()) return;
    bool is_right = length == REPORT && bytes[0] == (FIRST | LAST | used) && used >= 2 && bytes[1] == ESCAPE;
    for (size_t i = 1 + used; i < length; i++) is_right &= bytes[i] == 0;
    if (is_right) return hear(reader, bytes + 1, used);
    encoder.unknown++;
}

// On a line commands follow each other, in whatever pieces.
static void receive_line(struct reader *reader, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length && !encoder.is_pulled; i++) {
        encoder.input[encoder.input_length++] = bytes[i];
        if (encoder.input[0] != ESCAPE) {
            encoder.unknown++;
            encoder.input_length = 0;
        }
        if (encoder.input_length < 2 || encoder.input_length < (encoder.input[1] == BITS ? sizeof encoder.input : 2)) continue;
        size_t whole = encoder.input_length;
        encoder.input_length = 0;
        if (!counts_as_last()) hear(reader, encoder.input, whole);
    }
}

static void set_line(struct reader *reader, const struct setup *setup, const uint8_t *bytes, size_t length) {
    (void)reader;
    if (setup->request == SET_CONTROL_LINE_STATE) encoder.wires = setup->value;
    if (setup->request != SET_LINE_CODING || length < 7) return;
    encoder.speed = bytes[0] | (unsigned)bytes[1] << 8 | (unsigned)bytes[2] << 16;
    encoder.parity = "NOEMS"[bytes[5] % 5];
    encoder.data_bits = bytes[6];
}

static void send_garbage(struct reader *reader) {
    uint8_t garbage[20];
    for (size_t i = 0; i < sizeof garbage; i++) garbage[i] = (uint8_t)(0x80 + draw(&encoder.random, 0x60));
    send_message(reader, garbage, sizeof garbage, PAYLOAD, ~0U);
}

// The next card passes, forward or backward, and is answered in one of the ways that encoders have.
static void pass_card(struct reader *reader) {
    uint8_t block[MAXIMUM_BLOCK];
    char line[TRACKS * (MAXIMUM_TEXT + 1) + 16];
    struct card card = make_card(encoder.number++, &encoder.random);
    struct habits habits = make_habits(&encoder.random);
    bool is_raw = encoder.pending == READ_RAW;
    size_t length = answer_card(&card, &habits, is_raw, block);
    size_t piece = draw(&encoder.random, 2) ? PAYLOAD : 1 + draw(&encoder.random, PAYLOAD);
    // As long as a card takes to pass, longer for one that gives nothing: at once it would be no card's (docs/encoders.md).
    bool gives_nothing = block[length - 1] != 0x30 && (length == 2 || habits.marks_failed || !is_raw);
    usleep(1000 * (gives_nothing ? SLOW_MILLISECONDS : PASSING_MILLISECONDS));
    encoder.pending = 0;
    encoder.cards--;
    if (encoder.number % 7 == 0) send_garbage(reader);
    expect_card(&card, &habits, is_raw, line, sizeof line);
    bool is_whole = send_message(reader, block, length, encoder.parts ? 20 : piece, encoder.parts ? encoder.parts : ~0U);
    if (is_whole) fprintf(encoder.expected, "%s\n", line);
    if (encoder.parts) encoder.is_pulled = true;
    if (encoder.cards > 0) return;
    encoder.parts = 0;
    fclose(encoder.expected);
    encoder.expected = NULL;
}

// A piece of an answer, or of a block with a byte changed, or anything.
static size_t make_payload(uint8_t *bytes, size_t capacity) {
    static const char *const words[] = {"\x1B\x73\x1B\x01", "\x1By", "\x1B" "0", "\x1B" "4", "\x1B\x01", "\x1B\x02",
                                        "\x1B\x03", "?\x1C\x1B" "0", "\x1B*", "\x1B+", "\x1Bw"};
    uint8_t block[MAXIMUM_BLOCK];
    size_t length = 0;
    if (draw(&encoder.random, 2)) {
        struct card card = make_card(encoder.number++, &encoder.random);
        struct habits habits = make_habits(&encoder.random);
        size_t whole = answer_card(&card, &habits, true, block), at = draw(&encoder.random, (unsigned)whole);
        block[draw(&encoder.random, (unsigned)whole)] ^= (uint8_t)(1 + draw(&encoder.random, 255));
        length = whole - at < capacity ? whole - at : capacity;
        memcpy(bytes, block + at, length);
        return length;
    }
    while (length + 4 < capacity && draw(&encoder.random, 6)) {
        const char *word = words[draw(&encoder.random, sizeof words / sizeof *words)];
        memcpy(bytes + length, word, strlen(word));
        length += strlen(word);
        if (draw(&encoder.random, 2)) bytes[length++] = (uint8_t)draw(&encoder.random, 256);
    }
    return length;
}

static void send_hostile(struct reader *reader) {
    uint8_t report[HOSTILE_LENGTH];
    size_t length = REPORT;
    for (size_t i = 0; i < sizeof report; i++) report[i] = (uint8_t)draw(&encoder.random, 256);
    switch (draw(&encoder.random, 4)) {
    case 0: length = 1 + draw(&encoder.random, HOSTILE_LENGTH); break;
    case 1: report[0] = (uint8_t)(report[0] & ~(LAST | FIRST)); break;  // goes on for ever
    default: report[0] = (uint8_t)((report[0] & (LAST | FIRST)) | make_payload(report + 1, PAYLOAD));
    }
    reader->report(report, length);
}

// It has no power of its own: what it was told is forgotten.
static void start(void) {
    encoder.pending = encoder.light = 0;
    encoder.commands = 0;
    encoder.input_length = 0;
    memcpy(encoder.bits, (uint8_t[]){7, 5, 5}, TRACKS);
}

static void pull(struct reader *reader) {
    reader->yank();
    encoder.is_pulled = false;
    encoder.pull_at = 0;
    printf("pulled\n");
    fflush(stdout);
}

static int tend(struct reader *reader) {
    if (encoder.is_pulled) pull(reader);
    while (encoder.cards > 0 && encoder.pending && !encoder.is_pulled) pass_card(reader);
    for (int i = 0; i < HOSTILE_BURST && encoder.hostile > 0; i++, encoder.hostile--) send_hostile(reader);
    return encoder.hostile > 0 || encoder.is_pulled ? 1 : -1;
}

static void print_state(void) {
    printf("pending %02x light %02x bits %u%u%u resets %u harm %u unknown %u unheard %u cards %u hostile %u\n", encoder.pending,
           encoder.light, encoder.bits[0], encoder.bits[1], encoder.bits[2], encoder.resets, encoder.harm, encoder.unknown,
           encoder.unheard, encoder.cards, encoder.hostile);
    if (encoder.speed != 0)
        printf("line %u %u%c1%s%s\n", encoder.speed, encoder.data_bits, encoder.parity, encoder.wires & DTR ? " dtr" : "",
               encoder.wires & RTS ? " rts" : "");
}

static bool begin_cards(unsigned count, unsigned parts, unsigned long long seed, const char *path) {
    if (encoder.expected || count == 0 || seed == 0) return false;
    encoder.expected = fopen(path, "ae");
    if (encoder.expected == NULL) return false;
    setvbuf(encoder.expected, NULL, _IOLBF, 0);
    encoder.cards = count;
    encoder.parts = parts;
    encoder.random = seed;
    return true;
}

static bool obey(struct reader *reader, const char *line) {
    char path[256];
    unsigned count;
    unsigned long long seed;
    (void)reader;
    if (strcmp(line, "state") == 0) return print_state(), true;
    if (strcmp(line, "silent") == 0 || strcmp(line, "speak") == 0) return encoder.is_silent = line[1] == 'i', true;
    if (sscanf(line, "pull-at %u", &count) == 1) return encoder.pull_at = count, true;
    if (sscanf(line, "swipes %u %llu %255s", &count, &seed, path) == 3) return begin_cards(count, 0, seed, path);
    if (sscanf(line, "part %u %llu %255s", &count, &seed, path) == 3) return begin_cards(1, count, seed, path);
    if (sscanf(line, "hostile %u %llu", &count, &seed) == 2 && seed > 0) return encoder.hostile = count, encoder.random = seed, true;
    return false;
}

// ASSUMPTION: 64 bytes each way without ids; no descriptor of one is public. The other way out is a feature report.
static const uint8_t output_descriptor[] = {
    0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, REPORT,
    0x09, 0x01, 0x81, 0x02, 0x09, 0x01, 0x91, 0x02, 0xC0,
};
static const uint8_t feature_descriptor[] = {
    0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, REPORT,
    0x09, 0x01, 0x81, 0x02, 0x09, 0x01, 0xB1, 0x02, 0xC0,
};

const struct model encoder_model = {
    .name = "encoder", .manufacturer = "", .product = "MSR605X", .vendor = 0x0801, .number = 0x0003,
    .report_descriptor = output_descriptor, .report_descriptor_length = sizeof output_descriptor,
    .start = start, .receive = receive, .give = give_nothing, .tend = tend, .obey = obey,
};

const struct model feature_encoder_model = {
    .name = "encoder-feature", .manufacturer = "", .product = "MSR605X", .vendor = 0x0801, .number = 0x0003,
    .report_descriptor = feature_descriptor, .report_descriptor_length = sizeof feature_descriptor,
    .start = start, .receive = receive, .give = give_nothing, .tend = tend, .obey = obey,
};

// A line of USB's own class (CDC 1.2): a port for its settings, one for what is on it.
static const uint8_t line_configuration[] = {
    9, 2, 67, 0, 2, 1, 0, 0x80, 50,  // 67 bytes in all, two interfaces
    9, 4, 0, 0, 1, 2, 2, 1, 0,       // communication, abstract control
    5, 0x24, 0, 0x10, 0x01,          //   its header
    5, 0x24, 1, 0, 1,                //   calls: none
    4, 0x24, 2, 2,                   //   takes the line's settings and wires
    5, 0x24, 6, 0, 1,                //   interface 1 belongs to it
    7, 5, 0x82, 3, 8, 0, 16,         //   notices
    9, 4, 1, 0, 2, 10, 0, 0, 0,      // data
    7, 5, 0x03, 2, 64, 0, 0,         //   from the host
    7, 5, 0x81, 2, 64, 0, 0,         //   to the host
};

const struct model line_encoder = {
    .name = "encoder-line", .manufacturer = "Somebody", .product = "MSR605", .vendor = 0x1209, .number = 0x0005,
    .configuration = line_configuration, .configuration_length = sizeof line_configuration,
    .start = start, .receive = receive_line, .give = give_nothing, .set_line = set_line, .tend = tend, .obey = obey,
};
